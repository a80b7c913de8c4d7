// `KernelState` in the Python module: a position and its legal actions.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "binding.hpp"
#include "ai/kernel/rules/state.hpp"

namespace nb = nanobind;

namespace kernel {

namespace {

// In the order of `How` and `Refusal`.
constexpr std::array HOW_WORDS{"score", "resign", "time", "forfeit", "five", "suicide", "repetition", "blocked"};
constexpr std::array REFUSAL_WORDS{"",          "game over", "not your turn", "no pass", "no swap",    "off board",
                                   "occupied", "supply",    "suicide",       "repetition", "line", "no such action"};

using Pair = std::pair<int, int>;

std::vector<int> list_points(const PointSet& set) {
    std::vector<int> points;
    set.each([&points](int point) { points.push_back(point); });
    return points;
}

void set_points(PointSet& set, const std::vector<int>& points) {
    set = PointSet{};
    for (const int point : points) {
        if (point < 0 || point >= MAX_POINTS) throw std::invalid_argument("points: not of this board");
        set.add(point);
    }
}

template <PointSet State::*SET, class Bound> void bind_points(Bound& bound, const char* name) {
    bound.def_prop_rw(name, [](const State& s) { return list_points(s.*SET); },
                      [](State& s, const std::vector<int>& points) { set_points(s.*SET, points); });
}

Hash hash_of(const State& state, const nb::bytes& text) {
    const std::vector<Colour> stones = colours_of(text);
    if (static_cast<int>(stones.size()) != state.board().points()) throw std::invalid_argument("stones: one byte a point");
    Hash hash;
    for (std::size_t point = 0; point < stones.size(); ++point) {
        if (stones[point] > RED) throw std::invalid_argument("stones: 0 to 3");
        if (stones[point]) hash ^= ZOBRIST.stone(static_cast<int>(point), stones[point]);
    }
    return hash;
}

nb::bytes stones_of(const State& state) {
    std::vector<Colour> stones(static_cast<std::size_t>(state.board().points()));
    for (std::size_t point = 0; point < stones.size(); ++point) stones[point] = state.at(static_cast<int>(point));
    return nb::bytes(stones.data(), stones.size());
}

nb::class_<State> bind_fields(nb::module_& module) {
    nb::class_<State> bound(module, "KernelState");
    bound
        .def("__init__",
             [](State* self, std::shared_ptr<Rules> rules, const nb::bytes& stones, int to_play) {
                 new (self) State(std::move(rules), colours_of(stones), to_play);
             },
             nb::arg("rules"), nb::arg("stones"), nb::arg("to_play") = WHOEVER)
        .def_prop_ro("stones", &stones_of)
        .def_ro("mover", &State::mover)
        .def_prop_ro("to_play", &State::to_play)
        .def_rw("turn", &State::turn)
        .def_rw("passes", &State::passes)
        .def_rw("komi", &State::komi)
        .def_rw("button", &State::button)
        .def_prop_ro("effective_komi", &State::effective_komi)
        .def_prop_rw("last",
                     [](const State& s) {
                         return s.last ? std::optional(Pair(s.last->actor, s.last->action)) : std::nullopt;
                     },
                     [](State& s, std::optional<Pair> last) {
                         if (last && last->second >= s.rules->topology.points)
                             throw std::invalid_argument("last: off board");
                         s.set_last(last ? std::optional(Event{last->first, last->second}) : std::nullopt);
                     },
                     nb::arg("last").none())
        .def_prop_rw("earlier", [](const State& s) { return std::vector<int>(s.earlier.begin(), s.earlier.end()); },
                     [](State& s, const std::vector<int>& earlier) {
                         if (earlier.size() > EarlierActions::MOST) throw std::invalid_argument("earlier: too many actions");
                         s.earlier = {};
                         for (auto action = earlier.rbegin(); action != earlier.rend(); ++action) {
                             if (*action >= s.rules->topology.points) throw std::invalid_argument("earlier: off board");
                             s.earlier.push_front(*action);
                         }
                     })
        .def_rw("taken", &State::taken)
        .def_prop_rw("out",
                     [](const State& s) {
                         std::vector<Pair> out;
                         for (const Event& event : s.out) out.emplace_back(event.actor, event.action);
                         return out;
                     },
                     [](State& s, const std::vector<Pair>& out) {
                         s.out.clear();
                         for (const auto& [actor, action] : out) s.out.push_back(Event{actor, action});
                     })
        .def_rw("settled", &State::settled)
        .def_rw("tries", &State::tries)
        .def_prop_rw("dice", [](const State& s) { return Pair(s.dice.count, s.dice.sides); },
                     [](State& s, Pair dice) { s.dice = DiceKind{dice.first, dice.second}; })
        .def_prop_rw("draws", [](const State& s) { return std::vector<int>(s.draws.begin(), s.draws.end()); },
                     [](State& s, const std::vector<int>& draws) {
                         s.draws.resize(0);
                         for (const int draw : draws) s.draws.push_back(draw);
                     })
        .def_rw("casts", &State::casts)
        .def_rw("final", &State::final)
        .def_rw("passes_left", &State::passes_left);
    bind_points<&State::captured>(bound, "captured");
    bind_points<&State::dead>(bound, "dead");
    bind_points<&State::tried>(bound, "tried");
    bind_points<&State::seen>(bound, "seen");
    return bound;
}

}  // namespace

std::optional<std::tuple<int, const char*, double>> outcome_of(const State& state) {
    const auto found = state.outcome();
    if (!found) return std::nullopt;
    return std::tuple(int{found->winner}, HOW_WORDS[static_cast<std::size_t>(found->how)], found->margin);
}

void bind_state(nb::module_& module) {
    bind_fields(module)
        .def_prop_ro("is_over", &State::is_over)
        .def_prop_ro("suspended", &State::suspended)
        .def_prop_ro("hash", [](const State& s) { const Hash hash = s.hash(); return std::pair(hash.low, hash.high); })
        .def_prop_ro("ko", &State::ko)
        .def_prop_ro("boards_seen", [](const State& s) { return s.history().size(); })
        .def("mask", [](const State& s) {
                 std::vector<std::uint8_t> mask(static_cast<std::size_t>(s.rules->policy_size()));
                 s.mask(mask.data());
                 return nb::bytes(mask.data(), mask.size());
             })
        .def("actions", &State::actions)
        .def("legal", &State::legal)
        .def("open_lines", &State::open_lines)
        .def("outcome", &outcome_of)
        .def("area", &State::area)
        .def("occurrences", &State::occurrences)
        .def("play",
             [](State& s, int action, int actor) { return REFUSAL_WORDS[static_cast<std::size_t>(s.play(action, actor))]; },
             nb::arg("action"), nb::arg("actor") = WHOEVER)
        .def("copy", [](const State& s) { return State(s); })
        .def("forget", [](State& s) {
                 s.forget();
                 s.ended.reset();
             })
        .def("remember", [](State& s, const nb::bytes& key, int count) { s.remember(colours_of(key), count); })
        .def("end",
             [](State& s, int winner, const std::string& how) {
                 for (std::size_t i = 0; i < HOW_WORDS.size(); ++i)
                     if (how == HOW_WORDS[i]) s.ended = Outcome{static_cast<Colour>(winner), static_cast<How>(i), 0};
             })
        .def("set_before", [](State& s, const nb::bytes& stones) { s.before = hash_of(s, stones); });
}

}  // namespace kernel
