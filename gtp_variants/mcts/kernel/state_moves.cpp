// What happens in a position: stones, passes, and what players agree on.
#include "state.hpp"

#include <algorithm>

#include "seen_points.hpp"

namespace kernel {

// -- stones -----------------------------------------------------------------------------------------------------------

Refusal State::put(int point) {
    switch (rules->game) {
        case Game::alter_igo: return put_alter_igo(point);
        case Game::pentalath: return put_pentalath(point);
        default: return put_go(point);
    }
}

// Puts the mover's stone on the board and takes others off; turn, history and mover are the caller's.
void State::settle_captures(int point, const Points& gone) {
    stones[static_cast<std::size_t>(point)] = mover;
    for (const Vertex member : gone) {
        if (stones[member] != mover) ++taken[mover];
        stones[member] = EMPTY;
    }
    captured = gone;
    last = Event{mover, point};
    ++turn;
    passes = 0;
}

void State::clear_marks() {
    std::fill(dead.begin(), dead.end(), std::uint8_t{0});
    std::fill(tried.begin(), tried.end(), std::uint8_t{0});
}

// A try that the referee of Go Fantôme refuses.
void State::refuse(std::size_t point) {
    tried[point] = 1;
    ++tries;
    if (rules->shows_refused && stones[point] == rules->other(mover)) seen[point] = 1;
    if (rules->tries_part_passes && !suspended()) passes = 0;
}

Refusal State::put_go(int point) {
    const auto refused = [this, point](Refusal reason) {
        // A try that the referee of Go Fantôme refuses is an action like any other.
        if (rules->game != Game::phantom) return reason;
        refuse(static_cast<std::size_t>(point));
        return Refusal::none;
    };
    if (stones[static_cast<std::size_t>(point)] != EMPTY) return refused(Refusal::occupied);
    if (!has_supply()) return refused(Refusal::supply);
    const Placement placed = place(point);
    if (!placed.is_legal) return refused(Refusal::suicide);
    if (is_repeated(after_placing(point, placed.captured))) return refused(Refusal::repetition);
    if (rules->game == Game::aleago) {
        const auto open = open_lines();
        const int line = rules->lines[static_cast<std::size_t>(point)];
        if (open && std::find(open->begin(), open->end(), line) == open->end()) return Refusal::line;
    }
    before = hash();
    settle_captures(point, placed.captured);
    clear_marks();
    ++tries;
    for (const Vertex member : placed.captured) seen[member] = 0;
    if (rules->repetition == Repetition::draw && history.contains(key_of(hash(), mover)))
        ended = Outcome{EMPTY, How::repetition, 0};
    see(mover, true);
    mover = rules->other(mover);
    advance();
    return Refusal::none;
}

// The points a stone just placed takes off, of both colours, judged before any of them goes.
Points State::removed(int point) const {
    Stones on = stones;
    on[static_cast<std::size_t>(point)] = mover;
    Points gone, members;
    const auto collect = [&](int start) {
        if (on[static_cast<std::size_t>(start)] == EMPTY) return;
        if (std::find(gone.begin(), gone.end(), start) != gone.end()) return;
        if (breathless(on, start, members)) gone.insert(gone.end(), members.begin(), members.end());
    };
    collect(point);
    const Vertex* near = topology().near_of(point);
    for (int k = 0; k < topology().degree && near[k] != topology().points; ++k) collect(near[k]);
    std::sort(gone.begin(), gone.end());
    return gone;
}

Refusal State::put_alter_igo(int point) {
    if (stones[static_cast<std::size_t>(point)] != EMPTY) return Refusal::occupied;
    const Points gone = removed(point);
    const Colour following = after(mover);
    settle_captures(point, gone);
    mover = following;
    see(following, true);
    if (gone.size() == 1 && gone[0] == point) ended = Outcome{following, How::suicide, 0};
    else if (occurrences() >= rules->repeat_count) ended = Outcome{EMPTY, How::repetition, 0};
    return Refusal::none;
}

Refusal State::put_pentalath(int point) {
    if (stones[static_cast<std::size_t>(point)] != EMPTY) return Refusal::occupied;
    if (!has_supply()) return Refusal::supply;
    const Placement placed = place(point);
    if (!placed.is_legal) return Refusal::suicide;
    const Colour own = mover;
    const Colour following = after(mover);
    settle_captures(point, placed.captured);
    mover = following;
    see(following, true);
    const auto p = static_cast<std::size_t>(point);
    for (auto i = topology().fives_from[p]; i < topology().fives_from[p + 1]; ++i) {
        const auto& five = topology().fives[topology().fives_at[i]];
        if (std::all_of(five.begin(), five.end(), [&](Vertex member) { return stones[member] == own; })) {
            ended = Outcome{own, How::five, 0};
            return Refusal::none;
        }
    }
    if (rules->repetition != Repetition::none && occurrences() >= rules->repeat_count)
        ended = Outcome{EMPTY, How::repetition, 0};
    else
        judge();
    return Refusal::none;
}

bool State::is_blocked() const {
    if (may_swap()) return false;
    for (int point = 0; point < topology().points; ++point)
        if (may_place(point)) return false;
    return true;
}

// Ends a game of Pentalath if the player to move has no move and that ends it.
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
    last = Event{mover, PASS};
    captured.clear();
    ++turn;
    ++passes;
    if (rules->game == Game::alter_igo) {
        --passes_left;
        mover = after(mover);
    } else if (rules->game == Game::pentalath) {
        mover = after(mover);
        if (passes >= static_cast<int>(rules->colours.size() - out.size())) ended = Outcome{EMPTY, How::blocked, 0};
    } else {
        before = hash();
        std::fill(tried.begin(), tried.end(), std::uint8_t{0});
        ++tries;
        see(mover, false);
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
    stones[static_cast<std::size_t>(last->action)] = mover;
    last = Event{mover, SWAP};
    captured.clear();
    ++turn;
    mover = after(mover);
    see(mover, true);
    return Refusal::none;
}

Refusal State::leave(int action, int actor) {
    if (!rules->has_colour(actor)) return Refusal::not_your_turn;
    if (is_final() || is_out(actor)) return Refusal::game_over;
    out.push_back(Event{actor, action});
    last = Event{actor, action};
    captured.clear();
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
    // Only passes of both players end the game; a provisional end stays one until somebody places a stone.
    if (!suspended()) passes = 0;
    see(rules->other(static_cast<Colour>(colour)), false);
    mover = static_cast<Colour>(colour);
    std::fill(tried.begin(), tried.end(), std::uint8_t{0});
    if (rules->game == Game::aleago && rules->free_player != EMPTY) {
        std::size_t kept = 0;
        while (kept < draws.size() && (draws[kept] == dice.outcomes()) == (owner(kept) == rules->free_player)) ++kept;
        draws.resize(kept);
        fill_free();
    }
    return Refusal::none;
}

Refusal State::resume() {
    if (!suspended()) return Refusal::no_such_action;
    passes = 0;
    std::fill(dead.begin(), dead.end(), std::uint8_t{0});
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
    if (point >= topology().points) return Refusal::no_such_action;
    const Colour colour = stones[static_cast<std::size_t>(point)];
    if (colour == EMPTY) return Refusal::no_such_action;
    marks.clear();
    marks.add(point);
    Points members(1, static_cast<Vertex>(point));
    for (std::size_t i = 0; i < members.size(); ++i) {
        dead[members[i]] ^= 1;
        const Vertex* near = topology().near_of(members[i]);
        for (int k = 0; k < topology().degree && near[k] != topology().points; ++k)
            if (stones[near[k]] == colour && marks.add(near[k])) members.push_back(near[k]);
    }
    return Refusal::none;
}

}  // namespace kernel
