// A network's view of a state: planes and global features, equal to those of `nets/encoding`.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ai/kernel/rules/state.hpp"

namespace kernel {

class Encoder {
  public:
    // `flags` are the features of the game's options, which come last.
    Encoder(std::shared_ptr<const Rules> rules, std::vector<float> flags);

    // Returns the divisor of each plane's integers.
    const std::vector<std::uint8_t>& scales() const { return scales_; }
    // Returns the index of the first of two planes of ladders, which come last; -1 without them.
    int ladders() const { return ladders_; }
    int plane_count() const { return static_cast<int>(scales_.size()); }
    int global_count() const { return globals_; }

    // Writes the levels of each plane, point by point, and the global features.
    //
    // `viewer` is the side whose view it is; in Go Fantôme it shows only that seat's knowledge. EMPTY means the side to
    // move, seeing every stone. `mask` is `state.mask`, or null. Without `reads_ladders` the planes of ladders, which take
    // most of the time, are left empty.
    void encode(const State& state, Colour viewer, std::uint8_t* planes, float* globals,
                const std::uint8_t* mask = nullptr, bool reads_ladders = true) const;

  private:
    friend class Encoding;
    std::vector<std::uint8_t> odds_of(const DiceKind& dice) const;

    std::shared_ptr<const Rules> rules_;
    std::vector<float> flags_;
    std::vector<std::uint8_t> scales_;
    std::vector<std::uint8_t> odds_;  // for the dice at the start of the game
    int globals_ = 0;
    int ladders_ = -1;
};

}  // namespace kernel
