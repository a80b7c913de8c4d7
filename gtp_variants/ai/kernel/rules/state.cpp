// A position: its side to move, living chains, repetition and legal actions.
#include "state.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "seen_points.hpp"

namespace kernel {

namespace {

// The rules round margins to millionths of a point, since komi is not exact in binary.
constexpr double MARGIN_STEPS = 1e6;

std::vector<Colour> no_stones(const Rules& rules) {
    return std::vector<Colour>(static_cast<std::size_t>(rules.topology.points), EMPTY);
}

}  // namespace

State::State(std::shared_ptr<const Rules> given) : State(given, no_stones(*given), WHOEVER) {}

State::State(std::shared_ptr<const Rules> given, const std::vector<Colour>& stones, int to_play)
    : rules(std::move(given)),
      komi(rules->komi),
      dice(rules->dice),
      passes_left(rules->white_passes),
      board_(rules->topology, rules->immunity) {
    if (static_cast<int>(stones.size()) != topology().points) throw std::invalid_argument("stones: one byte a point");
    if (to_play != WHOEVER && !rules->has_colour(to_play)) throw std::invalid_argument("to_play: no colour of the game");
    for (std::size_t point = 0; point < stones.size(); ++point) {
        if (stones[point] > RED) throw std::invalid_argument("stones: 0 to 3");
        if (stones[point]) board_.set(static_cast<int>(point), stones[point]);
    }
    const Colour first = rules->game == Game::alter_igo ? rules->first : rules->colours[0];
    mover = to_play == WHOEVER ? first : static_cast<Colour>(to_play);
    before = hash();
    if (rules->game == Game::phantom) memories_.resize(2 * stones.size());
    begin();
    fill_free();
}

// Records the board at the start.
void State::begin() {
    forget();
    see(rules->is_go_family() ? rules->other(mover) : mover, false);
    if (rules->game == Game::pentalath) judge();
}

// -- players and the end ----------------------------------------------------------------------------------------------

int State::to_play() const {
    const bool thrown = rules->game != Game::aleago || draws.size() >= rules->slots || final;
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

// For the Go family: returns whether the game is over, apart from passes.
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
    const double margin = std::round((owned[BLACK] - owned[WHITE] - effective_komi()) * MARGIN_STEPS) / MARGIN_STEPS;
    if (margin == 0) return Outcome{EMPTY, How::score, 0};
    return Outcome{margin > 0 ? BLACK : WHITE, How::score, std::abs(margin)};
}

double State::effective_komi() const {
    double points = komi;
    if (button != EMPTY) points += button == WHITE ? BUTTON : -BUTTON;
    if (rules->counts_territory) points += board_.stones(BLACK) + taken[WHITE] - board_.stones(WHITE) - taken[BLACK];
    return points;
}

std::array<int, 4> State::area() const {
    std::array<int, 4> owned{};
    for (const Colour owner : owners()) ++owned[owner];
    owned[EMPTY] = 0;
    return owned;
}

std::vector<Colour> State::owners() const {
    std::vector<Colour> owned(static_cast<std::size_t>(topology().points), EMPTY);
    const auto colour_at = [this](int point) { return dead.has(point) ? EMPTY : at(point); };
    thread_local SeenPoints seen_empty;
    seen_empty.clear();
    std::vector<Vertex> region;
    for (int start = 0; start < topology().points; ++start) {
        if (const Colour colour = colour_at(start)) {
            owned[static_cast<std::size_t>(start)] = colour;
            continue;
        }
        if (!seen_empty.add(start)) continue;
        region.assign(1, static_cast<Vertex>(start));
        int border = 0;
        for (std::size_t i = 0; i < region.size(); ++i) {
            const Vertex* near = topology().near_of(region[i]);
            for (int k = 0; k < topology().degree && near[k] != topology().points; ++k) {
                if (const Colour colour = colour_at(near[k])) border |= 1 << colour;
                else if (seen_empty.add(near[k])) region.push_back(near[k]);
            }
        }
        for (const Colour colour : {BLACK, WHITE, RED})
            if (border == 1 << colour)
                for (const Vertex point : region) owned[point] = colour;
    }
    return owned;
}

// -- chains -----------------------------------------------------------------------------------------------------------

// Returns whether a stone of the mover captures an enemy chain: the point is its only liberty.
bool State::takes(int point) const {
    bool found = false;
    board_.each_neighbour(point, [&](Vertex near) {
        if (at(near) == EMPTY || at(near) == mover) return;
        const auto chain = board_.chain_of(near);
        found |= board_.liberties(chain) == 1 && !board_.is_immune(chain);
    });
    return found;
}

// Returns the empty points where a stone of the mover captures something.
PointSet State::taking_points() const {
    PointSet found;
    for (int number = 0; number < board_.chain_numbers(); ++number) {
        const auto chain = static_cast<ChainBoard::ChainNumber>(number);
        if (board_.liberties(chain) != 1 || board_.is_immune(chain)) continue;
        if (board_.colour_of(chain) != mover) found.add(board_.first_liberty(chain));
    }
    return found;
}

// Returns whether a stone of the mover without captures may stand on a point without empty neighbours.
bool State::stands(int point) const {
    bool found = false;
    board_.each_neighbour(point, [&](Vertex near) {
        if (at(near) != mover) return;
        const auto chain = board_.chain_of(near);
        found |= board_.liberties(chain) > 1 || (rules->rosette_suicide && board_.is_immune(chain));
    });
    return found || (rules->rosette_suicide && board_.completes_rosette(point, mover));
}

// Returns whether a stone without captures that may not stand legally removes its own chain: of several stones, none in
// a living rosette.
bool State::is_sacrifice(int point) const {
    if (!rules->suicide || board_.completes_rosette(point, mover)) return false;
    bool has_chain = false, has_rosette = false;
    board_.each_neighbour(point, [&](Vertex near) {
        if (at(near) != mover) return;
        has_chain = true;
        has_rosette |= board_.is_immune(board_.chain_of(near));
    });
    return has_chain && !has_rosette;
}

// Returns the only points where a stone of the mover may repeat a board, if that matters: a stone of its colour stood
// there on that board and has been captured since.
PointSet State::suspects(bool by_repetition) const {
    if (!by_repetition || !rules->is_go_family() || rules->repetition == Repetition::none) return PointSet{};
    return compares_last_board() ? captured : left_[mover];
}

// Calls `found` with the legal points among some empty ones, until it returns that it has enough.
template <class Found> void State::find_legal(const PointSet& among, bool by_repetition, Found found) const {
    if (!has_supply()) return;
    const PointSet watched = suspects(by_repetition);
    const PointSet taking = taking_points();
    bool is_enough = false;
    among.each([&](int point) {
        if (is_enough) return;
        const bool has_prey = taking.has(point);
        if (has_prey || board_.has_empty_neighbour(point) || stands(point)) {
            if (watched.has(point) && is_repeated(after_placing(point, has_prey))) return;
        } else if (!is_sacrifice(point) || (by_repetition && is_repeated(after_sacrifice(point)))) {
            return;
        }
        is_enough = found(point);
    });
}

PointSet State::legal_points(const PointSet& among, bool by_repetition) const {
    PointSet found;
    find_legal(among & board_.empty_points(), by_repetition, [&found](int point) {
        found.add(point);
        return false;
    });
    return found;
}

bool State::has_legal(const PointSet& among, bool by_repetition) const {
    bool is_found = false;
    find_legal(among & board_.empty_points(), by_repetition, [&is_found](int) { return is_found = true; });
    return is_found;
}

int State::occurrences_after(int point) const {
    if (rules->repetition == Repetition::none) return 0;
    const bool stays = board_.has_empty_neighbour(point) || stands(point);
    Hash board = after_placing(point, true);
    // In Alter Igo the stone's own string is captured too; the chains it joins have no other liberty.
    if (rules->game == Game::alter_igo && !stays) board ^= ZOBRIST.stone(point, mover) ^ hash() ^ after_sacrifice(point);
    if (rules->suicide && !stays && !takes(point)) board = after_sacrifice(point);
    return history_.count(repetition_key(*rules, board, rules->is_go_family() ? mover : after(mover)));
}

// -- repetition -------------------------------------------------------------------------------------------------------

Hash State::after_placing(int point, bool takes) const {
    Hash after = hash() ^ ZOBRIST.stone(point, mover);
    if (!takes) return after;
    std::array<ChainBoard::ChainNumber, MAX_DEGREE> gone;
    std::size_t found = 0;
    board_.each_neighbour(point, [&](Vertex near) {
        if (at(near) == EMPTY || at(near) == mover) return;
        const auto chain = board_.chain_of(near);
        if (board_.liberties(chain) != 1 || board_.is_immune(chain)) return;
        if (std::find(gone.begin(), gone.begin() + found, chain) != gone.begin() + found) return;
        gone[found++] = chain;
        after ^= board_.hash_of(chain);
    });
    return after;
}

Hash State::after_sacrifice(int point) const {
    Hash after = hash();
    std::array<ChainBoard::ChainNumber, MAX_DEGREE> gone;
    std::size_t found = 0;
    board_.each_neighbour(point, [&](Vertex near) {
        if (at(near) != mover) return;
        const auto chain = board_.chain_of(near);
        if (std::find(gone.begin(), gone.begin() + found, chain) != gone.begin() + found) return;
        gone[found++] = chain;
        after ^= board_.hash_of(chain);
    });
    return after;
}

bool State::is_repeated(const Hash& board) const {
    if (rules->repetition == Repetition::none) return false;
    if (compares_last_board()) return board == before;
    return history_.contains(repetition_key(*rules, board, mover));
}

void State::see(Colour maker, bool by_placing) {
    if (rules->repetition == Repetition::none || rules->repetition == Repetition::simple) return;
    if (rules->repetition == Repetition::nssk && !by_placing) return;
    history_.add(repetition_key(*rules, hash(), maker));
}

void State::remember(const std::vector<std::uint8_t>& key, int count) {
    const auto points = static_cast<std::size_t>(topology().points);
    if (key.size() != points && key.size() != points + 1) throw std::invalid_argument("history: not of this board");
    Hash board;
    for (std::size_t point = 0; point < key.size(); ++point) {
        if (key[point] > RED) throw std::invalid_argument("history: colours are 0 to 3");
        if (point == points) board ^= ZOBRIST.side(key[point]);
        else if (key[point]) {
            board ^= ZOBRIST.stone(static_cast<int>(point), key[point]);
            left_[key[point]].add(static_cast<int>(point));
        }
    }
    history_.add(board, count);
}

void State::set_last(const std::optional<Event>& event) {
    last = event;
    turns_ = event && event->action >= SWAP;
}

int State::ko() const {
    if (!rules->is_go_family() || !last || last->action < 0 || last->actor == mover || captured.count() != 1) return -1;
    const Colour own = at(last->action);
    const int gone = captured.first();
    bool is_ko = true;
    board_.each_neighbour(last->action, [&](Vertex near) {
        if (at(near) == own || (at(near) == EMPTY && near != gone)) is_ko = false;
    });
    return is_ko ? gone : -1;
}

// -- legal actions ----------------------------------------------------------------------------------------------------

void State::mask(std::uint8_t* out) const {
    if (rules->game != Game::phantom || is_final()) return legal_mask(out);
    for (int point = 0; point < topology().points; ++point) out[point] = at(point) != mover && !seen.has(point);
    out[rules->index_of(PASS)] = 1;
}

void State::legal_mask(std::uint8_t* out) const {
    std::fill_n(out, rules->policy_size(), std::uint8_t{0});
    if (is_final() || to_play() == CHANCE) return;
    const auto allow = [out](const PointSet& points) { points.each([out](int point) { out[point] = 1; }); };
    const auto allow_pass = [this, out](bool allowed) {
        if (rules->has_pass()) out[rules->index_of(PASS)] = allowed;
    };
    switch (rules->game) {
        case Game::aleago:
            allow(open_legal_points());
            allow_pass(true);
            break;
        case Game::alter_igo:
            allow(board_.empty_points());
            allow_pass(may_pass());
            break;
        case Game::pentalath: {
            const PointSet points = legal_points();
            allow(points);
            if (rules->has_swap()) out[rules->index_of(SWAP)] = may_swap();
            allow_pass(!points && !may_swap());
            break;
        }
        default:
            allow(legal_points());
            allow_pass(true);
    }
}

std::vector<int> State::legal() const {
    std::vector<int> found;
    if (is_final()) return found;
    if (to_play() == CHANCE) {
        found = rules->thrown_outcomes(dice);
        found.push_back(dice.outcomes());
        return found;
    }
    const bool is_free = rules->game == Game::alter_igo;
    const PointSet points = rules->game == Game::aleago ? open_legal_points() : is_free ? board_.empty_points() : legal_points();
    points.each([&found](int point) { found.push_back(point); });
    if (may_swap()) found.push_back(SWAP);
    if (is_free ? may_pass() : rules->is_go_family() || (found.empty() && rules->no_move == NoMove::pass))
        found.push_back(PASS);
    return found;
}

std::vector<int> State::actions() const {
    if (rules->game != Game::phantom) return legal();
    std::vector<int> found;
    if (is_final()) return found;
    for (int point = 0; point < topology().points; ++point)
        if (at(point) != mover && !seen.has(point)) found.push_back(point);
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
