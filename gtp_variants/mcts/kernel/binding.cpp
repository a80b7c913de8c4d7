// The kernel as the Python module `gtp_variants.mcts._kernel`; its types are in `_kernel.pyi`.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "playout.hpp"
#include "tree.hpp"

namespace nb = nanobind;
using namespace kernel;

namespace {

template <class Value> Value word(const std::map<std::string, Value>& known, const std::string& text) {
    const auto found = known.find(text);
    if (found == known.end()) throw std::invalid_argument("unknown word: " + text);
    return found->second;
}

const std::map<std::string, Game> GAMES{{"go", Game::go},           {"aleago", Game::aleago},
                                        {"phantom", Game::phantom}, {"rosette", Game::rosette},
                                        {"alter-igo", Game::alter_igo}, {"pentalath", Game::pentalath}};
const std::map<std::string, Repetition> REPETITIONS{
    {"none", Repetition::none}, {"simple", Repetition::simple}, {"psk", Repetition::psk},
    {"ssk", Repetition::ssk},   {"nssk", Repetition::nssk},     {"draw", Repetition::draw},
    {"board", Repetition::board}, {"situation", Repetition::situation}};
const std::map<std::string, Overflow> OVERFLOWS{
    {"fallback", Overflow::fallback}, {"reroll", Overflow::reroll}, {"pass", Overflow::pass}};
const std::map<std::string, NoMove> NO_MOVES{{"draw", NoMove::draw}, {"loss", NoMove::loss}, {"pass", NoMove::pass}};

// In the order of `How` and `Refusal`.
constexpr std::array HOW_WORDS{"score", "resign", "time", "forfeit", "five", "suicide", "repetition", "blocked"};
constexpr std::array REFUSAL_WORDS{"",          "game over", "not your turn", "no pass", "no swap",    "off board",
                                   "occupied", "supply",    "suicide",       "repetition", "line", "no such action"};

constexpr int MAX_THREADS = 1024;

std::vector<Colour> colours_of(const nb::bytes& text) {
    const auto* first = static_cast<const std::uint8_t*>(text.data());
    return {first, first + text.size()};
}

// One bit for each shape of eight points around, from a byte each.
std::vector<std::uint64_t> shapes_of(const nb::bytes& marks) {
    const auto* first = static_cast<const std::uint8_t*>(marks.data());
    std::vector<std::uint64_t> bits(1024, 0);
    if (marks.size() != 0 && marks.size() != 65536) throw std::invalid_argument("shapes: one mark for each of 65536");
    for (std::size_t shape = 0; shape < marks.size(); ++shape) bits[shape / 64] |= std::uint64_t{first[shape] != 0} << (shape % 64);
    return bits;
}

Rules make_rules(const nb::dict& facts) {
    Rules rules;
    const auto read = [&facts](const char* key, auto& into) {
        if (facts.contains(key)) into = nb::cast<std::decay_t<decltype(into)>>(facts[key]);
    };
    const auto text = [&facts](const char* key) { return nb::cast<std::string>(facts[key]); };
    using Table = std::vector<std::vector<int>>;
    const auto table = [&facts](const char* key) { return nb::cast<Table>(facts[key]); };
    rules.game = word(GAMES, text("game"));
    rules.topology = make_topology(table("neighbours"), table("diagonals"), nb::cast<bool>(facts["is_grid"]),
                                   table("surroundings"), nb::cast<std::vector<int>>(facts["rings"]), table("faces"),
                                   table("fives"));
    rules.shapes = shapes_of(nb::cast<nb::bytes>(facts["shapes"]));
    read("colours", rules.colours);
    if (rules.colours.size() < 2 || rules.colours.size() > 3) throw std::invalid_argument("colours: two or three");
    for (const Colour colour : rules.colours)
        if (colour < BLACK || colour > RED) throw std::invalid_argument("colours: 1 to 3");
    read("komi", rules.komi);
    if (facts.contains("repetition")) rules.repetition = word(REPETITIONS, text("repetition"));
    read("repeat_count", rules.repeat_count);
    read("dead_agreed", rules.dead_agreed);
    read("end_passes", rules.end_passes);
    read("reopens", rules.reopens);
    read("shows_refused", rules.shows_refused);
    read("tries_part_passes", rules.tries_part_passes);
    std::optional<int> most_tries;
    read("most_tries", most_tries);
    rules.most_tries = most_tries.value_or(NO_LIMIT);
    read("lines", rules.lines);
    std::pair<int, int> dice{1, 6};
    read("dice", dice);
    rules.dice = DiceKind{dice.first, dice.second};
    read("star", rules.star);
    read("star_inner", rules.star_inner);
    if (facts.contains("overflow")) rules.overflow = word(OVERFLOWS, text("overflow"));
    read("fallback_ko", rules.fallback_ko);
    read("double_whole_board", rules.double_whole_board);
    read("has_fallback", rules.has_fallback);
    read("free_player", rules.free_player);
    read("slots", rules.slots);
    read("immunity", rules.immunity);
    read("rosette_suicide", rules.rosette_suicide);
    std::optional<int> supply;
    read("supply", supply);
    rules.supply = supply.value_or(NO_LIMIT);
    read("first", rules.first);
    read("white_passes", rules.white_passes);
    if (facts.contains("no_move")) rules.no_move = word(NO_MOVES, text("no_move"));
    read("swap", rules.swap);
    if (rules.game == Game::aleago) {
        if (static_cast<int>(rules.lines.size()) != rules.topology.points)
            throw std::invalid_argument("lines: one number a point");
        for (const int line : rules.lines)
            if (line != 0 && !rules.has_line(line)) rules.numbers.push_back(line);
        std::sort(rules.numbers.begin(), rules.numbers.end());
    }
    return rules;
}

using Pair = std::pair<int, int>;

std::vector<int> marked(const std::vector<std::uint8_t>& marks) {
    std::vector<int> points;
    for (std::size_t point = 0; point < marks.size(); ++point)
        if (marks[point]) points.push_back(static_cast<int>(point));
    return points;
}

void mark(std::vector<std::uint8_t>& marks, const std::vector<int>& points) {
    std::fill(marks.begin(), marks.end(), std::uint8_t{0});
    for (const int point : points) marks.at(static_cast<std::size_t>(point)) = 1;
}

Hash hash_of(const State& state, const nb::bytes& text) {
    State other = state;
    other.stones = colours_of(text);
    if (other.stones.size() != state.stones.size()) throw std::invalid_argument("stones: one byte a point");
    for (const Colour colour : other.stones)
        if (colour > RED) throw std::invalid_argument("stones: 0 to 3");
    return other.hash();
}

void bind_state(nb::module_& module) {
    nb::class_<State>(module, "KernelState")
        .def("__init__",
             [](State* self, std::shared_ptr<Rules> rules, const nb::bytes& stones, int to_play) {
                 new (self) State(std::move(rules), colours_of(stones), to_play);
             },
             nb::arg("rules"), nb::arg("stones"), nb::arg("to_play") = WHOEVER)
        .def_prop_ro("stones", [](const State& s) { return nb::bytes(s.stones.data(), s.stones.size()); })
        .def_ro("mover", &State::mover)
        .def_prop_ro("to_play", &State::to_play)
        .def_rw("turn", &State::turn)
        .def_rw("passes", &State::passes)
        .def_prop_rw("last",
                     [](const State& s) {
                         return s.last ? std::optional(Pair(s.last->actor, s.last->action)) : std::nullopt;
                     },
                     [](State& s, std::optional<Pair> last) {
                         if (last && last->second >= s.rules->topology.points)
                             throw std::invalid_argument("last: off board");
                         s.last.reset();
                         if (last) s.last = Event{last->first, last->second};
                     },
                     nb::arg("last").none())
        .def_prop_rw("captured", [](const State& s) { return std::vector<int>(s.captured.begin(), s.captured.end()); },
                     [](State& s, const std::vector<int>& points) {
                         s.captured.clear();
                         for (const int point : points) s.captured.push_back(static_cast<Vertex>(point));
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
        .def_prop_rw("dead", [](const State& s) { return marked(s.dead); },
                     [](State& s, const std::vector<int>& points) { mark(s.dead, points); })
        .def_rw("settled", &State::settled)
        .def_prop_rw("tried", [](const State& s) { return marked(s.tried); },
                     [](State& s, const std::vector<int>& points) { mark(s.tried, points); })
        .def_prop_rw("seen", [](const State& s) { return marked(s.seen); },
                     [](State& s, const std::vector<int>& points) { mark(s.seen, points); })
        .def_rw("tries", &State::tries)
        .def_prop_rw("dice", [](const State& s) { return Pair(s.dice.count, s.dice.sides); },
                     [](State& s, Pair dice) { s.dice = DiceKind{dice.first, dice.second}; })
        .def_rw("draws", &State::draws)
        .def_rw("casts", &State::casts)
        .def_rw("final", &State::final)
        .def_rw("passes_left", &State::passes_left)
        .def_prop_ro("is_over", &State::is_over)
        .def_prop_ro("suspended", &State::suspended)
        .def_prop_ro("hash", [](const State& s) { const Hash hash = s.hash(); return std::pair(hash.low, hash.high); })
        .def_prop_ro("ko", &State::ko)
        .def_prop_ro("boards_seen", [](const State& s) { return s.history.size(); })
        .def("actions", &State::actions)
        .def("legal", &State::legal)
        .def("open_lines", &State::open_lines)
        .def("outcome",
             [](const State& s) -> std::optional<std::tuple<int, const char*, double>> {
                 const auto found = s.outcome();
                 if (!found) return std::nullopt;
                 return std::tuple(int{found->winner}, HOW_WORDS[static_cast<std::size_t>(found->how)], found->margin);
             })
        .def("area", &State::area)
        .def("occurrences", &State::occurrences)
        .def("play",
             [](State& s, int action, int actor) { return REFUSAL_WORDS[static_cast<std::size_t>(s.play(action, actor))]; },
             nb::arg("action"), nb::arg("actor") = WHOEVER)
        .def("copy", [](const State& s) { return State(s); })
        .def("forget", [](State& s) {
                 s.history.clear();
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
                    return !is_interrupted;
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

SearchLimits limits_of(const nb::dict& given) {
    SearchLimits limits;
    limits.playouts = nb::cast<std::uint64_t>(given["playouts"]);
    limits.seconds = nb::cast<double>(given["seconds"]);
    limits.most_seconds = nb::cast<double>(given["most_seconds"]);
    limits.stop_early = nb::cast<bool>(given["stop_early"]);
    limits.cpu_time = nb::cast<bool>(given["cpu_time"]);
    return limits;
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

// Without the interpreter's lock; Ctrl-C and what `ask` raises end it and are raised.
SearchResult think(TreeSearch& search, const SearchLimits& limits, const std::optional<nb::callable>& ask) {
    std::exception_ptr raised;
    SearchResult found;
    {
        nb::gil_scoped_release released;
        found = search.think(limits, [&raised, &ask] {
            nb::gil_scoped_acquire held;
            try {
                if (PyErr_CheckSignals() != 0) throw nb::python_error();
                return !ask || nb::cast<bool>((*ask)());
            } catch (...) {
                raised = std::current_exception();
                return false;
            }
        });
    }
    if (raised) std::rethrow_exception(raised);
    return found;
}

void bind_search(nb::module_& module) {
    nb::class_<SearchResult>(module, "KernelResult")
        .def_ro("action", &SearchResult::action)
        .def_ro("visits", &SearchResult::visits)
        .def_ro("shares", &SearchResult::shares)
        .def_ro("values", &SearchResult::values)
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
        .def("think", [](TreeSearch& self, const nb::dict& limits, const std::optional<nb::callable>& ask) {
                 return think(self, limits_of(limits), ask);
             },
             nb::arg("limits"), nb::arg("ask").none() = nb::none())
        .def("so_far", &TreeSearch::so_far)
        .def("ponder", &TreeSearch::ponder, nb::call_guard<nb::gil_scoped_release>())
        .def("stop", &TreeSearch::stop, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("is_pondering", &TreeSearch::is_pondering);
    module.def(
        "make_search",
        [](const State& state, const nb::dict& given, const std::vector<std::tuple<int, int, int>>& avoided) {
            std::vector<Avoided> all;
            for (const auto& [colour, move, depth] : avoided) all.push_back({static_cast<Colour>(colour), move, depth});
            return make_search(state, settings_of(given), all);
        },
        nb::arg("state"), nb::arg("settings"), nb::arg("avoided") = std::vector<std::tuple<int, int, int>>{});
}

}  // namespace

NB_MODULE(_kernel, module) {
    module.doc() = "The native kernel; see _kernel.pyi.";
    nb::class_<Rules>(module, "KernelRules").def("__init__", [](Rules* self, const nb::dict& facts) {
        new (self) Rules(make_rules(facts));
    });
    bind_state(module);
    bind_playouts(module);
    bind_search(module);
}
