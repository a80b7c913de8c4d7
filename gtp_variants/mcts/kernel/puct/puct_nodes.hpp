// The nodes of a search with an evaluator.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "puct.hpp"

namespace kernel {

// A move, or an outcome of the dice.
struct PuctTree::Edge {
    explicit Edge(int played) : move(played) {}

    double prior = 0;  // of an outcome: its odds
    double won = 0;    // by the side to play, with what draws and the score are worth to it
    NodePointer below;
    int move;
    std::uint32_t visits = 0;
    std::uint32_t in_flight = 0;  // descents whose answer is awaited
    float playout_change = 0;     // how much of `won` games played on at random have brought or taken
};

// A position in which a player moves, or the dice are to be thrown.
struct PuctTree::Node {
    static constexpr std::int8_t NOT_PROVED = -1;
    // What it takes, and each of its moves, as `plain/puct.py` counts.
    static constexpr std::uint64_t BYTES = 112;
    static constexpr std::uint64_t BYTES_A_MOVE = 40;

    std::uint64_t bytes() const { return BYTES + BYTES_A_MOVE * edges.size(); }

    std::vector<Edge> edges;
    std::array<double, 3> total{};  // of the values that came up through here, by colour; of an end its shares
    double lead = 0, square = 0;    // likewise the first colour's leads, and their squares
    double bonus = 0;               // and what they and draws are worth to it
    double playout_change = 0;      // how much games played on at random have brought or taken it
    double judged = 0;              // what the evaluator said for the side to play
    std::uint32_t count = 0;        // values that came up through here
    std::uint32_t waiting = 0;      // sum of what is in flight
    std::uint8_t seat = 0;          // of the side to play, in turn order
    bool is_chance = false;
    bool is_over = false;
    bool is_known = false;  // whether its edges have priors
    bool is_asked = false;
    bool is_asked_again = false;  // whether its priors were asked for a second time, or are awaited
    bool is_whole = true;   // whether moves without an edge are sure to be no better
    std::int8_t proof = NOT_PROVED;  // who wins whatever anybody does: a colour, or EMPTY for a draw
};

}  // namespace kernel
