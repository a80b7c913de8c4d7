// The refusals and announcements of Go Fantôme's referee, and what each seat heard.
#include "state.hpp"

namespace kernel {

// Records a refused try.
void State::refuse(int point) {
    tried.add(point);
    ++tries;
    ++news_now_.refusals;
    ++refusals_[mover];
    if (rules->shows_refused && at(point) == rules->other(mover)) seen.add(point);
    memories_[seat_slot(mover, point)].refused = rules->shows_refused && at(point) ? 0 : turn;
    if (rules->tries_part_passes && !suspended()) passes = 0;
    if (rules->tries_part_passes) hear_parting();
}

// A refused try of the mover separates passes, for each seat that hears it; a provisional end stays.
void State::hear_parting() {
    for (const Colour seat : {BLACK, WHITE}) {
        std::uint32_t& heard = passes_heard_[seat];
        if (seat == mover || !rules->refusal_is_private) heard = (heard & ~few_passes()) | ((heard & few_passes()) != 0);
    }
}

// A pass or stone of the mover shows that the game was not over; private tries may have come before it.
void State::hear_turn(bool is_pass) {
    for (const Colour seat : {BLACK, WHITE}) {
        std::uint32_t& heard = passes_heard_[seat];
        if (seat != mover && rules->tries_part_passes && rules->refusal_is_private) heard |= (heard & few_passes()) != 0;
        heard = is_pass ? (heard & open_passes()) << 1 : 1;
    }
}

// The mover is passed over, which separates passes unless the game is provisionally over.
void State::hear_turn_to() {
    hear_turn(true);
    for (const Colour seat : {BLACK, WHITE}) {
        std::uint32_t& heard = passes_heard_[seat];
        heard >>= 1;
        heard = (heard & ~few_passes()) | ((heard & few_passes()) != 0);
    }
}

// Returns whether the referee announces a placed stone in atari: not if it only extends chains in atari.
bool State::is_own_atari_new(int point) const {
    if (rules->own_atari != AtariNews::fresh) return rules->own_atari == AtariNews::all;
    bool has_own = false, all_in_atari = true;
    board_.each_neighbour(point, [&](Vertex near) {
        if (at(near) != mover) return;
        has_own = true;
        all_in_atari &= board_.liberties(board_.chain_of(near)) == 1;
    });
    return !has_own || !all_in_atari;
}

// Announces a stone that the mover has just placed; its turn is already counted.
void State::announce(int point, bool is_new_atari) {
    const Colour enemy = rules->other(mover);
    news_now_.captured = captured.count();
    const int now = turn - 1;
    captured.each([&](int gone) {
        PointMemory& loser = memories_[seat_slot(enemy, gone)];
        loser.placed = loser.refused = 0;
        loser.lost = now;
        // Only stones that were shown are seen to go.
        if (rules->only_owner_sees_captures && !seen.has(gone)) return;
        PointMemory& taker = memories_[seat_slot(mover, gone)];
        taker.refused = 0;
        taker.taken = now;
    });
    seen -= captured;
    memories_[seat_slot(mover, point)] = PointMemory{.placed = now};
    PointSet in_atari;
    const auto look_at = [&](int stone) {
        if (at(stone) != enemy) return;
        const auto chain = board_.chain_of(stone);
        if (board_.liberties(chain) == 1) board_.each_stone(chain, [&](Vertex v) { in_atari.add(v); });
    };
    // A capture frees no other enemy chain, so only adjacent chains can be newly in atari.
    if (rules->enemy_atari == AtariNews::fresh) board_.each_neighbour(point, look_at);
    if (rules->enemy_atari == AtariNews::all)
        for (int stone = 0; stone < board_.points(); ++stone) look_at(stone);
    news_now_.atari = in_atari.count();
    news_now_.self_atari = is_new_atari && board_.liberties(board_.chain_of(point)) == 1;
    finish_news(point);
}

int State::hidden(Colour seat) const {
    const Colour enemy = rules->other(seat);
    int shown = 0;
    seen.each([&](int point) { shown += at(point) == enemy; });
    return board_.stones(enemy) - shown;
}

// Ends the news of one side's turn and begins the news of the other's.
void State::finish_news(int action) {
    news_now_.turn = turn - 1;
    news_now_.actor = mover;
    news_now_.action = action;
    news_[slot(turns_ - 1)] = news_now_;
    news_now_ = TurnNews{};
    tried = PointSet{};
    // A pass that took the button is not counted.
    hear_turn(action == PASS && passes > 0);
}

}  // namespace kernel
