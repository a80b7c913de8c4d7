// Replies of playouts to the last moves: capturing and saving stones in atari, and 3x3 shapes. Source: S. Gelly, Y.
// Wang, R. Munos, O. Teytaud, "Modification of UCT with Patterns in Monte-Carlo Go", 2006.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "ai/kernel/belief/rng.hpp"
#include "playout_board.hpp"

namespace kernel {

// The knowledge of playouts beyond the rules. Without any, or with `obliged` alone, they are uniform.
struct PlayoutStyle {
    bool tactics = false;  // Pentalath: own fives first, then the next player's
    bool atari = false;    // capture or save chains in atari, and put few own chains in atari
    bool shapes = false;   // Go and Aléago: shapes around the last two moves
    bool obliged = false;  // Aléago: a second pass in a row is not allowed if any line has a wanted point

    bool is_uniform() const { return !tactics && !atari && !shapes; }
};

template <class B> class Replies {
  public:
    Replies(const Rules& rules, const B& board, const PlayoutStyle& style) : rules_(&rules), board_(&board), style_(style) {}

    // Returns a point to reply at, or NOWHERE, also at random. `open`, if given, are the open buckets.
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

    // Returns whether a randomly chosen point is refused as self-atari, which happens only a few times a turn.
    bool refuses(Vertex v, Colour c, int& refusals, Rng& rng) const {
        if (!style_.atari || refusals >= MOST_REFUSALS || !board_->is_self_atari(v, c)) return false;
        if (rng.below(100) >= SELF_ATARI_PERCENT) return false;
        ++refusals;
        return true;
    }

  private:
    // Probability of each reply where it is possible, in percent.
    static constexpr std::uint32_t ATARI_PERCENT = 90;
    static constexpr std::uint32_t SHAPES_PERCENT = 95;
    static constexpr std::uint32_t SELF_ATARI_PERCENT = 50;
    static constexpr int MOST_REFUSALS = 2;  // a turn
    // Maximum number of candidates; later ones are ignored.
    static constexpr std::size_t MOST_FOUND = 32;

    void add(Vertex v) {
        for (std::size_t i = 0; i < count_; ++i)
            if (found_[i] == v) return;
        if (count_ < found_.size()) found_[count_++] = v;
    }

    // Returns the only liberty of a chain that can be captured, or NOWHERE.
    Vertex target(Vertex chain) const { return board_->is_immune(chain) ? NOWHERE : board_->only_liberty(chain); }

    // Collects captures of the last move's chain, and moves that save adjacent chains: by a capture or by extending.
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

    // Collects captures of chains in atari beside a chain.
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
