// What a network sees of a state: planes and global features, number for number those of `nets/encoding`.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ai/kernel/rules/state.hpp"

namespace kernel {

class Encoder {
  public:
    // `flags`: the features that tell which choices the options of the game have; they are the last.
    Encoder(std::shared_ptr<const Rules> rules, std::vector<float> flags);

    // What the whole numbers of each plane are divided by; as many as there are planes.
    const std::vector<std::uint8_t>& scales() const { return scales_; }
    int plane_count() const { return static_cast<int>(scales_.size()); }
    int global_count() const { return globals_; }

    // Writes the levels of each plane, point by point, and the global features.
    //
    // `viewer` is whose side it is seen from. In Go Fantôme that seat's knowledge is written and nothing else; EMPTY is
    // the side to move, and there as if it saw every stone. `mask`, if it is at hand, is `state.mask`.
    void encode(const State& state, Colour viewer, std::uint8_t* planes, float* globals,
                const std::uint8_t* mask = nullptr) const;

  private:
    friend class Encoding;
    std::vector<std::uint8_t> odds_of(const DiceKind& dice) const;

    std::shared_ptr<const Rules> rules_;
    std::vector<float> flags_;
    std::vector<std::uint8_t> scales_;
    std::vector<std::uint8_t> odds_;  // of the dice that the game begins with
    int globals_ = 0;
};

}  // namespace kernel
