// For Pentalath with two players: a small search for wins by fours, each of which must be answered.
#pragma once

#include <array>
#include <memory>

#include "ai/kernel/playouts/playout.hpp"
#include "ai/kernel/playouts/playout_board.hpp"

namespace kernel {

class Threats {
  public:
    using B = PlayoutBoard<Kind::pentalath, true>;

    explicit Threats(const PlayoutStart& start) : start_(&start) {
        for (auto& board : boards_) board = std::make_unique<B>(start.tables);
    }

    // Returns a move by which `c`, who has no five and need not prevent one, wins against every reply; NOWHERE if none
    // is found within `most` boards.
    Vertex find(const B& board, Colour c, Colour other, int most) {
        c_ = c;
        other_ = other;
        left_ = most;
        // A player who runs out of discs, or repeats a board, may escape.
        const Rules& rules = *start_->rules;
        if (rules.repetition != Repetition::none) return NOWHERE;
        for (const Colour k : {c, other})
            if (board.stones_of(k) + DEPTH >= rules.supply[k]) return NOWHERE;
        return attack(board, 0);
    }

  private:
    static constexpr int DEPTH = 10;  // fours, one after the other

    // Returns the first move of a win, or NOWHERE.
    Vertex attack(const B& board, std::size_t depth) {
        const Topology& topology = *start_->tables.topology;
        const auto three = static_cast<std::uint16_t>(3 << (4 * c_));
        std::array<std::uint8_t, CAPACITY> seen{};
        for (std::size_t number = 0; number < topology.fives.size(); ++number) {
            if (board.window(static_cast<Vertex>(number)) != three) continue;
            for (const Vertex v : topology.fives[number]) {
                if (board.at(v) != EMPTY || seen[v]++ || !board.is_legal(v, c_)) continue;
                if (left_-- <= 0) return NOWHERE;
                B& after = *boards_[2 * depth];
                after.copy_from(board);
                after.play(v, c_);
                if (threatens(after) && !can_five(after, other_) && !is_answered(after, depth)) return v;
            }
        }
        return NOWHERE;
    }

    // Returns whether a five is threatened that only its point or captures prevent.
    bool threatens(const B& board) const {
        if (board.fours(c_) == 0) return false;
        bool has_any = false;
        for (int place = 0; place < board.empties(); ++place) {
            const Vertex v = board.empty(place);
            if (!board.makes_five(v, c_) || !board.is_legal(v, c_)) continue;
            if (!board.stays_legal(v, c_)) return false;
            has_any = true;
        }
        return has_any;
    }

    static bool can_five(const B& board, Colour c) {
        if (board.fours(c) == 0) return false;
        for (int place = 0; place < board.empties(); ++place)
            if (board.makes_five(board.empty(place), c) && board.is_legal(board.empty(place), c)) return true;
        return false;
    }

    // Returns whether the other side can prevent the five and all that follows: on its point, or by captures.
    bool is_answered(const B& board, std::size_t depth) {
        bool has_move = false;
        for (int point = 0; point < start_->tables.points; ++point) {
            const auto v = static_cast<Vertex>(point);
            if (board.at(v) != EMPTY || !board.is_legal(v, other_)) continue;
            has_move = true;
            if (!board.makes_five(v, c_) && !board.takes(v, other_)) continue;
            if (left_-- <= 0) return true;
            B& after = *boards_[2 * depth + 1];
            after.copy_from(board);
            after.play(v, other_);
            if (can_five(after, c_)) continue;
            if (depth + 1 >= DEPTH || attack(after, depth + 1) == NOWHERE) return true;
        }
        return !has_move;
    }

    const PlayoutStart* start_;
    std::array<std::unique_ptr<B>, 2 * DEPTH> boards_;
    Colour c_ = EMPTY, other_ = EMPTY;
    int left_ = 0;
};

}  // namespace kernel
