// Zobrist hashes of 128 bits.
//
// Two different boards collide with probability 2^-128. A game of a million positions has about 5 * 10^11 pairs, so one
// in 7 * 10^26 such games has a false repetition. The boards themselves are therefore not kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ai/kernel/belief/rng.hpp"
#include "topology.hpp"

namespace kernel {

struct Hash {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    constexpr Hash& operator^=(const Hash& other) {
        low ^= other.low;
        high ^= other.high;
        return *this;
    }
    friend constexpr Hash operator^(Hash a, const Hash& b) { return a ^= b; }
    constexpr bool operator==(const Hash&) const = default;
};

// Row `CAPACITY - 1` belongs to no point; it holds the keys of the side that a position belongs to.
class ZobristKeys {
  public:
    ZobristKeys() {
        Rng rng(0x5EED);
        for (auto& row : keys_)
            for (Hash& key : row) key = Hash{rng.next(), rng.next()};
    }
    const Hash& stone(int point, Colour colour) const { return keys_[static_cast<std::size_t>(point)][colour]; }
    const Hash& side(Colour colour) const { return keys_[CAPACITY - 1][colour]; }

  private:
    std::array<std::array<Hash, 4>, CAPACITY> keys_;
};

inline const ZobristKeys ZOBRIST;

}  // namespace kernel
