// Self-play in the Python module, and the encoding of its games; arrays are numpy's or bytes.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "ai/kernel/binding/binding.hpp"
#include "ai/kernel/nets/network_shape.hpp"
#include "replay.hpp"
#include "self_play.hpp"

namespace nb = nanobind;

namespace kernel {

namespace {

template <class Value, int DIMENSIONS>
using Array = nb::ndarray<Value, nb::ndim<DIMENSIONS>, nb::c_contig, nb::device::cpu>;

template <class Values> nb::bytes bytes_of(const Values& values) {
    return nb::bytes(values.data(), values.size() * sizeof(values[0]));
}

SelfPlaySettings self_play_settings_of(const nb::dict& given, const nb::dict& search, const nb::dict& deep_search) {
    SelfPlaySettings settings;
    settings.seed = nb::cast<std::uint64_t>(given["seed"]);
    settings.playouts = nb::cast<int>(given["playouts"]);
    settings.deep_share = nb::cast<double>(given["deep_share"]);
    settings.deep_playouts = nb::cast<int>(given["deep_playouts"]);
    settings.opening = nb::cast<int>(given["opening"]);
    settings.long_opening = nb::cast<int>(given["long_opening"]);
    settings.most_moves = nb::cast<int>(given["most_moves"]);
    settings.search = puct_settings_of(search);
    settings.deep_search = puct_settings_of(deep_search);
    return settings;
}

nb::dict arrays_of(const PlayedGames& games) {
    nb::dict out;
    out["actions"] = bytes_of(games.actions);
    out["lengths"] = bytes_of(games.lengths);
    out["positions"] = bytes_of(games.positions);
    out["places"] = bytes_of(games.places);
    out["policies"] = bytes_of(games.policies);
    out["values"] = bytes_of(games.values);
    out["winners"] = bytes_of(games.winners);
    out["margins"] = bytes_of(games.margins);
    out["owners"] = bytes_of(games.owners);
    return out;
}

nb::dict play(std::shared_ptr<Rules> rules, const Network& network, const NetworkBoard& board, const Encoder& encoder,
              const nb::dict& given, const nb::dict& search, const nb::dict& deep_search, std::uint64_t first, int count,
              int threads) {
    if (count < 1) throw std::invalid_argument("count: 1 or more games");
    const SelfPlaySettings settings = self_play_settings_of(given, search, deep_search);
    PlayedGames games;
    bool is_interrupted = false;
    {
        nb::gil_scoped_release unlocked;
        games = play_games(rules, network, board, encoder, settings, first, count, threads, [&is_interrupted] {
            nb::gil_scoped_acquire held;
            is_interrupted = PyErr_CheckSignals() != 0;
            return is_interrupted;
        });
    }
    if (is_interrupted) throw nb::python_error();
    return arrays_of(games);
}

void expect(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

std::size_t advance(SelfPlayBatch& batch, Array<std::uint8_t, 3> planes, Array<float, 2> globals, Array<const std::int32_t, 2> logits,
            Array<const std::int32_t, 2> board) {
    const std::size_t rows = batch.rows();
    const NetworkShape& shape = batch.shape();
    expect(planes.shape(0) == rows && planes.shape(1) == static_cast<std::size_t>(shape.planes) && planes.shape(2) == batch.points(),
           "planes: expected (rows, planes, points)");
    expect(globals.shape(0) == rows && globals.shape(1) == static_cast<std::size_t>(shape.globals), "globals: expected (rows, globals)");
    expect(logits.shape(0) == rows && logits.shape(1) == batch.points(), "logits: expected (rows, points)");
    expect(board.shape(0) == rows && board.shape(1) == static_cast<std::size_t>(shape.outputs_a_board()),
           "board: expected (rows, outputs for the board)");
    nb::gil_scoped_release unlocked;
    return batch.advance({planes.data(), globals.data(), logits.data(), board.data()});
}

void read(Replay& replay, Array<const std::int32_t, 1> actions, Array<const std::int64_t, 1> begins,
          Array<const std::int32_t, 1> places, Array<const std::int32_t, 1> symmetries, Array<const std::uint8_t, 1> before_throws,
          Array<std::uint8_t, 3> planes, Array<float, 2> globals, Array<std::uint8_t, 2> mask, Array<std::int8_t, 1> to_play,
          std::optional<Array<std::int8_t, 2>> hidden) {
    const std::size_t n = begins.shape(0);
    expect(places.shape(0) == n && symmetries.shape(0) == n && before_throws.shape(0) == n && to_play.shape(0) == n, "rows: as many of each");
    expect(planes.shape(0) == n && planes.shape(1) == replay.planes() && planes.shape(2) == replay.points(),
           "planes: expected (rows, planes, points)");
    expect(globals.shape(0) == n && globals.shape(1) == replay.globals(), "globals: expected (rows, globals)");
    expect(mask.shape(0) == n && mask.shape(1) == replay.points() + SPECIALS, "mask: expected (rows, points + 2)");
    expect(!hidden || (hidden->shape(0) == n && hidden->shape(1) == replay.points()), "hidden: expected (rows, points)");
    expect(hidden.has_value() == replay.hides_stones(), "hidden: expected where stones are hidden");
    for (std::size_t row = 0; row < n; ++row) {
        expect(begins(row) >= 0 && places(row) >= 0 &&
                   static_cast<std::size_t>(begins(row) + places(row)) <= actions.shape(0), "places: beyond the actions");
        expect(symmetries(row) >= 0 && static_cast<std::size_t>(symmetries(row)) < replay.symmetry_count(),
               "symmetries: no symmetry of this board");
    }
    std::int64_t wrong = -1;
    {
        nb::gil_scoped_release unlocked;
        wrong = replay.read({n, actions.data(), begins.data(), places.data(), symmetries.data(), before_throws.data(), planes.data(), globals.data(),
                             mask.data(), to_play.data(), hidden ? hidden->data() : nullptr});
    }
    if (wrong >= 0) throw std::invalid_argument(("row " + std::to_string(wrong) + ": an action that is not legal").c_str());
}

}  // namespace

void bind_self_play(nb::module_& module) {
    module.def("play_games", &play, nb::arg("rules"), nb::arg("network"), nb::arg("board"), nb::arg("encoder"),
               nb::arg("settings"), nb::arg("search"), nb::arg("deep_search"), nb::arg("first"), nb::arg("count"), nb::arg("threads"));
    nb::class_<SelfPlayBatch>(module, "KernelSelfPlayBatch")
        .def("__init__",
             [](SelfPlayBatch* self, std::shared_ptr<Rules> rules, const nb::dict& shape, std::shared_ptr<Encoder> encoder,
                const nb::dict& settings, const nb::dict& search, const nb::dict& deep_search, std::uint64_t first, int count,
                int rows, int threads) {
                 if (count < 1 || rows < 1) throw std::invalid_argument("count, rows: 1 or more");
                 new (self) SelfPlayBatch(std::move(rules), network_shape_of(shape), std::move(encoder),
                                          self_play_settings_of(settings, search, deep_search), first, count, rows, threads);
             },
             nb::arg("rules"), nb::arg("shape"), nb::arg("encoder"), nb::arg("settings"), nb::arg("search"),
             nb::arg("deep_search"), nb::arg("first"), nb::arg("count"), nb::arg("rows"), nb::arg("threads"))
        .def("advance", &advance, nb::arg("planes").noconvert(), nb::arg("globals").noconvert(), nb::arg("logits").noconvert(),
             nb::arg("board").noconvert())
        .def("games", [](const SelfPlayBatch& batch) { return arrays_of(batch.games()); });
    nb::class_<Replay>(module, "KernelReplay")
        .def("__init__",
             [](Replay* self, std::shared_ptr<Rules> rules, std::shared_ptr<Encoder> encoder, std::vector<std::int32_t> symmetries,
                int threads) {
                 if (symmetries.empty() || symmetries.size() % static_cast<std::size_t>(rules->topology.points))
                     throw std::invalid_argument("symmetries: a row of points each");
                 for (const std::int32_t point : symmetries)
                     if (point < 0 || point >= rules->topology.points) throw std::invalid_argument("symmetries: no such point");
                 new (self) Replay(std::move(rules), std::move(encoder), std::move(symmetries), threads);
             },
             nb::arg("rules"), nb::arg("encoder"), nb::arg("symmetries"), nb::arg("threads"))
        .def("read", &read, nb::arg("actions"), nb::arg("begins"), nb::arg("places"), nb::arg("symmetries"),
             nb::arg("before_throws"), nb::arg("planes").noconvert(), nb::arg("globals").noconvert(), nb::arg("mask").noconvert(), nb::arg("to_play").noconvert(),
             nb::arg("hidden").noconvert() = nb::none());
}

}  // namespace kernel
