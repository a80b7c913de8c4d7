// Playouts and tree search in the Python module.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "binding.hpp"
#include "ai/kernel/playouts/playout.hpp"
#include "ai/kernel/tree/tree.hpp"

namespace nb = nanobind;

namespace kernel {

namespace {

constexpr int MAX_THREADS = 1024;

void bind_playouts(nb::module_& module) {
    nb::class_<PlayoutCounts>(module, "KernelCounts")
        .def_ro("wins", &PlayoutCounts::wins)
        .def_ro("draws", &PlayoutCounts::draws)
        .def_ro("turns", &PlayoutCounts::turns);
    module.def(
        "playouts",
        [](const State& state, std::uint64_t n, std::uint64_t seed, int threads, std::uint64_t first) {
            if (threads < 1 || threads > MAX_THREADS) throw std::invalid_argument("threads: 1 to 1024");
            const PlayoutStart start(state);
            bool is_interrupted = false;
            PlayoutCounts counts;
            {
                nb::gil_scoped_release released;
                counts = run_playouts(start, first, n, seed, threads, [&is_interrupted] {
                    nb::gil_scoped_acquire held;
                    is_interrupted = PyErr_CheckSignals() != 0;
                    return is_interrupted;
                });
            }
            if (is_interrupted) throw nb::python_error();
            return counts;
        },
        nb::arg("state"), nb::arg("n"), nb::arg("seed"), nb::arg("threads"), nb::arg("first") = 0);
    module.def(
        "trace",
        [](const State& state, std::uint64_t seed, std::uint64_t index, bool tactics, bool atari, bool shapes,
           bool obliged) {
            return trace_playout(PlayoutStart(state), seed, index, PlayoutStyle{tactics, atari, shapes, obliged});
        },
        nb::arg("state"), nb::arg("seed"), nb::arg("index"), nb::arg("tactics") = false, nb::arg("atari") = false,
        nb::arg("shapes") = false, nb::arg("obliged") = false);
    module.def(
        "check_playout_board",
        [](const State& state, std::uint64_t seed, std::uint64_t index, bool tactics, bool atari, bool shapes,
           bool obliged) {
            return check_playout_board(PlayoutStart(state), seed, index, PlayoutStyle{tactics, atari, shapes, obliged});
        },
        nb::arg("state"), nb::arg("seed"), nb::arg("index"), nb::arg("tactics") = false, nb::arg("atari") = false,
        nb::arg("shapes") = false, nb::arg("obliged") = false);
}

SearchSettings settings_of(const nb::dict& given) {
    SearchSettings settings;
    settings.seed = nb::cast<std::uint64_t>(given["seed"]);
    settings.threads = nb::cast<int>(given["threads"]);
    settings.rave = nb::cast<bool>(given["rave"]);
    settings.equivalence = nb::cast<double>(given["equivalence"]);
    settings.exploration = nb::cast<double>(given["exploration"]);
    settings.even = nb::cast<double>(given["even"]);
    settings.first_play = nb::cast<double>(given["first_play"]);
    settings.expand_at = nb::cast<int>(given["expand_at"]);
    settings.tactics = nb::cast<bool>(given["tactics"]);
    settings.proofs = nb::cast<bool>(given["proofs"]);
    settings.atari = nb::cast<bool>(given["atari"]);
    settings.shapes = nb::cast<bool>(given["shapes"]);
    settings.priors = nb::cast<bool>(given["priors"]);
    settings.dice_aware = nb::cast<bool>(given["dice_aware"]);
    settings.memory_mb = nb::cast<double>(given["memory_mb"]);
    if (settings.threads < 1 || settings.threads > MAX_THREADS) throw std::invalid_argument("threads: 1 to 1024");
    return settings;
}

void bind_trees(nb::module_& module) {
    nb::class_<Line>(module, "KernelLine").def_ro("moves", &Line::moves).def_ro("visits", &Line::visits);
    nb::class_<Score>(module, "KernelScore").def_ro("mean", &Score::mean).def_ro("deviation", &Score::deviation);
    nb::class_<SearchResult>(module, "KernelResult")
        .def_ro("action", &SearchResult::action)
        .def_ro("visits", &SearchResult::visits)
        .def_ro("shares", &SearchResult::shares)
        .def_ro("priors", &SearchResult::priors)
        .def_ro("lines", &SearchResult::lines)
        .def_ro("scores", &SearchResult::scores)
        .def_ro("score", &SearchResult::score)
        .def_ro("values", &SearchResult::values)
        .def_ro("ownership", &SearchResult::ownership)
        .def_ro("principal_variation", &SearchResult::principal_variation)
        .def_ro("playouts", &SearchResult::playouts)
        .def_ro("turns", &SearchResult::turns)
        .def_ro("proved", &SearchResult::proved);
    nb::class_<TreeSearch>(module, "KernelSearch")
        .def("go_on", [](TreeSearch& self, const State& state, const std::optional<std::vector<int>>& moves) {
                 nb::gil_scoped_release released;
                 self.go_on(state, moves ? &*moves : nullptr);
             },
             nb::arg("state"), nb::arg("moves").none())
        .def("think", [](TreeSearch& self, const nb::dict& limits, const std::optional<nb::callable>& should_stop) {
                 return think_unlocked<SearchResult>(self, limits_of(limits), should_stop);
             },
             nb::arg("limits"), nb::arg("should_stop").none() = nb::none())
        .def("so_far", &TreeSearch::so_far)
        .def("ponder", &TreeSearch::ponder, nb::call_guard<nb::gil_scoped_release>())
        .def("stop", &TreeSearch::stop, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("is_pondering", &TreeSearch::is_pondering);
    module.def(
        "make_search",
        [](const State& state, const nb::dict& given, const std::vector<std::tuple<int, int, int>>& avoided,
           int target) {
            if (target >= state.board().points()) throw std::invalid_argument("target: no such point");
            std::vector<Avoided> all;
            for (const auto& [colour, move, depth] : avoided) all.push_back({static_cast<Colour>(colour), move, depth});
            return make_search(state, settings_of(given), all, target);
        },
        nb::arg("state"), nb::arg("settings"), nb::arg("avoided") = std::vector<std::tuple<int, int, int>>{},
        nb::arg("target") = -1);
}

}  // namespace

SearchLimits limits_of(const nb::dict& given) {
    SearchLimits limits;
    limits.playouts = nb::cast<std::uint64_t>(given["playouts"]);
    limits.seconds = nb::cast<double>(given["seconds"]);
    limits.most_seconds = nb::cast<double>(given["most_seconds"]);
    limits.stop_early = nb::cast<bool>(given["stop_early"]);
    limits.cpu_time = nb::cast<bool>(given["cpu_time"]);
    return limits;
}

void bind_search(nb::module_& module) {
    bind_playouts(module);
    bind_trees(module);
}

}  // namespace kernel
