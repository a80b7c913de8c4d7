// `KernelEncoder` in the Python module: a network's view of a state.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "encoder.hpp"
#include "ai/kernel/binding/binding.hpp"

namespace nb = nanobind;

namespace kernel {

namespace {

template <class Value, int DIMENSIONS>
using Array = nb::ndarray<Value, nb::ndim<DIMENSIONS>, nb::c_contig, nb::device::cpu>;

void encode(const Encoder& encoder, const State& state, int viewer, Array<std::uint8_t, 2> planes,
            Array<float, 1> globals) {
    if (planes.shape(0) != encoder.scales().size() || planes.shape(1) != static_cast<std::size_t>(state.board().points()))
        throw std::invalid_argument("planes: expected an array of uint8 (planes, points)");
    if (globals.shape(0) != static_cast<std::size_t>(encoder.global_count()))
        throw std::invalid_argument("globals: expected an array of float32 (globals,)");
    if (viewer != EMPTY && !state.rules->has_colour(viewer)) throw std::invalid_argument("viewer: no colour of the game");
    encoder.encode(state, static_cast<Colour>(viewer), planes.data(), globals.data());
}

}  // namespace

void bind_encoder(nb::module_& module) {
    nb::class_<Encoder>(module, "KernelEncoder")
        .def(nb::init<std::shared_ptr<const Rules>, std::vector<float>>(), nb::arg("rules"), nb::arg("flags"))
        .def_prop_ro("scales", [](const Encoder& e) { return nb::bytes(e.scales().data(), e.scales().size()); })
        .def_prop_ro("global_count", &Encoder::global_count)
        .def("encode", &encode, nb::arg("state"), nb::arg("viewer"), nb::arg("planes"), nb::arg("globals"));
}

}  // namespace kernel
