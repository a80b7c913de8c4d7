// What a playout replies to the last moves before it plays at random: it takes and saves stones in atari, and plays
// shapes of 3x3 points. Source: S. Gelly, Y. Wang, R. Munos, O. Teytaud, "Modification of UCT with Patterns in
// Monte-Carlo Go", 2006.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "ai/kernel/belief/rng.hpp"
#include "playout_board.hpp"

namespace kernel {

// What playouts know besides the rules; if nothing, or no more than who is obliged to play, they are uniform.
struct PlayoutStyle {
    bool tactics = false;  // Pentalath: own fives first, then the next player's
    bool atari = false;    // chains in atari are taken or saved, and few chains are put into atari by their own side
    bool shapes = false;   // Go and Aléago: shapes around the last two moves
    bool obliged = false;  // Aléago: who would pass second in a row plays while any line has a point they want

    bool is_uniform() const { return !tactics && !atari && !shapes; }
};

template <class B> class Replies {
  public:
    Replies(const Rules& rules, const B& board, const PlayoutStyle& style) : rules_(&rules), board_(&board), style_(style) {}

    // A point to reply at; NOWHERE if there is none or chance has it so. `open`, if given, are the buckets that are open.
    Vertex choose(Colour c, Vertex last, Vertex previous, const std::vector<int>* open, Rng& rng) {
        open_ = open;
        if (style_.atari && last != NOWHERE) {
            collect_atari(c, last);
            const Vertex v = one_of_them(c, ATARI_PERCENT, false, rng);
            if (v != NOWHERE) return v;
        }
        if constexpr (B::HAS_SHAPES)
            if (style_.shapes)
                for (const Vertex move : {last, previous}) {
                    if (move == NOWHERE) continue;
                    collect_shapes(move);
                    const Vertex v = one_of_them(c, SHAPES_PERCENT, true, rng);
                    if (v != NOWHERE) return v;
                }
        return NOWHERE;
    }

    // Of a point chosen at random: whether it is refused as self-atari, which happens a few times a turn only.
    bool refuses(Vertex v, Colour c, int& refusals, Rng& rng) const {
        if (!style_.atari || refusals >= MOST_REFUSALS || !board_->is_self_atari(v, c)) return false;
        if (rng.below(100) >= SELF_ATARI_PERCENT) return false;
        ++refusals;
        return true;
    }

  private:
    // How often something is done where it can be, in percent.
    static constexpr std::uint32_t ATARI_PERCENT = 90;
    static constexpr std::uint32_t SHAPES_PERCENT = 95;
    static constexpr std::uint32_t SELF_ATARI_PERCENT = 50;
    static constexpr int MOST_REFUSALS = 2;  // a turn
    // More points than so many, found one after the other, are left out.
    static constexpr std::size_t MOST_FOUND = 32;

    void add(Vertex v) {
        for (std::size_t i = 0; i < count_; ++i)
            if (found_[i] == v) return;
        if (count_ < found_.size()) found_[count_++] = v;
    }

    // The only liberty of a chain that can be taken.
    Vertex target(Vertex chain) const { return board_->is_immune(chain) ? NOWHERE : board_->only_liberty(chain); }

    // Takes the chain last played to, or saves those beside it: by taking a neighbour or by running away.
    void collect_atari(Colour c, Vertex last) {
        count_ = 0;
        const Colour there = board_->at(last);
        if (there != EMPTY && there != c) {
            const Vertex liberty = target(board_->chain_of(last));
            if (liberty != NOWHERE) add(liberty);
        }
        const Vertex* near = board_->near_of(last);
        for (int i = 0; i < B::DEGREE; ++i) {
            if (board_->at(near[i]) != c) continue;
            const Vertex liberty = target(board_->chain_of(near[i]));
            if (liberty == NOWHERE) continue;
            collect_neighbours(near[i], c);
            if (!board_->is_self_atari(liberty, c)) add(liberty);
        }
    }

    // Takes the chains in atari beside a chain.
    void collect_neighbours(Vertex first, Colour c) {
        Vertex member = first;
        do {
            const Vertex* near = board_->near_of(member);
            for (int i = 0; i < B::DEGREE; ++i) {
                const Colour there = board_->at(near[i]);
                if (there == EMPTY || there == OFF || there == c) continue;
                const Vertex liberty = target(board_->chain_of(near[i]));
                if (liberty != NOWHERE) add(liberty);
            }
            member = board_->next_in_chain(member);
        } while (member != first);
    }

    void collect_shapes(Vertex move) requires B::HAS_SHAPES {
        count_ = 0;
        const Vertex* around = board_->surroundings_of(move);
        for (int i = 0; i < 8; ++i)
            if (board_->at(around[i]) == EMPTY && rules_->is_worthy(board_->shape(around[i]))) add(around[i]);
    }

    Vertex one_of_them(Colour c, std::uint32_t percent, bool is_careful, Rng& rng) {
        if (count_ == 0 || rng.below(100) >= percent) return NOWHERE;
        while (count_ > 0) {
            const std::size_t k = rng.below(static_cast<std::uint32_t>(count_));
            const Vertex v = found_[k];
            if (is_open(v) && may_play(v, c) && !(is_careful && board_->is_self_atari(v, c))) return v;
            found_[k] = found_[--count_];
        }
        return NOWHERE;
    }

    bool is_open(Vertex v) const {
        if (open_ == nullptr) return true;
        const int bucket = board_->tables().bucket_of[v];
        for (const int open : *open_)
            if (open == bucket) return true;
        return false;
    }

    bool may_play(Vertex v, Colour c) const {
        if constexpr (B::KIND_OF == Kind::alter_igo) return !board_->is_lone_suicide(v, c);
        else return board_->is_legal(v, c);
    }

    const Rules* rules_;
    const B* board_;
    PlayoutStyle style_;
    const std::vector<int>* open_ = nullptr;
    std::array<Vertex, MOST_FOUND> found_;
    std::size_t count_ = 0;
};

}  // namespace kernel
