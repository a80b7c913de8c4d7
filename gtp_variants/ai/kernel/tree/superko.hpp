// The boards that may not recur on a playout's path through the tree, because the game or the path has seen them.
// Playouts know only the simple ko.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "ai/kernel/rules/hash.hpp"
#include "ai/kernel/rules/state.hpp"
#include "search_root.hpp"

namespace kernel {

template <class B> class Superko {
  public:
    // `board` is the one that follows the path.
    Superko(const SearchRoot<B>& root, const B& board)
        : root_(root), rules_(*root.start.rules), board_(board), is_enforced_(root.enforces_superko()) {}

    // The root is the first position of every path.
    void begin() {
        if (!is_enforced_) return;
        seen_.clear();
        hash_ = root_.hash;
        left_ = root_.left;
        if constexpr (B::HAS_BUCKETS) stones_ = root_.start.stones;
    }

    void pass(Colour mover) {
        if (is_enforced_ && rules_.repetition != Repetition::nssk) seen_.push_back(repetition_key(rules_, hash_, mover));
    }

    // Records a stone that captured `taken` others.
    void place(Vertex v, Colour mover, int taken) {
        if (!is_enforced_) return;
        hash_ ^= ZOBRIST.stone(v, mover);
        if constexpr (B::HAS_BUCKETS) {
            stones_[v] = mover;
            for (std::size_t p = 0; taken > 0 && p < stones_.size(); ++p) {
                if (stones_[p] == board_.at(static_cast<Vertex>(p))) continue;
                leave(static_cast<Vertex>(p), mover);
                stones_[p] = EMPTY;
            }
        } else {
            // Captured stones are last in the list of empty points.
            for (int i = 1; i <= taken; ++i) leave(board_.empty(board_.empties() - i), mover);
        }
        seen_.push_back(repetition_key(rules_, hash_, mover));
    }

    // Returns whether superko alone forbids a stone: its point held one on the recurring board and lost it since.
    bool forbids(Vertex v, Colour mover) const {
        if (!is_enforced_ || !left_[mover].has(v)) return false;
        const Hash key = repetition_key(rules_, hash_after(v, mover), mover);
        return root_.history.contains(key) || std::find(seen_.begin(), seen_.end(), key) != seen_.end();
    }

  private:
    // Records that an enemy stone was captured on a point.
    void leave(Vertex v, Colour mover) {
        const Colour other = rules_.other(mover);
        hash_ ^= ZOBRIST.stone(v, other);
        left_[other].add(v);
    }

    Hash hash_after(Vertex v, Colour mover) const {
        Hash sum = hash_ ^ ZOBRIST.stone(v, mover);
        const std::span near(board_.near_of(v), static_cast<std::size_t>(B::DEGREE));
        for (auto each = near.begin(); each != near.end(); ++each) {
            const Colour colour = board_.at(*each);
            if (colour != rules_.other(mover)) continue;
            const Vertex chain = board_.chain_of(*each);
            const auto is_of_it = [&](Vertex other) { return board_.chain_of(other) == chain; };
            const auto liberties = static_cast<unsigned>(std::count_if(near.begin(), near.end(), is_of_it));
            // A chain that touches the point several times is handled at its first contact.
            if (liberties != board_.pseudo_liberties(chain) || board_.is_immune(chain)) continue;
            if (std::any_of(near.begin(), each, is_of_it)) continue;
            Vertex member = chain;
            do sum ^= ZOBRIST.stone(member, colour);
            while ((member = board_.next_in_chain(member)) != chain);
        }
        return sum;
    }

    const SearchRoot<B>& root_;
    const Rules& rules_;
    const B& board_;
    bool is_enforced_;
    Hash hash_;  // of the board
    std::array<PointSet, 4> left_;  // for each colour, points its stones may have left since an earlier board
    std::vector<Colour> stones_;    // used if empty points lie in several lists
    std::vector<Hash> seen_;  // keys of boards since the root
};

}  // namespace kernel
