// A board with chains and their exact liberties, updated stone by stone; cheap to copy.
//
// Unlike the boards of playout_board.hpp, which only count, it knows every liberty, hashes its stones and each chain,
// sets its degree at run time, and is copied as a value. Positions, their trees and encoders use it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "hash.hpp"
#include "point_set.hpp"
#include "topology.hpp"

namespace kernel {

class ChainBoard {
  public:
    using ChainNumber = std::uint16_t;

    // Starts without stones; with `has_rosettes` six stones around a face make their chain immune.
    ChainBoard(const Topology& topology, bool has_rosettes);

    Colour at(int point) const { return points_[static_cast<std::size_t>(point)].colour; }
    int points() const { return topology_->points; }
    const Hash& hash() const { return hash_; }
    int stones(Colour colour) const { return counts_[colour]; }
    int empties() const { return counts_[EMPTY]; }
    const PointSet& empty_points() const { return empty_points_; }
    bool has_empty_neighbour(int point) const { return field(points_[static_cast<std::size_t>(point)].around, EMPTY) != 0; }
    // Returns the number of neighbours of a colour, or empty ones; missing neighbours do not count.
    unsigned neighbours(int point, Colour colour) const {
        return field(points_[static_cast<std::size_t>(point)].around, colour);
    }

    // Returns the number of a stone's chain. Numbers are small and reused, so they may index a table of chains.
    ChainNumber chain_of(int point) const { return points_[static_cast<std::size_t>(point)].chain; }
    // Returns one more than the highest chain number; unused numbers in between have no stones or liberties.
    int chain_numbers() const { return static_cast<int>(chains_.size()); }
    int size(ChainNumber chain) const { return chains_[chain].size; }
    int liberties(ChainNumber chain) const { return chains_[chain].liberties; }
    // Returns whether the chain holds a rosette, so that it is never captured.
    bool is_immune(ChainNumber chain) const { return chains_[chain].has_rosette; }
    const Hash& hash_of(ChainNumber chain) const { return chains_[chain].hash; }
    Colour colour_of(ChainNumber chain) const { return at(chains_[chain].head); }
    // Returns a liberty of a chain that has one.
    int first_liberty(ChainNumber chain) const {
        const std::uint64_t* words = liberties_of(chain);
        std::size_t i = 0;
        while (!words[i]) ++i;
        return static_cast<int>(64 * i) + std::countr_zero(words[i]);
    }
    // Calls `act` with each stone of a chain, in no order.
    template <class Act> void each_stone(ChainNumber chain, Act act) const {
        Vertex v = chains_[chain].head;
        for (int left = chains_[chain].size; left > 0; --left) {
            act(v);
            v = points_[v].next;
        }
    }
    // Calls `act` with each neighbour of a point.
    template <class Act> void each_neighbour(int point, Act act) const {
        const Vertex* near = topology_->near_of(point);
        for (int k = 0; k < topology_->degree && near[k] != topology_->points; ++k) act(near[k]);
    }

    // Returns whether a stone on an empty point would complete a rosette.
    bool completes_rosette(int point, Colour colour) const;

    // Places a stone on an empty point without captures.
    void set(int point, Colour colour);
    void remove(ChainNumber chain);
    // Replaces all stones.
    void lay_out(const std::vector<Colour>& stones);

  private:
    struct Point {
        ChainNumber chain;
        Vertex next;           // the chain's stones in a circle
        std::uint16_t around;  // four bits each: empty, black, white and red neighbours
        Colour colour;
    };
    struct Chain {
        Hash hash;
        Vertex head;  // one of its stones; for an unused number the next unused one
        std::uint16_t size;
        std::uint16_t liberties;
        bool has_rosette;
    };
    static constexpr ChainNumber NO_CHAIN = 0xFFFF;

    static constexpr unsigned field(std::uint16_t around, Colour colour) { return (around >> (4 * colour)) & 15U; }
    // Added to each neighbour when a stone comes, subtracted when it goes.
    static constexpr std::uint16_t step(Colour colour) { return static_cast<std::uint16_t>((1 << (4 * colour)) - 1); }
    const std::uint64_t* liberties_of(ChainNumber chain) const { return &liberties_[chain * words_]; }
    std::uint64_t* liberties_of(ChainNumber chain) { return &liberties_[chain * words_]; }
    void give_liberty(ChainNumber chain, Vertex v) {
        std::uint64_t& word = liberties_of(chain)[v / 64];
        const std::uint64_t bit = std::uint64_t{1} << (v % 64);
        chains_[chain].liberties = static_cast<std::uint16_t>(chains_[chain].liberties + ((word & bit) == 0));
        word |= bit;
    }
    void take_liberty(ChainNumber chain, Vertex v) {
        std::uint64_t& word = liberties_of(chain)[v / 64];
        const std::uint64_t bit = std::uint64_t{1} << (v % 64);
        chains_[chain].liberties = static_cast<std::uint16_t>(chains_[chain].liberties - ((word & bit) != 0));
        word &= ~bit;
    }
    ChainNumber new_chain(Vertex v, const Hash& hash);
    void free_chain(ChainNumber chain) {
        chains_[chain].size = chains_[chain].liberties = 0;
        chains_[chain].head = free_;
        free_ = chain;
    }
    ChainNumber merge(ChainNumber a, ChainNumber b);

