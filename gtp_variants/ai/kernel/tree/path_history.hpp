// The positions on a playout's path through the tree, and whether one recurs.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "ai/kernel/playouts/playout.hpp"
#include "ai/kernel/rules/hash.hpp"
#include "search_root.hpp"

namespace kernel {

template <class B> class PathHistory {
  public:
    // `board` is the one that follows the path.
    PathHistory(const SearchRoot<B>& root, const B& board)
        : root_(root), board_(board), after_(IS_ALTER_IGO ? std::make_unique<B>(root.start.tables) : nullptr) {}

    // The root is the first position of every path.
    void begin(const PlayoutTurn& turn) { seen_.assign(1, position(turn)); }

    // Records the position after a move and returns whether it was on the path before.
    bool closes_circle(const PlayoutTurn& turn) {
        const SeenPosition now = position(turn);
        const bool is_known = has(now);
        seen_.push_back(now);
        return is_known;
    }

    // For Alter Igo: records the position after a move and returns whether it is a draw.
    bool reaches_draw(const PlayoutTurn& turn) {
        const SeenPosition now = position(turn);
        const bool is_draw = is_drawn(now);
        seen_.push_back(now);
        return is_draw;
    }

    // For Alter Igo: returns whether a move other than a lone suicide would be a draw at once.
    bool would_draw(int move, const PlayoutTurn& turn) requires(B::HAS_HASH) {
        if (move == PASS) return false;
        const auto v = static_cast<Vertex>(move);
        const Colour mover = root_.start.order[turn.next];
        SeenPosition next{board_.hash() ^ ZOBRIST.stone(v, mover), mover == BLACK ? WHITE : BLACK, turn.passes_left};
        if (board_.takes(v, mover) || !board_.is_legal(v, mover)) {
            after_->copy_from(board_);
            after_->play(v, mover);
            next.stones = after_->hash();
        }
        return is_drawn(next);
    }

  private:
    static constexpr bool IS_ALTER_IGO = B::KIND_OF == Kind::alter_igo;

    // Its stones; in Alter Igo also whose turn it is, and how often White may still pass.
    struct SeenPosition {
        Hash stones;
        Colour mover;
        int passes_left;

        bool operator==(const SeenPosition&) const = default;
    };

    SeenPosition position(const PlayoutTurn& turn) const {
        if constexpr (IS_ALTER_IGO) return SeenPosition{board_.hash(), root_.start.order[turn.next], turn.passes_left};
        else return SeenPosition{hash_of_stones(), EMPTY, 0};
    }

    Hash hash_of_stones() const {
        Hash sum{};
        for (int point = 0; point < root_.start.tables.points; ++point) {
            const auto v = static_cast<Vertex>(point);
            if (board_.at(v) != EMPTY) sum ^= ZOBRIST.stone(v, board_.at(v));
        }
        return sum;
    }

    bool has(const SeenPosition& position) const { return std::find(seen_.begin(), seen_.end(), position) != seen_.end(); }

    // Returns whether the rules or a repetition since the root draw the game.
    bool is_drawn(const SeenPosition& now) const {
        // A player with better than a draw leaves a circle, so nothing on it is worth more to the one who closes it.
        if (root_.knows_draws() && has(now)) return true;
        const Hash key = key_of(now);
        // The root is part of the history.
        const auto again = std::count_if(seen_.begin() + 1, seen_.end(), [&](const SeenPosition& seen) { return key_of(seen) == key; });
        const auto before = root_.history.count(key) + again;
        return before + 1 >= root_.start.rules->repeat_count;
    }

    // Returns the key by which the rules compare positions.
    Hash key_of(const SeenPosition& position) const {
        const bool counts_mover = root_.start.rules->repetition == Repetition::situation;
        return counts_mover ? position.stones ^ ZOBRIST.side(position.mover) : position.stones;
    }

    const SearchRoot<B>& root_;
    const B& board_;
    std::unique_ptr<B> after_;
    std::vector<SeenPosition> seen_;
};

}  // namespace kernel
