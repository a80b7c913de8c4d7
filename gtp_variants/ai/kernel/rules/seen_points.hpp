// The set of points seen in one walk over the board.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "topology.hpp"

namespace kernel {

// Cleared by incrementing a counter instead of writing.
class SeenPoints {
  public:
    void clear() {
        if (++stamp_ == 0) {
            marks_.fill(0);
            stamp_ = 1;
        }
    }
    bool add(int point) {
        std::uint32_t& mark = marks_[static_cast<std::size_t>(point)];
        if (mark == stamp_) return false;
        mark = stamp_;
        return true;
    }

  private:
    std::array<std::uint32_t, CAPACITY> marks_{};
    std::uint32_t stamp_ = 0;
};

}  // namespace kernel