    const Topology* topology_;
    std::size_t words_;  // per set of liberties
    bool has_rosettes_;
    ChainNumber free_ = NO_CHAIN;
    std::array<int, 4> counts_{};
    Hash hash_;
    PointSet empty_points_;
    std::vector<Point> points_;
    std::vector<Chain> chains_;
    std::vector<std::uint64_t> liberties_;
};

inline ChainBoard::ChainBoard(const Topology& topology, bool has_rosettes)
    : topology_(&topology),
      words_(static_cast<std::size_t>(topology.points + 63) / 64),
      has_rosettes_(has_rosettes),
      // The point off the board has a row too, so that writes need no check.
      points_(static_cast<std::size_t>(topology.points) + 1) {
    lay_out({});
}

inline void ChainBoard::lay_out(const std::vector<Colour>& stones) {
    chains_.clear();
    liberties_.clear();
    free_ = NO_CHAIN;
    counts_ = {topology_->points, 0, 0, 0};
    hash_ = Hash{};
    empty_points_ = PointSet{};
    for (int p = 0; p < topology_->points; ++p) {
        empty_points_.add(p);
        const auto around = static_cast<std::uint16_t>(topology_->degree - topology_->gaps[static_cast<std::size_t>(p)]);
        points_[static_cast<std::size_t>(p)] = Point{NO_CHAIN, 0, around, EMPTY};
    }
    points_.back() = Point{NO_CHAIN, 0, 0, OFF};
    for (std::size_t p = 0; p < stones.size(); ++p)
        if (stones[p]) set(static_cast<int>(p), stones[p]);
}

inline bool ChainBoard::completes_rosette(int point, Colour colour) const {
    if (!has_rosettes_) return false;
    for (const Vertex number : topology_->faces_at[static_cast<std::size_t>(point)]) {
        bool is_whole = true;
        for (const Vertex member : topology_->faces[number]) is_whole &= member == point || at(member) == colour;
        if (is_whole) return true;
    }
    return false;
}

inline ChainBoard::ChainNumber ChainBoard::new_chain(Vertex v, const Hash& hash) {
    ChainNumber chain = free_;
    if (chain == NO_CHAIN) {
        chain = static_cast<ChainNumber>(chains_.size());
        chains_.emplace_back();
        liberties_.resize(liberties_.size() + words_);
    } else {
        free_ = chains_[chain].head;
        std::fill_n(liberties_of(chain), words_, std::uint64_t{0});
    }
    chains_[chain] = Chain{hash, v, 1, 0, false};
    return chain;
}

// Joins two chains under the number of the larger one.
inline ChainBoard::ChainNumber ChainBoard::merge(ChainNumber a, ChainNumber b) {
    if (chains_[a].size < chains_[b].size) std::swap(a, b);
    each_stone(b, [this, a](Vertex member) { points_[member].chain = a; });
    std::swap(points_[chains_[a].head].next, points_[chains_[b].head].next);
    Chain& kept = chains_[a];
    const Chain& gone = chains_[b];
    kept.hash ^= gone.hash;
    kept.size = static_cast<std::uint16_t>(kept.size + gone.size);
    kept.has_rosette |= gone.has_rosette;
    int count = 0;
    for (std::size_t i = 0; i < words_; ++i) count += std::popcount(liberties_of(a)[i] |= liberties_of(b)[i]);
    kept.liberties = static_cast<std::uint16_t>(count);
    free_chain(b);
    return a;
}

inline void ChainBoard::set(int point, Colour colour) {
    const auto v = static_cast<Vertex>(point);
    const bool has_rosette = has_rosettes_ && completes_rosette(point, colour);
    const Hash& key = ZOBRIST.stone(point, colour);
    ++counts_[colour];
    --counts_[EMPTY];
    hash_ ^= key;
    empty_points_.drop(point);
    points_[v].colour = colour;
    points_[v].next = v;
    ChainNumber chain = points_[v].chain = new_chain(v, key);
    chains_[chain].has_rosette = has_rosette;
    const Vertex* near = topology_->near_of(point);
    for (int k = 0; k < topology_->degree && near[k] != topology_->points; ++k) {
        Point& there = points_[near[k]];
        there.around = static_cast<std::uint16_t>(there.around + step(colour));
        if (there.colour == EMPTY) {
            give_liberty(chain, near[k]);
            continue;
        }
        take_liberty(there.chain, v);
        if (there.colour == colour && there.chain != chain) chain = merge(chain, there.chain);
    }
}

inline void ChainBoard::remove(ChainNumber chain) {
    const Colour colour = colour_of(chain);
    counts_[colour] -= chains_[chain].size;
    counts_[EMPTY] += chains_[chain].size;
    hash_ ^= chains_[chain].hash;
    each_stone(chain, [&](Vertex v) {
        empty_points_.add(v);
        points_[v].colour = EMPTY;
        const Vertex* near = topology_->near_of(v);
        for (int k = 0; k < topology_->degree && near[k] != topology_->points; ++k) {
            Point& there = points_[near[k]];
            there.around = static_cast<std::uint16_t>(there.around - step(colour));
            if (there.colour != EMPTY && there.chain != chain) give_liberty(there.chain, v);
        }
    });
    free_chain(chain);
}

}  // namespace kernel
