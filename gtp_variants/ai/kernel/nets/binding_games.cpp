// `KernelGame` and `KernelBatch` in the Python module: games for learners, one or many together.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "batch.hpp"
#include "ai/kernel/binding/binding.hpp"

namespace nb = nanobind;

namespace kernel {

namespace {

template <class Value, class... More> using Array = nb::ndarray<Value, nb::c_contig, nb::device::cpu, More...>;
// Planes as integers or floats.
using Planes = nb::ndarray<nb::c_contig, nb::device::cpu>;
using Flags = Array<bool>;

std::uint8_t* flags_of(const Flags& array) { return reinterpret_cast<std::uint8_t*>(array.data()); }

PlanesOut planes_of(const Planes& planes) {
    PlanesOut out;
    if (planes.dtype() == nb::dtype<float>()) out.floats = static_cast<float*>(planes.data());
    else if (planes.dtype() == nb::dtype<std::uint8_t>()) out.levels = static_cast<std::uint8_t*>(planes.data());
    else throw std::invalid_argument("planes: expected uint8 or float32");
    return out;
}

void encode(const RunningGame& game, const Encoder& encoder, const Planes& planes, const Array<float>& globals) {
    const std::size_t points = static_cast<std::size_t>(game.state().board().points());
    if (planes.ndim() != 2 || planes.shape(0) != encoder.scales().size() || planes.shape(1) != points)
        throw std::invalid_argument("planes: expected the shape (planes, points)");
    if (globals.size() != static_cast<std::size_t>(encoder.global_count()))
        throw std::invalid_argument("globals: expected the shape (globals,)");
    encode_for_mover(encoder, game.state(), planes_of(planes), globals.data());
}

BatchArrays arrays_of(const Planes& planes, const Array<float>& globals, const Flags& mask,
                      const Array<std::int8_t>& to_play, const Array<float>& rewards, const Flags& done) {
    BatchArrays arrays;
    arrays.planes = planes_of(planes);
    arrays.globals = globals.data();
    arrays.mask = flags_of(mask);
    arrays.to_play = to_play.data();
    arrays.rewards = rewards.data();
    arrays.done = flags_of(done);
    return arrays;
}

void bind_game(nb::module_& module) {
    nb::class_<RunningGame>(module, "KernelGame")
        .def("__init__",
             [](RunningGame* self, std::shared_ptr<Rules> rules, std::uint64_t seed, std::uint64_t number,
                bool throws_dice) { new (self) RunningGame(std::move(rules), seed, number, throws_dice); },
             nb::arg("rules"), nb::arg("seed"), nb::arg("number"), nb::arg("throws_dice"))
        .def_prop_ro("to_play", [](const RunningGame& game) { return game.state().to_play(); })
        .def_prop_ro("played", &RunningGame::actions)
        .def("play", [](RunningGame& game, int action) { return game.play(action) == Refusal::none; }, nb::arg("action"))
        .def("outcome", [](const RunningGame& game) { return outcome_of(game.state()); })
        .def("actions", [](const RunningGame& game) { return game.state().actions(); })
        .def("mask", [](const RunningGame& game, const Flags& out) {
                 if (static_cast<int>(out.size()) != game.state().rules->policy_size())
                     throw std::invalid_argument("mask: expected a place for each policy index");
                 game.state().mask(flags_of(out));
             }, nb::arg("out").noconvert())
        .def("encode", &encode, nb::arg("encoder"), nb::arg("planes").noconvert(), nb::arg("globals").noconvert())
        .def("copy", [](const RunningGame& game) { return RunningGame(game); });
}

void bind_batch(nb::module_& module) {
    nb::class_<Batch>(module, "KernelBatch")
        .def("__init__",
             [](Batch* self, std::shared_ptr<Rules> rules, std::shared_ptr<Encoder> encoder, std::uint64_t seed,
                int threads, bool throws_dice, const Planes& planes, const Array<float>& globals, const Flags& mask, const Array<std::int8_t>& to_play,
                const Array<float>& rewards, const Flags& done) {
                 const BatchArrays arrays = arrays_of(planes, globals, mask, to_play, rewards, done);
                 const auto games = static_cast<int>(to_play.size());
                 const nb::gil_scoped_release release;
                 new (self) Batch(std::move(rules), std::move(encoder), games, seed, threads, throws_dice, arrays);
             },
             nb::arg("rules"), nb::arg("encoder"), nb::arg("seed"), nb::arg("threads"), nb::arg("throws_dice"),
             nb::arg("planes").noconvert(), nb::arg("globals").noconvert(), nb::arg("mask").noconvert(),
             nb::arg("to_play").noconvert(), nb::arg("rewards").noconvert(), nb::arg("done").noconvert(),
             nb::keep_alive<1, 7>(), nb::keep_alive<1, 8>(), nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>(),
             nb::keep_alive<1, 11>(), nb::keep_alive<1, 12>())
        .def("reset", &Batch::reset, nb::call_guard<nb::gil_scoped_release>())
        .def("step", [](Batch& batch, const Array<const std::int32_t, nb::ndim<1>>& indices) {
                 if (static_cast<int>(indices.size()) != batch.games()) throw std::invalid_argument("one index a game");
                 const std::int32_t* first = indices.data();
                 const nb::gil_scoped_release release;
                 return batch.step(first);
             }, nb::arg("indices"))
        .def("actions", &Batch::actions, nb::arg("game"))
        .def("ended_actions", &Batch::ended_actions, nb::arg("game"));
}

}  // namespace

void bind_games(nb::module_& module) {
    bind_game(module);
    bind_batch(module);
}

}  // namespace kernel
