// `KernelLearner` of the Python module: the weights of a network while they are trained.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

#include "learner.hpp"
#include "ai/kernel/binding/binding.hpp"
#include "ai/kernel/nets/network_shape.hpp"

namespace nb = nanobind;

namespace kernel {

namespace {

template <class Number> using Array = nb::ndarray<const Number, nb::c_contig, nb::device::cpu>;

// The numbers of an array, after its size was checked; null where there is none.
template <class Number> const Number* numbers(const nb::dict& rows, const char* name, std::size_t expected, bool is_needed) {
    if (!rows.contains(name) || rows[name].is_none()) {
        if (is_needed) throw std::invalid_argument(std::string(name) + ": missing");
        return nullptr;
    }
    const auto array = nb::cast<Array<Number>>(rows[name]);
    if (array.size() != expected)
        throw std::invalid_argument(std::string(name) + ": expected " + std::to_string(expected) + " numbers, not " +
                                    std::to_string(array.size()));
    return array.data();
}

nb::dict add_rows(Learner& learner, const NetworkShape& shape, const NetworkBoard& board, const nb::dict& given,
                  const std::vector<float>& weights) {
    if (weights.size() != 5) throw std::invalid_argument("weights: policy, value, owners, score, hidden stones");
    if (board.near.taps != shape.taps) throw std::invalid_argument("taps: not those of the network");
    const auto points = static_cast<std::size_t>(board.near.points), moves = points + SPECIALS;
    SampleRows rows;
    rows.count = nb::cast<Array<float>>(given["weight"]).size();
    const std::size_t n = rows.count;
    rows.planes = numbers<std::uint8_t>(given, "planes", n * static_cast<std::size_t>(shape.planes) * points, true);
    rows.globals = numbers<float>(given, "globals", n * static_cast<std::size_t>(shape.globals), true);
    rows.mask = numbers<std::uint8_t>(given, "mask", n * moves, true);
    rows.policy = numbers<float>(given, "policy", n * moves, true);
    rows.ends = numbers<float>(given, "ends", n * static_cast<std::size_t>(shape.colours + 1), true);
    rows.owners = numbers<std::int8_t>(given, "owners", n * points, false);
    rows.score = numbers<float>(given, "score", n, false);
    rows.hidden = numbers<std::int8_t>(given, "hidden", n * points, false);
    rows.weight = numbers<float>(given, "weight", n, true);
    Losses found;
    {
        nb::gil_scoped_release unlocked;
        found = learner.add(board, rows, LossWeights{weights[0], weights[1], weights[2], weights[3], weights[4]});
    }
    nb::dict losses;
    losses["rows"] = found.rows;
    losses["policy"] = found.policy;
    losses["value"] = found.value;
    losses["owners"] = found.owners;
    losses["score"] = found.score;
    losses["hidden_stones"] = found.hidden_stones;
    return losses;
}

}  // namespace

void bind_training(nb::module_& module) {
    nb::class_<Learner>(module, "KernelLearner")
        .def("__init__",
             [](Learner* self, const nb::dict& shape, const std::vector<int>& scales, std::uint64_t seed, int threads) {
                 new (self) Learner(network_shape_of(shape), scales, seed, threads);
             },
             nb::arg("shape"), nb::arg("scales"), nb::arg("seed"), nb::arg("threads") = 1)
        .def("add",
             [](Learner& learner, const NetworkBoard& board, const nb::dict& rows, const std::vector<float>& weights) {
                 return add_rows(learner, learner.shape(), board, rows, weights);
             },
             nb::arg("board"), nb::arg("rows"), nb::arg("weights"))
        .def("step", &Learner::step, nb::arg("rate"), nb::arg("decay"), nb::arg("average"),
             nb::call_guard<nb::gil_scoped_release>())
        .def("tensors",
             [](const Learner& learner) {
                 nb::dict found;
                 for (const auto& [name, bytes] : learner.tensors()) found[name.c_str()] = nb::bytes(bytes.data(), bytes.size());
                 return found;
             })
        .def("begin_from",
             [](Learner& learner, const std::map<std::string, nb::bytes>& tensors) {
                 Network::Bytes bytes;
                 for (const auto& [name, raw] : tensors) bytes.emplace(name, std::string(raw.c_str(), raw.size()));
                 learner.begin_from(bytes);
             })
        .def("gradients",
             [](const Learner& learner) {
                 std::map<std::string, std::vector<float>> found;
                 for (auto& [name, values] : learner.gradients()) found.emplace(name, std::move(values));
                 return found;
             })
        .def("state", [](const Learner& learner) {
                 const auto state = learner.state();
                 return nb::bytes(reinterpret_cast<const char*>(state.data()), state.size() * sizeof(float));
             })
        .def("restore", [](Learner& learner, const nb::bytes& raw) {
            std::vector<float> state(raw.size() / sizeof(float));
            std::memcpy(state.data(), raw.c_str(), state.size() * sizeof(float));
            learner.restore(state);
        });
}

}  // namespace kernel
