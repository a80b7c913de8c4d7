// Search with an evaluator in Python; leaves are written into numpy's arrays without the interpreter's lock.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "binding.hpp"
#include "ai/kernel/puct/network_search.hpp"
#include "ai/kernel/puct/puct.hpp"
#include "ai/kernel/puct/search_steps.hpp"
#include "ai/kernel/nets/encoder.hpp"
#include "ai/kernel/nets/network_evaluator.hpp"
#include "ai/kernel/nets/playout_evaluator.hpp"

namespace nb = nanobind;

namespace kernel {

namespace {

using AvoidedTuples = std::vector<std::tuple<int, int, int>>;

template <class Value, int DIMENSIONS>
using Array = nb::ndarray<Value, nb::ndim<DIMENSIONS>, nb::c_contig, nb::device::cpu>;

void expect(const char* name, std::size_t found, std::size_t wanted) {
    if (found != wanted)
        throw std::invalid_argument(std::string(name) + ": " + std::to_string(found) + " a row, expected " + std::to_string(wanted));
}

// Rows of arrays that an evaluator in Python reads.
class ArrayWriter final : public LeafWriter {
  public:
    ArrayWriter(const Encoder& encoder, const PuctTree& tree, std::size_t points, const Array<float, 3>& planes,
                const Array<float, 2>& globals, const Array<bool, 2>& mask, const Array<std::int8_t, 1>& to_play)
        : encoder_(encoder), points_(points), actions_(tree.actions()), planes_(planes.data()), globals_(globals.data()),
          mask_(mask.data()), to_play_(to_play.data()), levels_(encoder.scales().size() * points) {
        expect("planes", planes.shape(1) * planes.shape(2), levels_.size());
        expect("globals", globals.shape(1), static_cast<std::size_t>(encoder.global_count()));
        expect("mask", mask.shape(1), actions_);
        rows_ = std::min({planes.shape(0), globals.shape(0), mask.shape(0), to_play.shape(0)});
    }

    std::size_t rows() const { return rows_; }

    void write(int row, const State& state, const std::uint8_t* mask) override {
        const auto at = static_cast<std::size_t>(row);
        const auto globals = static_cast<std::size_t>(encoder_.global_count());
        // With hidden stones the possible tries are not the legal moves, so the encoder works out the latter.
        encoder_.encode(state, EMPTY, levels_.data(), globals_ + at * globals, state.rules->game == Game::phantom ? nullptr : mask);
        float* out = planes_ + at * levels_.size();
        const std::uint8_t* level = levels_.data();
        for (const std::uint8_t scale : encoder_.scales())
            for (std::size_t point = 0; point < points_; ++point) *out++ = static_cast<float>(*level++) / static_cast<float>(scale);
        for (std::size_t index = 0; index < actions_; ++index) mask_[at * actions_ + index] = mask[index] != 0;
        to_play_[at] = static_cast<std::int8_t>(state.mover);
    }

  private:
    const Encoder& encoder_;
    std::size_t points_, actions_, rows_ = 0;
    float* planes_;
    float* globals_;
    bool* mask_;
    std::int8_t* to_play_;
    std::vector<std::uint8_t> levels_;
};

// An evaluator that finds all positions and moves equal, to measure the cost of the tree alone.
class EvenEvaluator final : public Evaluator {
  public:
    EvenEvaluator(const PuctTree& tree, int batch) : actions_(tree.actions()), colours_(tree.colours()), batch_(batch) {}

    int batch() const override { return batch_; }
    void write(int, const State&, const std::uint8_t*) override {}
    void evaluate(int rows, float* priors, float* values) override {
        std::fill_n(priors, static_cast<std::size_t>(rows) * actions_, 1.0f);
        std::fill_n(values, static_cast<std::size_t>(rows) * colours_, 1.0f / static_cast<float>(colours_));
    }

