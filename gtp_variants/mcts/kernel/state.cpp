// A position: whose turn it is, what is alive, what repeats, and what may be done.
#include "state.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "seen_points.hpp"

namespace kernel {

namespace {

constexpr int KINDS = 16;

}  // namespace

State::State(std::shared_ptr<const Rules> given, Stones laid_out, int to_play)
    : rules(std::move(given)), stones(std::move(laid_out)), dice(rules->dice), passes_left(rules->white_passes) {
    if (static_cast<int>(stones.size()) != topology().points) throw std::invalid_argument("stones: one byte a point");
    for (const Colour colour : stones)
        if (colour > RED) throw std::invalid_argument("stones: 0 to 3");
    if (to_play != WHOEVER && !rules->has_colour(to_play)) throw std::invalid_argument("to_play: no colour of the game");
    const Colour first = rules->game == Game::alter_igo ? rules->first : rules->colours[0];
    mover = to_play == WHOEVER ? first : static_cast<Colour>(to_play);
    dead.assign(stones.size(), 0);
    tried.assign(stones.size(), 0);
    seen.assign(stones.size(), 0);
    before = hash();
    begin();
    fill_free();
}

// Remembers the board for whoever is to begin.
void State::begin() {
    history.clear();
    see(rules->is_go_family() ? rules->other(mover) : mover, false);
    if (rules->game == Game::pentalath) judge();
}

// -- who and whether --------------------------------------------------------------------------------------------------

int State::to_play() const {
    const bool thrown = rules->game != Game::aleago || static_cast<int>(draws.size()) >= rules->slots || final;
    return thrown ? mover : CHANCE;
}

bool State::is_over() const {
    if (rules->is_go_family()) return passes >= rules->end_passes || settled || !out.empty() || is_closed();
    return ended || out.size() + 1 >= rules->colours.size();
}

bool State::suspended() const {
    return rules->is_go_family() && rules->reopens && passes == rules->end_passes && !settled && out.empty() &&
           !is_closed();
}

// Go family: whether the game is over, apart from passes.
bool State::is_closed() const { return ended || tries >= rules->most_tries; }

bool State::is_out(int actor) const {
    return std::any_of(out.begin(), out.end(), [actor](const Event& event) { return event.actor == actor; });
}

Colour State::after(Colour colour) const {
    const auto& order = rules->colours;
    const auto index = static_cast<std::size_t>(std::find(order.begin(), order.end(), colour) - order.begin());
    for (std::size_t step = 1; step <= order.size(); ++step) {
        const Colour following = order[(index + step) % order.size()];
        if (!is_out(following)) return following;
    }
    return colour;
}

std::optional<Outcome> State::outcome() const {
    if (ended) return ended;
    if (!out.empty() && out.size() + 1 >= rules->colours.size()) {
        const auto stays = [this](Colour colour) { return !is_out(colour); };
        const Colour winner = *std::find_if(rules->colours.begin(), rules->colours.end(), stays);
        const int action = out.back().action;
        return Outcome{winner, action == RESIGN ? How::resign : action == FLAG ? How::time : How::forfeit, 0};
    }
    if (rules->is_go_family() && is_over()) return standing();
    return std::nullopt;
}

Outcome State::standing() const {
    const auto owned = area();
    const double margin = std::round((owned[BLACK] - owned[WHITE] - rules->komi) * 1e6) / 1e6;
    if (margin == 0) return Outcome{EMPTY, How::score, 0};
    return Outcome{margin > 0 ? BLACK : WHITE, How::score, std::abs(margin)};
}

std::vector<int> State::area() const {
    std::vector<int> owned(4, 0);
    const auto colour_at = [this](int point) {
        const auto p = static_cast<std::size_t>(point);
        return dead[p] ? EMPTY : stones[p];
    };
    marks.clear();
    Points region;
    for (int start = 0; start < topology().points; ++start) {
        if (const Colour colour = colour_at(start)) {
            ++owned[colour];
            continue;
        }
        if (!marks.add(start)) continue;
        region.assign(1, static_cast<Vertex>(start));
        int border = 0;
        for (std::size_t i = 0; i < region.size(); ++i) {
            const Vertex* near = topology().near_of(region[i]);
            for (int k = 0; k < topology().degree && near[k] != topology().points; ++k) {
                if (const Colour colour = colour_at(near[k])) border |= 1 << colour;
                else if (marks.add(near[k])) region.push_back(near[k]);
            }
        }
        for (const Colour colour : {BLACK, WHITE, RED})
            if (border == 1 << colour) owned[colour] += static_cast<int>(region.size());
    }
    return owned;
}

// -- chains -----------------------------------------------------------------------------------------------------------

// Fills `members` with the chain on `start`; false as soon as it has a liberty.
bool State::breathless(const Stones& on, int start, Points& members) const {
    const Colour colour = on[static_cast<std::size_t>(start)];
    members.assign(1, static_cast<Vertex>(start));
    marks.clear();
    marks.add(start);
    for (std::size_t i = 0; i < members.size(); ++i) {
        const Vertex* near = topology().near_of(members[i]);
        for (int k = 0; k < topology().degree && near[k] != topology().points; ++k) {
            if (on[near[k]] == EMPTY) return false;
            if (on[near[k]] == colour && marks.add(near[k])) members.push_back(near[k]);
        }
    }
    return true;
}

bool State::has_rosette(const Points& members) const {
    if (!rules->immunity) return false;
    const auto holds = [&members](Vertex point) {
        return std::find(members.begin(), members.end(), point) != members.end();
    };
    for (const Vertex member : members)
        for (const Vertex number : topology().faces_at[member]) {
            const auto& face = topology().faces[number];
            if (std::all_of(face.begin(), face.end(), holds)) return true;
        }
    return false;
}

// What happens when the mover puts a stone on an empty point: enemy chains go together, then the own must breathe.
Placement State::place(int point) const {
    Placement placed;
    const Vertex* near = topology().near_of(point);
    bool has_liberty = false;
    bool has_enemy = false;
    for (int k = 0; k < topology().degree && near[k] != topology().points; ++k) {
        const Colour there = stones[near[k]];
        has_liberty = has_liberty || there == EMPTY;
        has_enemy = has_enemy || (there != EMPTY && there != mover);
    }
    if (has_liberty && !has_enemy) {
        placed.is_legal = true;
        return placed;
    }
    Stones on = stones;
    on[static_cast<std::size_t>(point)] = mover;
    Points members;
    for (int k = 0; k < topology().degree && near[k] != topology().points; ++k) {
        const Colour there = on[near[k]];
        if (there == EMPTY || there == mover) continue;
        const auto& gone = placed.captured;
        if (std::find(gone.begin(), gone.end(), near[k]) != gone.end()) continue;
        if (breathless(on, near[k], members) && !has_rosette(members))
            placed.captured.insert(placed.captured.end(), members.begin(), members.end());
    }
    std::sort(placed.captured.begin(), placed.captured.end());
    placed.is_legal = has_liberty || !placed.captured.empty() || !breathless(on, point, members) ||
                      (rules->rosette_suicide && has_rosette(members));
    return placed;
}

bool State::has_supply() const {
    const int most = rules->supply[mover];
    return most >= NO_LIMIT || std::count(stones.begin(), stones.end(), mover) < most;
}

bool State::may_place(int point, bool by_repetition) const {
    if (stones[static_cast<std::size_t>(point)] != EMPTY || !has_supply()) return false;
    const Placement placed = place(point);
    if (!placed.is_legal) return false;
    return !by_repetition || !rules->is_go_family() || !is_repeated(after_placing(point, placed.captured));
}

Points State::legal_points() const {
    Points found;
    for (int point = 0; point < topology().points; ++point)
        if (may_place(point)) found.push_back(static_cast<Vertex>(point));
    return found;
}

// -- repetition -------------------------------------------------------------------------------------------------------

Hash State::hash() const {
    Hash board;
    for (int point = 0; point < topology().points; ++point)
        if (const Colour colour = stones[static_cast<std::size_t>(point)]) board ^= ZOBRIST.stone(point, colour);
    return board;
}

Hash State::after_placing(int point, const Points& gone) const {
    Hash board = hash() ^ ZOBRIST.stone(point, mover);
    for (const Vertex member : gone) board ^= ZOBRIST.stone(member, stones[member]);
    return board;
}

// The key under which a board is remembered; `maker` left it to the other side (Go family), or is to move (others).
Hash State::key_of(const Hash& board, Colour maker) const {
    switch (rules->repetition) {
        case Repetition::ssk: return board ^ ZOBRIST.side(rules->other(maker));
        case Repetition::nssk:
        case Repetition::situation: return board ^ ZOBRIST.side(maker);
        default: return board;
    }
}

bool State::is_repeated(const Hash& board) const {
    if (rules->repetition == Repetition::none) return false;
    if (rules->repetition == Repetition::simple || rules->repetition == Repetition::draw) return board == before;
    return history.contains(key_of(board, mover));
}

void State::see(Colour maker, bool by_placing) {
    if (rules->repetition == Repetition::none || rules->repetition == Repetition::simple) return;
    if (rules->repetition == Repetition::nssk && !by_placing) return;
    ++history[key_of(hash(), maker)];
}

void State::remember(const std::vector<std::uint8_t>& key, int count) {
    const auto points = static_cast<std::size_t>(topology().points);
    if (key.size() != points && key.size() != points + 1) throw std::invalid_argument("history: not of this board");
    Hash board;
    for (std::size_t point = 0; point < key.size(); ++point) {
        if (key[point] > RED) throw std::invalid_argument("history: colours are 0 to 3");
        if (point == points) board ^= ZOBRIST.side(key[point]);
        else if (key[point]) board ^= ZOBRIST.stone(static_cast<int>(point), key[point]);
    }
    history[board] += count;
}

int State::occurrences() const {
    const auto found = history.find(key_of(hash(), mover));
    return found == history.end() ? 0 : found->second;
}

int State::ko() const {
    if (!rules->is_go_family() || !last || last->action < 0 || last->actor == mover || captured.size() != 1) return -1;
    const Vertex* near = topology().near_of(last->action);
    const Colour own = stones[static_cast<std::size_t>(last->action)];
    for (int k = 0; k < topology().degree && near[k] != topology().points; ++k)
        if (stones[near[k]] == own || (stones[near[k]] == EMPTY && near[k] != captured[0])) return -1;
    return captured[0];
}

// -- what may be done -------------------------------------------------------------------------------------------------

std::vector<int> State::legal() const {
    if (is_final()) return {};
    std::vector<int> found;
    const auto add_points = [&found](const Points& points) { found.insert(found.end(), points.begin(), points.end()); };
    switch (rules->game) {
        case Game::aleago: {
            if (to_play() == CHANCE) {
                found = rules->thrown_outcomes(dice);
                found.push_back(dice.outcomes());
                return found;
            }
            const auto open = open_lines();
            for (const Vertex point : legal_points()) {
                const int line = rules->lines[point];
                if (!open || std::find(open->begin(), open->end(), line) != open->end()) found.push_back(point);
            }
            found.push_back(PASS);
            break;
        }
        case Game::alter_igo:
            for (int point = 0; point < topology().points; ++point)
                if (stones[static_cast<std::size_t>(point)] == EMPTY) found.push_back(point);
            if (may_pass()) found.push_back(PASS);
            break;
        case Game::pentalath:
            add_points(legal_points());
            if (may_swap()) found.push_back(SWAP);
            if (found.empty() && rules->no_move == NoMove::pass) found.push_back(PASS);
            break;
        default:
            add_points(legal_points());
            found.push_back(PASS);
    }
    return found;
}

std::vector<int> State::actions() const {
    if (rules->game != Game::phantom) return legal();
    std::vector<int> found;
    if (is_final()) return found;
    for (int point = 0; point < topology().points; ++point)
        if (stones[static_cast<std::size_t>(point)] != mover && !seen[static_cast<std::size_t>(point)])
            found.push_back(point);
    found.push_back(PASS);
    return found;
}

Refusal State::expect_turn(int actor) const {
    if (is_final()) return Refusal::game_over;
    return actor != WHOEVER && actor != to_play() ? Refusal::not_your_turn : Refusal::none;
}

Refusal State::play(int action, int actor) {
    if (action >= 0) {
        if (const Refusal refusal = expect_turn(actor); refusal != Refusal::none) return refusal;
        if (to_play() == CHANCE) return throw_dice(action);
        return action >= topology().points ? Refusal::off_board : put(action);
    }
    const int argument = (-action - 1) / KINDS;
    const int kind = -1 - (-action - 1) % KINDS;
    if (kind < FORFEIT || (argument != 0 && kind != SET_DICE && kind != MARK_DEAD)) return Refusal::no_such_action;
    const int by = actor == WHOEVER ? mover : actor;
    if (kind == RESIGN || kind == FLAG || kind == FORFEIT) return leave(action, by);
    if (kind == TURN) return by == mover ? Refusal::none : turn_to(by);
    if (kind == MARK_DEAD) return mark_dead(argument);
    if (is_final()) return Refusal::game_over;
    if (kind == SETTLE) return settle();
    if (kind == SET_DICE) return set_dice(argument);
    if (by != mover) return Refusal::not_your_turn;
    if (kind == RESUME) return resume();
    if (to_play() == CHANCE) return Refusal::not_your_turn;
    return kind == PASS ? pass_turn() : swap_colours();
}

}  // namespace kernel
