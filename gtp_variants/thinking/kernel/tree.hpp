// Tree search: UCT whose children share what all later moves told (RAVE), with uniform playouts at the leaves.
// `tree.py` is the same in Python: with one seed and a number of playouts both forms choose the same moves.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "state.hpp"

namespace kernel {

struct Settings {
    std::uint64_t playouts = 0;  // 0: until the time is over
    double seconds = 0;          // 0: until the playouts are done
    std::uint64_t seed = 0;
    bool rave = true;
    double equivalence = 1000;  // playouts at which a move's own result weighs as much as what later moves told
    double exploration = 0;     // weight of the bonus for moves seldom tried
    double even = 10;           // virtual games of a new move, half of them won, of a pass a tenth
    double first_play = 1;      // value of a move that was never tried, where there are no virtual games
    int expand_at = 2;          // visits after which a leaf gets children
    bool tactics = true;        // Pentalath: whether fives are made and prevented before anything else
    bool proofs = true;         // whether won and lost games are remembered as such
    std::uint64_t most_children = 4'000'000;  // the memory cap: 48 bytes each
};

struct Found {
    int action = PASS;
    std::vector<std::pair<int, std::uint64_t>> visits;  // of each move of the root
    std::vector<double> values;                         // share of the score of each colour in turn order
    std::vector<int> principal;                         // the moves that are visited most, one after the other
    std::uint64_t playouts = 0;
    std::uint64_t turns = 0;
};

// Searches the moves of the side to play. `ask` is called every few hundredths of a second; once it answers false the
// search ends with what it has. A game that is over for good has no moves: the answer is a pass.
Found search(const State& root, const Settings& settings, const std::function<bool()>& ask);

}  // namespace kernel
