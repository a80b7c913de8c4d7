// The conversion of a network's shape from Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <type_traits>

#include "network.hpp"

namespace kernel {

inline NetworkShape network_shape_of(const nanobind::dict& facts) {
    NetworkShape shape;
    const auto read = [&facts](const char* key, auto& into) {
        into = nanobind::cast<std::decay_t<decltype(into)>>(facts[key]);
    };
    read("planes", shape.planes);
    read("globals", shape.globals);
    read("taps", shape.taps);
    read("channels", shape.channels);
    read("blocks", shape.blocks);
    read("pooled", shape.pooled);
    read("hidden", shape.hidden);
    read("colours", shape.colours);
    read("has_score", shape.has_score);
    read("has_owners", shape.has_owners);
    read("has_hidden_stones", shape.has_hidden_stones);
    if (shape.colours < 2 || shape.colours > 3) throw std::invalid_argument("colours: 2 or 3");
    return shape;
}

}  // namespace kernel
