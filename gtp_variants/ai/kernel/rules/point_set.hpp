// Sets of points of any board.
#pragma once

#include "ai/kernel/belief/mask.hpp"
#include "topology.hpp"

namespace kernel {

using PointSet = Mask<(MAX_POINTS + 63) / 64>;

}  // namespace kernel
