// What the parts of the Python module share.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "rules.hpp"

namespace kernel {

inline std::vector<Colour> colours_of(const nanobind::bytes& text) {
    const auto* first = static_cast<const std::uint8_t*>(text.data());
    return {first, first + text.size()};
}

void bind_rules(nanobind::module_& module);
void bind_state(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_encoder(nanobind::module_& module);
void bind_network(nanobind::module_& module);
void bind_training(nanobind::module_& module);

}  // namespace kernel
