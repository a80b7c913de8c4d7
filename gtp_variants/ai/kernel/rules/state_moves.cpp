// The effects of actions: stones, passes and agreements.
#include "state.hpp"

#include <algorithm>

namespace kernel {

// -- stones -----------------------------------------------------------------------------------------------------------

Refusal State::put(int point) {
    switch (rules->game) {
        case Game::alter_igo: return put_alter_igo(point);
        case Game::pentalath: return put_pentalath(point);
        default: return put_go(point);
    }
}

// Places the mover's stone; captures, turn and history are left to the caller.
void State::set_stone(int point) {
    board_.set(point, mover);
    captured = PointSet{};
}

// Removes a chain.
void State::take(ChainBoard::ChainNumber chain) {
    if (board_.colour_of(chain) != mover) taken[mover] += board_.size(chain);
    PointSet& left = left_[board_.colour_of(chain)];
    board_.each_stone(chain, [this, &left](Vertex v) {
        captured.add(v);
        left.add(v);
    });
    board_.remove(chain);
}

// Removes the enemy chains beside a stone that have neither liberties nor a rosette.
void State::take_enemies(int point) {
    // All are found before any is removed: with three colours a removed chain may give another a liberty.
    std::array<ChainBoard::ChainNumber, MAX_DEGREE> gone;
    std::size_t found = 0;
    board_.each_neighbour(point, [&](Vertex near) {
        if (at(near) == EMPTY || at(near) == mover) return;
        const auto chain = board_.chain_of(near);
        if (board_.liberties(chain) != 0 || board_.is_immune(chain)) return;
        if (std::find(gone.begin(), gone.begin() + found, chain) == gone.begin() + found) gone[found++] = chain;
    });
    for (std::size_t i = 0; i < found; ++i) take(gone[i]);
}

// Makes an action the last one.
void State::take_down(int actor, int action) {
    if (last && rules->game != Game::phantom) earlier.push_front(last->action);
    last = Event{actor, action};
}

// Counts a turn of the mover.
void State::finish_turn(int action) {
    take_down(mover, action);
    ++turns_;
    ++turn;
    if (action != PASS) passes = 0;
}

Refusal State::put_go(int point) {
    const auto refused = [this, point](Refusal reason) {
        // A try refused by the referee of Go Fantôme is an action like any other.
        if (rules->game != Game::phantom) return reason;
        refuse(point);
        return Refusal::none;
    };
    if (at(point) != EMPTY) return refused(Refusal::occupied);
    if (!has_supply()) return refused(Refusal::supply);
    const bool has_prey = takes(point);
    const bool stays = has_prey || board_.has_empty_neighbour(point) || stands(point);
    if (!stays && !is_sacrifice(point)) return refused(Refusal::suicide);
    if (is_repeated(stays ? after_placing(point, has_prey) : after_sacrifice(point))) return refused(Refusal::repetition);
    if (rules->game == Game::aleago && !is_open(point)) return Refusal::line;
    const bool is_new_atari = rules->game == Game::phantom && is_own_atari_new(point);
    before = hash();
    set_stone(point);
    if (has_prey) take_enemies(point);
    if (!stays) {
        take(board_.chain_of(point));
        taken[rules->other(mover)] += captured.count();
    }
    dead = PointSet{};
    ++tries;
    if (rules->repetition == Repetition::draw && history_.contains(repetition_key(*rules, hash(), mover)))
        ended = Outcome{EMPTY, How::repetition, 0};
    see(mover, true);
    finish_turn(point);
    if (rules->game == Game::phantom) announce(point, is_new_atari);
    mover = rules->other(mover);
    advance();
    return Refusal::none;
}

Refusal State::put_alter_igo(int point) {
    if (at(point) != EMPTY) return Refusal::occupied;
    set_stone(point);
    // All strings without liberties are found before any is removed.
    std::array<ChainBoard::ChainNumber, MAX_DEGREE + 1> gone;
    std::size_t found = 0;
    const auto collect = [&](int stone) {
        if (at(stone) == EMPTY) return;
        const auto chain = board_.chain_of(stone);
        if (board_.liberties(chain) != 0) return;
        if (std::find(gone.begin(), gone.begin() + found, chain) == gone.begin() + found) gone[found++] = chain;
    };
    collect(point);
    board_.each_neighbour(point, [&](Vertex near) { collect(near); });
    for (std::size_t i = 0; i < found; ++i) take(gone[i]);
    const Colour following = after(mover);
    finish_turn(point);
    mover = following;
    see(following, true);
    if (captured == PointSet::of(point)) ended = Outcome{following, How::suicide, 0};
    else if (occurrences() >= rules->repeat_count) ended = Outcome{EMPTY, How::repetition, 0};
    return Refusal::none;
}

Refusal State::put_pentalath(int point) {
    if (at(point) != EMPTY) return Refusal::occupied;
    if (!has_supply()) return Refusal::supply;
    const bool has_prey = takes(point);
    if (!has_prey && !board_.has_empty_neighbour(point) && !stands(point)) return Refusal::suicide;
    set_stone(point);
    if (has_prey) take_enemies(point);
    const Colour own = mover;
    const Colour following = after(mover);
    finish_turn(point);
    mover = following;
    see(following, true);
    if (has_five(point)) ended = Outcome{own, How::five, 0};
    else if (rules->repetition != Repetition::none && occurrences() >= rules->repeat_count)
        ended = Outcome{EMPTY, How::repetition, 0};
    else
        judge();
    return Refusal::none;
}

// Returns whether a stone is part of five in a row.
bool State::has_five(int point) const {
    const auto p = static_cast<std::size_t>(point);
    const auto is_own = [own = at(point), this](Vertex member) { return at(member) == own; };
    for (auto i = topology().fives_from[p]; i < topology().fives_from[p + 1]; ++i) {
        const auto& five = topology().fives[topology().fives_at[i]];
        if (std::all_of(five.begin(), five.end(), is_own)) return true;
    }
    return false;
}

bool State::is_blocked() const {
    return !may_swap() && !has_legal(board_.empty_points(), false);
}

// For Pentalath: ends the game if the player to move has no move and that ends it.
void State::judge() {
    if (rules->no_move == NoMove::pass || !is_blocked()) return;
    if (rules->no_move == NoMove::loss && rules->colours.size() == 2) ended = Outcome{after(mover), How::blocked, 0};
    else ended = Outcome{EMPTY, How::blocked, 0};
}

// -- passes and agreements --------------------------------------------------------------------------------------------

bool State::may_pass() const { return mover == WHITE && passes_left > 0; }

Refusal State::pass_turn() {
    if (rules->game == Game::alter_igo && !may_pass()) return Refusal::no_pass;
    if (rules->game == Game::pentalath && (rules->no_move != NoMove::pass || !is_blocked())) return Refusal::no_pass;
    captured = PointSet{};
    if (has_button()) button = mover;
    else ++passes;
    finish_turn(PASS);
    if (rules->game == Game::alter_igo) {
        --passes_left;
        mover = after(mover);
    } else if (rules->game == Game::pentalath) {
        mover = after(mover);
        if (passes >= static_cast<int>(rules->colours.size() - out.size())) ended = Outcome{EMPTY, How::blocked, 0};
    } else {
        before = hash();
        ++tries;
        see(mover, false);
        if (rules->game == Game::phantom) finish_news(PASS);
        mover = rules->other(mover);
        advance();
    }
    return Refusal::none;
}

bool State::may_swap() const {
    return rules->swap && rules->colours.size() == 2 && turn == 2 && last && last->action >= 0;
}

Refusal State::swap_colours() {
    if (rules->game != Game::pentalath || !may_swap()) return Refusal::no_swap;
    const int point = last->action;
    std::vector<Colour> stones(static_cast<std::size_t>(topology().points));
    for (std::size_t p = 0; p < stones.size(); ++p) stones[p] = at(static_cast<int>(p));
    stones[static_cast<std::size_t>(point)] = mover;
    board_.lay_out(stones);
    captured = PointSet{};
    const int earlier = passes;
    finish_turn(SWAP);
    passes = earlier;
    mover = after(mover);
    see(mover, true);
    return Refusal::none;
}

Refusal State::leave(int action, int actor) {
    if (!rules->has_colour(actor)) return Refusal::not_your_turn;
    if (is_final() || is_out(actor)) return Refusal::game_over;
    out.push_back(Event{actor, action});
    take_down(actor, action);
    captured = PointSet{};
    if (mover == actor && rules->colours.size() > out.size() + 1) mover = after(mover);
    final = rules->game == Game::aleago;
    if (rules->game == Game::pentalath && !is_over()) judge();
    return Refusal::none;
}

Refusal State::turn_to(int colour) {
    if (is_final()) return Refusal::game_over;
    if (!rules->has_colour(colour)) return Refusal::not_your_turn;
    if (!rules->is_go_family()) {
        if (last || rules->colours.size() != 2) return Refusal::not_your_turn;
        mover = static_cast<Colour>(colour);
        begin();
        return Refusal::none;
    }
    if (colour != mover) news_now_.refusals = 0;
    // Only consecutive passes end the game; a provisional end stays until a stone is placed.
    if (!suspended()) passes = 0;
    if (rules->game == Game::phantom && colour != mover) hear_turn_to();
    see(rules->other(static_cast<Colour>(colour)), false);
    mover = static_cast<Colour>(colour);
    tried = PointSet{};
    news_now_ = TurnNews{};
    if (rules->game == Game::aleago && rules->free_player != EMPTY) {
        int kept = 0;
        while (kept < draws.size() && (draws[kept] == dice.outcomes()) == (owner(kept) == rules->free_player)) ++kept;
        draws.resize(kept);
        fill_free();
    }
    return Refusal::none;
}

Refusal State::resume() {
    if (!suspended()) return Refusal::no_such_action;
    passes = 0;
    passes_heard_.fill(1);
    dead = PointSet{};
    return Refusal::none;
}

Refusal State::settle() {
    if (!suspended()) return Refusal::no_such_action;
    settled = true;
    final = rules->game == Game::aleago;
    return Refusal::none;
}

Refusal State::mark_dead(int point) {
    if (!rules->dead_agreed) return Refusal::no_such_action;
    if (rules->reopens && is_final()) return Refusal::game_over;
    if (passes < rules->end_passes || !out.empty()) return Refusal::no_such_action;
    if (point >= topology().points || at(point) == EMPTY) return Refusal::no_such_action;
    board_.each_stone(board_.chain_of(point), [this](Vertex member) { dead ^= PointSet::of(member); });
    return Refusal::none;
}

}  // namespace kernel
