// Dice: what is thrown, and the lines it opens.
#include "state.hpp"

#include <algorithm>

namespace kernel {

namespace {

// A kind of dice as one number: so many times this for the dice, and their sides.
constexpr int DICE_BASE = 1000;
// So many different throws there may be.
constexpr int MAX_OUTCOMES = 100'000;

}  // namespace

// -- dice -------------------------------------------------------------------------------------------------------------

// Fills in the free player's draws: he has none.
void State::fill_free() {
    if (rules->game != Game::aleago || rules->free_player == EMPTY) return;
    while (static_cast<int>(draws.size()) < rules->slots && owner(draws.size()) == rules->free_player)
        draws.push_back(dice.outcomes());
}

// Moves the draws of Aléago on by one turn.
void State::advance() {
    if (rules->game != Game::aleago) return;
    final = is_final();
    if (!draws.empty()) draws.erase(draws.begin());
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
    if (kind.count < 1 || kind.count > 99 || kind.sides < 1) return Refusal::no_such_action;
    double outcomes = 1;
    for (int i = 0; i < kind.count; ++i) outcomes *= kind.sides;
    if (outcomes > MAX_OUTCOMES) return Refusal::no_such_action;
    if (suspended()) return Refusal::game_over;
    if (rules->thrown_outcomes(kind).empty()) return Refusal::no_such_action;
    dice = kind;
    draws.clear();
    ++casts[0];
    // The next turn's dice are thrown again only if they had fallen already.
    casts[1] = rules->slots > 1 ? casts[1] + 1 : 0;
    fill_free();
    return Refusal::none;
}

bool State::has_room(const std::vector<int>& on_lines, bool by_repetition) const {
    for (int point = 0; point < topology().points; ++point) {
        const int line = rules->lines[static_cast<std::size_t>(point)];
        if (std::find(on_lines.begin(), on_lines.end(), line) != on_lines.end() && may_place(point, by_repetition))
            return true;
    }
    return false;
}

std::optional<std::vector<int>> State::open_lines() const {
    if (draws.empty() || draws[0] == dice.outcomes()) return std::nullopt;
    const int total = dice.total(draws[0]);
    const std::vector<int> closed;
    if (rules->opens_whole_board(dice, total)) return has_room(rules->numbers) ? rules->numbers : closed;
    // With fallback_ko=false a point forbidden by repetition alone keeps the lines below shut.
    const auto drawn = rules->drawn_lines(dice, total);
    if (has_room(drawn, rules->fallback_ko)) return has_room(drawn) ? drawn : closed;
    if (!rules->has_fallback || (drawn.empty() && rules->overflow == Overflow::pass)) return closed;
    for (int line = total - 1; line > 0; --line) {
        const std::vector<int> below{line};
        if (rules->has_line(line) && has_room(below, rules->fallback_ko)) return has_room(below) ? below : closed;
    }
    return closed;
}

}  // namespace kernel
