// `KernelRules` in the Python module: a configured game, from the facts of the Python rules.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "binding.hpp"

namespace nb = nanobind;

namespace kernel {

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
const std::map<std::string, AtariNews> ENEMY_ATARIS{
    {"all", AtariNews::all}, {"new", AtariNews::fresh}, {"none", AtariNews::none}};
const std::map<std::string, AtariNews> OWN_ATARIS{
    {"always", AtariNews::all}, {"new_only", AtariNews::fresh}, {"none", AtariNews::none}};

// Each of the eight surrounding points is empty, black, white or off the board.
constexpr std::size_t SHAPES = 1 << 16;

// Packs one byte for each shape of eight surrounding points into one bit.
std::vector<std::uint64_t> shapes_of(const nb::bytes& marks) {
    const auto* first = static_cast<const std::uint8_t*>(marks.data());
    std::vector<std::uint64_t> bits(SHAPES / 64, 0);
    if (marks.size() != 0 && marks.size() != SHAPES) throw std::invalid_argument("shapes: one mark for each of 65536");
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
    read("counts_territory", rules.counts_territory);
    read("suicide", rules.suicide);
    read("button", rules.button);
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
    if (facts.contains("enemy_atari")) rules.enemy_atari = word(ENEMY_ATARIS, text("enemy_atari"));
    if (facts.contains("own_atari")) rules.own_atari = word(OWN_ATARIS, text("own_atari"));
    read("only_owner_sees_captures", rules.only_owner_sees_captures);
    read("refusal_is_private", rules.refusal_is_private);
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
    std::optional<std::array<int, 4>> supply;
    read("supply", supply);
    if (supply) rules.supply = *supply;
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
        rules.points_on.resize(rules.numbers.size());
        for (int point = 0; point < rules.topology.points; ++point) {
            const auto found = std::find(rules.numbers.begin(), rules.numbers.end(), rules.lines[static_cast<std::size_t>(point)]);
            if (found != rules.numbers.end()) rules.points_on[static_cast<std::size_t>(found - rules.numbers.begin())].add(point);
        }
    }
    return rules;
}

}  // namespace

void bind_rules(nb::module_& module) {
    nb::class_<Rules>(module, "KernelRules").def("__init__", [](Rules* self, const nb::dict& facts) {
        new (self) Rules(make_rules(facts));
    });
}

}  // namespace kernel
