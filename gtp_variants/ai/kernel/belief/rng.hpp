// The random generator of repairs and playouts: splitmix64, the same as `rng.py`.
#pragma once

#include <cstdint>

namespace kernel {

inline constexpr std::uint64_t GOLDEN = 0x9E3779B97F4A7C15ULL;

inline constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

class Rng {
  public:
    explicit constexpr Rng(std::uint64_t state) : state_(state) {}

    // Returns the generator of playout number `index`, the same in every thread.
    static constexpr Rng of_playout(std::uint64_t seed, std::uint64_t index) {
        return Rng(mix(mix(seed + GOLDEN) + index));
    }

    constexpr std::uint64_t next() {
        state_ += GOLDEN;
        return mix(state_);
    }

    // Returns a number from 0.0 up to, but excluding, 1.0.
    constexpr double random() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    // Returns 0 to n - 1; probabilities are off by less than n / 2^32.
    constexpr std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
    }

    constexpr std::uint64_t state() const { return state_; }

  private:
    std::uint64_t state_;
};

}  // namespace kernel
