// For Pentalath: the moves that are left when a five is within reach, found on a position.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ai/kernel/rules/state.hpp"

namespace kernel {

// The only points that need a search; none if all moves do.
struct ForcedMoves {
    std::vector<int> points;
    bool is_all = true;  // whether all other moves surely lose
};

namespace forced {

// Returns the empty points where a colour's stone would complete a five.
inline std::vector<int> five_points(const State& state, Colour colour) {
    std::vector<int> found;
    for (const auto& five : state.rules->topology.fives) {
        int own = 0, empty = -1;
        for (const Vertex v : five) {
            if (state.at(v) == colour) ++own;
            else if (state.at(v) == EMPTY) empty = v;
        }
        if (own == 4 && empty >= 0 && std::find(found.begin(), found.end(), empty) == found.end()) found.push_back(empty);
    }
    std::sort(found.begin(), found.end());
    return found;
}

// Returns whether a colour may still place a stone on a point after any one stone elsewhere without captures.
inline bool stays_open(const State& state, int point, Colour colour) {
    int empty = 0;
    bool has_room = false;
    state.board().each_neighbour(point, [&](Vertex near) {
        if (state.at(near) == EMPTY) ++empty;
        else if (state.at(near) == colour) has_room |= state.board().liberties(state.board().chain_of(near)) > 2;
    });
    return has_room || empty > 1;
}

// Returns whether a stone of the side to play there captures something.
inline bool takes(const State& state, int point) {
    bool found = false;
    state.board().each_neighbour(point, [&](Vertex near) {
        if (state.at(near) == EMPTY || state.at(near) == state.mover) return;
        found |= state.board().liberties(state.board().chain_of(near)) == 1;
    });
    return found;
}

// Returns the next colour in turn order.
inline Colour next_colour(const State& state) {
    const auto& colours = state.rules->colours;
    auto at = std::find(colours.begin(), colours.end(), state.mover);
    do {
        if (++at == colours.end()) at = colours.begin();
    } while (std::any_of(state.out.begin(), state.out.end(), [&](const Event& event) { return event.actor == *at; }));
    return *at;
}

}  // namespace forced

// `legal` shows by point where the side to play may place a stone.
inline ForcedMoves find_forced_moves(const State& state, const std::uint8_t* legal) {
    ForcedMoves found;
    const Rules& rules = *state.rules;
    if (rules.topology.fives.empty()) return found;
    for (const int point : forced::five_points(state, state.mover))
        if (legal[point]) found.points.push_back(point);
    if (!found.points.empty()) return found;
    const Colour next = forced::next_colour(state);
    std::vector<int> threats = forced::five_points(state, next);
    if (threats.empty()) return found;
    State after = state;
    after.mover = next;
    std::erase_if(threats, [&](int point) { return !after.fits(point); });
    if (threats.empty()) return found;
    found.is_all = rules.colours.size() == 2 &&
                   std::any_of(threats.begin(), threats.end(), [&](int point) { return forced::stays_open(state, point, next); });
    for (int point = 0; point < rules.topology.points; ++point) {
        if (!legal[point]) continue;
        if (std::find(threats.begin(), threats.end(), point) != threats.end() || forced::takes(state, point)) found.points.push_back(point);
    }
    return found;
}

}  // namespace kernel
