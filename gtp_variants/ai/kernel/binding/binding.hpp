// Declarations shared by the parts of the Python module.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <optional>
#include <tuple>
#include <vector>

#include "ai/kernel/puct/puct.hpp"
#include "ai/kernel/rules/rules.hpp"
#include "ai/kernel/rules/state.hpp"

namespace kernel {

inline std::vector<Colour> colours_of(const nanobind::bytes& text) {
    const auto* first = static_cast<const std::uint8_t*>(text.data());
    return {first, first + text.size()};
}

// Returns winner, how and margin; nothing while the game continues.
std::optional<std::tuple<int, const char*, double>> outcome_of(const State& state);

// Reads the settings of a search with an evaluator, by their names in Python.
PuctSettings puct_settings_of(const nanobind::dict& given);
SearchLimits limits_of(const nanobind::dict& given);

// Runs a search without the interpreter's lock; Ctrl-C and exceptions of `should_stop` end it and propagate.
template <class Result, class Search>
Result think_unlocked(Search& search, const SearchLimits& limits, const std::optional<nanobind::callable>& should_stop) {
    std::exception_ptr raised;
    Result found;
    {
        nanobind::gil_scoped_release released;
        found = search.think(limits, [&raised, &should_stop] {
            nanobind::gil_scoped_acquire held;
            try {
                if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
                return should_stop && nanobind::cast<bool>((*should_stop)());
            } catch (...) {
                raised = std::current_exception();
                return true;
            }
        });
    }
    if (raised) std::rethrow_exception(raised);
    return found;
}

void bind_puct(nanobind::module_& module);
void bind_rules(nanobind::module_& module);
void bind_state(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_games(nanobind::module_& module);
void bind_encoder(nanobind::module_& module);
void bind_network(nanobind::module_& module);
void bind_self_play(nanobind::module_& module);

}  // namespace kernel
