// What the parts of the Python module share.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <tuple>
#include <vector>

#include "rules.hpp"
#include "state.hpp"

namespace kernel {

inline std::vector<Colour> colours_of(const nanobind::bytes& text) {
    const auto* first = static_cast<const std::uint8_t*>(text.data());
    return {first, first + text.size()};
}

// Winner, how and margin; nothing while the game goes on.
std::optional<std::tuple<int, const char*, double>> outcome_of(const State& state);

void bind_puct(nanobind::module_& module);
void bind_rules(nanobind::module_& module);
void bind_state(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_games(nanobind::module_& module);
void bind_encoder(nanobind::module_& module);
void bind_network(nanobind::module_& module);
void bind_training(nanobind::module_& module);

}  // namespace kernel
