// Actors and actions, numbered as in `rules/actions.py`.
#pragma once

namespace kernel {

inline constexpr int CHANCE = 0;
inline constexpr int WHOEVER = -1;  // as an actor: the side to play

// Actions of 0 and more are points, or outcomes of the dice. A negative one is a kind less KINDS times its argument.
inline constexpr int PASS = -1;
inline constexpr int SWAP = -2;
inline constexpr int RESIGN = -3;
inline constexpr int RESUME = -4;
inline constexpr int SET_DICE = -5;
inline constexpr int MARK_DEAD = -6;
inline constexpr int SETTLE = -7;
inline constexpr int TURN = -8;
inline constexpr int FLAG = -9;
inline constexpr int FORFEIT = -10;
inline constexpr int KINDS = 16;

struct Event {
    int actor = CHANCE;
    int action = PASS;
};

}  // namespace kernel
