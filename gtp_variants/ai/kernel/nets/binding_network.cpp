// `KernelNetwork` in the Python module: a network built from the tensors of a weight file.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "ai/kernel/binding/binding.hpp"
#include "network.hpp"
#include "network_shape.hpp"

namespace nb = nanobind;

namespace kernel {

namespace {

InstructionSet instruction_set_of(const std::string& name) {
    for (std::size_t i = 0; i < std::size(INSTRUCTION_SET_NAMES); ++i)
        if (name == INSTRUCTION_SET_NAMES[i]) return static_cast<InstructionSet>(i);
    throw std::invalid_argument("unknown instruction set: " + name);
}

std::vector<std::string> available_sets() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::size(INSTRUCTION_SET_NAMES); ++i)
        if (is_available(static_cast<InstructionSet>(i))) names.emplace_back(INSTRUCTION_SET_NAMES[i]);
    return names;
}

nb::dict evaluate(const Network& network, const NetworkBoard& board, const nb::bytes& planes,
                  const std::vector<float>& globals, int times, std::size_t symmetry) {
    const NetworkShape& shape = network.shape();
    if (planes.size() != static_cast<std::size_t>(shape.planes * board.near.points))
        throw std::invalid_argument("planes: one byte for each plane and point");
    if (globals.size() != static_cast<std::size_t>(shape.globals)) throw std::invalid_argument("globals: one number each");
    if (board.near.taps != shape.taps) throw std::invalid_argument("taps: not those of the network");
    if (symmetry >= board.symmetries()) throw std::invalid_argument("symmetry: the board was given fewer");
    Evaluation found;
    Network::Workspace work;
    {
        nb::gil_scoped_release unlocked;
        for (int i = 0; i < times; ++i)
            network.evaluate(board.under(symmetry), reinterpret_cast<const std::uint8_t*>(planes.c_str()), globals.data(), work, found);
    }
    nb::dict out;
    out["logits"] = found.logits;
    out["values"] = std::vector<float>(found.values.begin(), found.values.begin() + shape.colours);
    out["draw"] = found.draw;
    out["score"] = found.score;
    out["score_spread"] = found.score_spread;
    out["owners"] = found.owners;
    out["hidden_stones"] = found.hidden_stones;
    return out;
}

std::vector<float> priors_of(const std::vector<std::int32_t>& logits, const nb::bytes& mask) {
    if (mask.size() != logits.size()) throw std::invalid_argument("mask: one byte a logit");
    std::vector<float> priors(logits.size());
    softmax(logits.data(), reinterpret_cast<const std::uint8_t*>(mask.c_str()), logits.size(), priors.data());
    return priors;
}

}  // namespace

void bind_network(nb::module_& module) {
    nb::class_<NetworkBoard>(module, "KernelNetworkBoard")
        .def(nb::init<int, int, const std::vector<std::int32_t>&, const std::vector<std::vector<int>>&>(), nb::arg("points"),
             nb::arg("taps"), nb::arg("table"), nb::arg("maps") = std::vector<std::vector<int>>())
        .def_prop_ro("symmetries", &NetworkBoard::symmetries);
    nb::class_<Network>(module, "KernelNetwork")
        .def("__init__",
             [](Network* self, const nb::dict& shape, const std::vector<int>& scales,
                const std::map<std::string, nb::bytes>& tensors, const std::string& set) {
                 Network::Bytes bytes;
                 for (const auto& [name, raw] : tensors) bytes.emplace(name, std::string(raw.c_str(), raw.size()));
                 new (self) Network(network_shape_of(shape), scales, bytes,
                                    set.empty() ? best_instruction_set() : instruction_set_of(set));
             },
             nb::arg("shape"), nb::arg("scales"), nb::arg("tensors"), nb::arg("instruction_set") = "")
        .def_prop_ro("instruction_set",
                     [](const Network& network) {
                         return std::string(INSTRUCTION_SET_NAMES[static_cast<std::size_t>(network.instruction_set())]);
                     })
        .def("evaluate", &evaluate, nb::arg("board"), nb::arg("planes"), nb::arg("globals"), nb::arg("times") = 1,
             nb::arg("symmetry") = 0);
    module.def("instruction_sets", &available_sets);
    module.def("softmax", &priors_of, nb::arg("logits"), nb::arg("mask"));
}

}  // namespace kernel
