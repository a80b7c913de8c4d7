// Dice: throws, and the lines they open.
#include "state.hpp"

#include <algorithm>

namespace kernel {

namespace {

// As in `rules/dice/kinds.py`: a kind of dice as one number, this times the number of dice plus their sides.
constexpr int DICE_BASE = 1000;
constexpr int MAX_DICE = 99;
// Maximum number of different throws.
constexpr int MAX_OUTCOMES = 100'000;

}  // namespace

// -- dice -------------------------------------------------------------------------------------------------------------

// Fills in the free player's draws, which have no dice.
void State::fill_free() {
    if (rules->game != Game::aleago || rules->free_player == EMPTY) return;
    while (draws.size() < rules->slots && owner(draws.size()) == rules->free_player)
        draws.push_back(dice.outcomes());
}

// Advances the draws of Aléago by one turn.
void State::advance() {
    if (rules->game != Game::aleago) return;
    final = is_final();
    draws.pop_front();
    casts = {casts[1], 0};
    if (!final) fill_free();
}

Refusal State::throw_dice(int outcome) {
    if (outcome > dice.outcomes()) return Refusal::no_such_action;
    if (outcome < dice.outcomes() && !rules->stands(dice, outcome)) return Refusal::no_such_action;
    draws.push_back(outcome);
    fill_free();
    return Refusal::none;
}

Refusal State::set_dice(int code) {
    const DiceKind kind{code / DICE_BASE, code % DICE_BASE};
    if (rules->game != Game::aleago) return Refusal::no_such_action;
    if (kind.count < 1 || kind.count > MAX_DICE || kind.sides < 1) return Refusal::no_such_action;
    double outcomes = 1;
    for (int i = 0; i < kind.count; ++i) outcomes *= kind.sides;
    if (outcomes > MAX_OUTCOMES) return Refusal::no_such_action;
    if (suspended()) return Refusal::game_over;
    if (rules->thrown_outcomes(kind).empty()) return Refusal::no_such_action;
    dice = kind;
    draws.resize(0);
    ++casts[0];
    // The next turn's dice are rethrown only if they had been thrown.
    casts[1] = rules->slots > 1 ? casts[1] + 1 : 0;
    fill_free();
    return Refusal::none;
}

PointSet State::drawn_points(int total) const {
    PointSet found;
    for (std::size_t i = 0; i < rules->numbers.size(); ++i)
        if (rules->draws_line(dice, total, rules->numbers[i])) found |= rules->points_on[i];
    return found;
}

// Returns the legal points under the draw in force.
PointSet State::open_legal_points() const {
    if (draws.size() == 0 || draws[0] == dice.outcomes()) return legal_points();
    const int total = dice.total(draws[0]);
    PointSet open;
    // Returns whether some of the points count as available, so that no lower line opens, and stores the legal ones.
    // With fallback_ko=false a point forbidden only by repetition keeps the lower lines shut.
    const auto blocks = [&](const PointSet& points) {
        open = legal_points(points, true);
        return open || (!rules->fallback_ko && has_legal(points, false));
    };
    const PointSet drawn = drawn_points(total);
    if (rules->opens_whole_board(dice, total)) {
        for (const PointSet& points : rules->points_on) open |= points;
        return legal_points(open, true);
    }
    if (blocks(drawn) || !rules->has_fallback || (!drawn && rules->overflow == Overflow::pass)) return open;
    for (std::size_t i = rules->numbers.size(); i-- > 0;)
        if (rules->numbers[i] < total && blocks(rules->points_on[i])) return open;
    return open;
}

// Returns whether the draw in force opens the line of an otherwise legal point.
bool State::is_open(int point) const {
    if (draws.size() == 0 || draws[0] == dice.outcomes()) return true;
    const int line = rules->lines[static_cast<std::size_t>(point)];
    // A legal point on a drawn line shows that the line has room, so the others need no check.
    return rules->draws_line(dice, dice.total(draws[0]), line) || open_legal_points().has(point);
}

std::optional<std::vector<int>> State::open_lines() const {
    if (draws.size() == 0 || draws[0] == dice.outcomes()) return std::nullopt;
    const PointSet points = open_legal_points();
    const int total = dice.total(draws[0]);
    if (!points) return std::vector<int>{};
    if (rules->opens_whole_board(dice, total)) return rules->numbers;
    // All of the drawn lines are open, or one lower line.
    const int line = rules->lines[static_cast<std::size_t>(points.first())];
    if (rules->draws_line(dice, total, line)) return rules->drawn_lines(dice, total);
    return std::vector<int>{line};
}

}  // namespace kernel