  private:
    std::size_t actions_, colours_;
    int batch_;
};

int collect(PuctTree& tree, int most, std::uint64_t playouts, const Encoder& encoder, Array<float, 3> planes,
            Array<float, 2> globals, Array<bool, 2> mask, Array<std::int8_t, 1> to_play, int first) {
    ArrayWriter writer(encoder, tree, planes.shape(2), planes, globals, mask, to_play);
    if (most < 0 || first < 0 || static_cast<std::size_t>(first) + static_cast<std::size_t>(most) > writer.rows())
        throw std::invalid_argument("collect: expected rows for all leaves");
    nb::gil_scoped_release released;
    return tree.collect(most, playouts, first, writer);
}

void update(PuctTree& tree, Array<const float, 2> priors, Array<const float, 2> values, int first) {
    expect("priors", priors.shape(1), tree.actions());
    expect("values", values.shape(1), tree.colours());
    const std::size_t rows = tree.waiting() + static_cast<std::size_t>(first);
    if (first < 0 || rows > priors.shape(0) || rows > values.shape(0))
        throw std::invalid_argument("update: expected a row for each leaf");
    nb::gil_scoped_release released;
    tree.update(priors.data() + static_cast<std::size_t>(first) * tree.actions(),
                values.data() + static_cast<std::size_t>(first) * tree.colours());
}

std::vector<Avoided> avoided_of(const AvoidedTuples& given) {
    std::vector<Avoided> all;
    for (const auto& [colour, move, depth] : given) all.push_back({static_cast<Colour>(colour), move, depth});
    return all;
}

void bind_network_search(nb::module_& module) {
    nb::class_<NetworkSearch>(module, "KernelNetworkSearch")
        .def("__init__",
             [](NetworkSearch* self, const State& state, const nb::dict& given, const AvoidedTuples& avoided,
                const Network& network, const NetworkBoard& board, const Encoder& encoder) {
                 const PuctSettings settings = puct_settings_of(given);
                 std::uint64_t seed = settings.seed;
                 new (self) NetworkSearch(state, settings, avoided_of(avoided), [&]() -> std::unique_ptr<Evaluator> {
                     auto judge = std::make_unique<NetworkEvaluator>(network, encoder, board, *state.rules);
                     if (settings.playout_weight <= 0) return judge;
                     return std::make_unique<PlayoutEvaluator>(std::move(judge), state, settings.playout_weight, seed++);
                 });
             },
             nb::arg("state"), nb::arg("settings"), nb::arg("avoided"), nb::arg("network"), nb::arg("board"),
             nb::arg("encoder"), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>())
        .def("go_on", [](NetworkSearch& self, const State& state, const std::optional<std::vector<int>>& moves) {
                 nb::gil_scoped_release released;
                 self.go_on(state, moves ? &*moves : nullptr);
             },
             nb::arg("state"), nb::arg("moves").none())
        .def("think", [](NetworkSearch& self, const nb::dict& limits, const std::optional<nb::callable>& should_stop) {
                 return think_unlocked<PuctResult>(self, limits_of(limits), should_stop);
             },
             nb::arg("limits"), nb::arg("should_stop").none() = nb::none())
        .def("so_far", &NetworkSearch::so_far)
        .def("ponder", &NetworkSearch::ponder, nb::call_guard<nb::gil_scoped_release>())
        .def("stop", &NetworkSearch::stop, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("is_pondering", &NetworkSearch::is_pondering);
}

}  // namespace

PuctSettings puct_settings_of(const nb::dict& given) {
    PuctSettings settings;
    settings.seed = nb::cast<std::uint64_t>(given["seed"]);
    settings.virtual_loss = nb::cast<double>(given["virtual_loss"]);
    settings.exploration = nb::cast<double>(given["exploration"]);
    settings.fpu_reduction = nb::cast<double>(given["fpu_reduction"]);
    settings.noise = nb::cast<double>(given["noise"]);
    settings.noise_total = nb::cast<double>(given["noise_total"]);
    settings.wide_root_noise = nb::cast<double>(given["wide_root_noise"]);
    settings.temperature = nb::cast<double>(given["temperature"]);
    settings.lcb_weight = nb::cast<double>(given["lcb_weight"]);
    settings.gumbel = nb::cast<int>(given["gumbel"]);
    settings.gumbel_noise = nb::cast<bool>(given["gumbel_noise"]);
    settings.value_scale = nb::cast<double>(given["value_scale"]);
    settings.visit_offset = nb::cast<int>(given["visit_offset"]);
    settings.memory_mb = nb::cast<double>(given["memory_mb"]);
    settings.threads = nb::cast<int>(given["threads"]);
    settings.exploration_growth = nb::cast<double>(given["exploration_growth"]);
    settings.tactics = nb::cast<bool>(given["tactics"]);
    settings.proofs = nb::cast<bool>(given["proofs"]);
    settings.score_weight = nb::cast<double>(given["score_weight"]);
    settings.draw_value = nb::cast<double>(given["draw_value"]);
    settings.playout_weight = nb::cast<double>(given["playout_weight"]);
    settings.playout_equivalence = nb::cast<double>(given["playout_equivalence"]);
    settings.chance_values = nb::cast<bool>(given["chance_values"]);
    return settings;
}

void bind_puct(nb::module_& module) {
    nb::class_<OwnerSums>(module, "KernelOwnerSums")
        .def_ro("count", &OwnerSums::count)
        .def_ro("sums", &OwnerSums::sums)
        .def_ro("squares", &OwnerSums::squares)
        .def("__getstate__", [](const OwnerSums& self) { return std::make_tuple(self.count, self.sums, self.squares); })
        .def("__setstate__", [](OwnerSums* self, const std::tuple<std::uint64_t, std::vector<double>, std::vector<double>>& given) {
            new (self) OwnerSums{std::get<0>(given), std::get<1>(given), std::get<2>(given)};
        });
    nb::class_<PuctResult>(module, "KernelPuctResult")
        .def_ro("action", &PuctResult::action)
        .def_ro("visits", &PuctResult::visits)
        .def_ro("values", &PuctResult::values)
        .def_ro("principal_variation", &PuctResult::principal_variation)
        .def_ro("playouts", &PuctResult::playouts)
        .def_ro("turns", &PuctResult::turns)
        .def_ro("shares", &PuctResult::shares)
        .def_ro("utility", &PuctResult::utility)
        .def_ro("utilities", &PuctResult::utilities)
        .def_ro("priors", &PuctResult::priors)
        .def_ro("lines", &PuctResult::lines)
        .def_ro("policy", &PuctResult::policy)
        .def_ro("line_visits", &PuctResult::line_visits)
        .def_ro("proved", &PuctResult::proved)
        .def_ro("score", &PuctResult::score)
        .def_ro("score_stdev", &PuctResult::score_stdev)
        .def_ro("scores", &PuctResult::scores)
        .def_prop_ro("ownership",
                     [](const PuctResult& self) { return self.owners.empty() ? std::vector<double>() : self.owners[0].second->means(); })
        .def_ro("owners", &PuctResult::owners);
    bind_network_search(module);
    nb::class_<PuctTree>(module, "KernelPuct")
        .def("__init__",
             [](PuctTree* self, const State& state, const nb::dict& given, const AvoidedTuples& avoided) {
                 PuctSettings settings = puct_settings_of(given);
                 // Evaluators in Python need not know positions before a throw.
                 settings.chance_values = false;
                 new (self) PuctTree(state, settings, avoided_of(avoided));
             },
             nb::arg("state"), nb::arg("settings"), nb::arg("avoided"))
        .def("go_on", [](PuctTree& self, const State& state, const std::optional<std::vector<int>>& moves) {
                 nb::gil_scoped_release released;
                 self.go_on(state, moves ? &*moves : nullptr);
             },
             nb::arg("state"), nb::arg("moves").none())
        .def("begin", &PuctTree::begin)
        .def("collect", &collect, nb::arg("most"), nb::arg("playouts"), nb::arg("encoder"), nb::arg("planes"),
             nb::arg("globals"), nb::arg("mask"), nb::arg("to_play"), nb::arg("first"))
        .def("update", &update, nb::arg("priors"), nb::arg("values"), nb::arg("first"))
        .def("discard", nb::overload_cast<>(&PuctTree::discard))
        .def("search_evenly", [](PuctTree& self, int batch, std::uint64_t playouts) {
                 EvenEvaluator even(self, batch);
                 nb::gil_scoped_release released;
                 run_search(self, even, playouts);
             },
             nb::arg("batch"), nb::arg("playouts"))
        .def("search_network",
             [](PuctTree& self, const Network& network, const NetworkBoard& board, const Encoder& encoder, std::uint64_t playouts) {
                 NetworkEvaluator evaluator(network, encoder, board, self.rules());
                 nb::gil_scoped_release released;
                 run_search(self, evaluator, playouts);
             },
             nb::arg("network"), nb::arg("board"), nb::arg("encoder"), nb::arg("playouts"))
        .def("result", &PuctTree::result)
        .def_prop_ro("playouts", &PuctTree::playouts)
        .def_prop_ro("is_decided", [](const PuctTree& self) { return self.is_decided() || self.is_proved(); })
        .def_prop_ro("is_proved", &PuctTree::is_proved)
        .def("prune", &PuctTree::prune, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("is_full", &PuctTree::is_full);
}

}  // namespace kernel
