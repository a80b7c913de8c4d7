// Monte Carlo tree search: UCT whose moves also learn from later ones (RAVE), with playouts at the leaves.
// `plain/tree.py` is the same in Python, without replies, shapes, priors and proofs: with `variant=plain`, one thread,
// one seed and a number of playouts both choose the same moves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ai/kernel/belief/should_stop.hpp"
#include "ai/kernel/rules/state.hpp"
#include "search_limits.hpp"

namespace kernel {

inline constexpr double MEBIBYTE = 1 << 20;

struct SearchSettings {
    std::uint64_t seed = 0;
    int threads = 1;
    bool rave = true;
    double equivalence = 1000;  // playouts at which a move's own result weighs as much as what later moves told
    double exploration = 0.1;   // games won that each move of a node gets for the root of the node's visits
    double even = 10;           // virtual games of a new move, half of them won, of a pass a tenth
    double first_play = 1;      // value of a move that was never tried, where there are no virtual games
    int expand_at = 2;          // visits after which a leaf gets children
    bool tactics = true;        // Pentalath: whether fives are made and prevented before anything else
    bool proofs = true;         // whether won and lost games are remembered as such, and circles are draws at once
    bool atari = true;          // whether playouts take and save chains in atari
    bool shapes = true;         // Go, Aléago: whether playouts and virtual games know shapes
    bool priors = true;         // whether new moves get virtual games by what they do
    bool dice_aware = true;     // Aléago: whether draws to come count, or every point is open from the next move on
    double memory_mb = 1024;    // at this size the nodes visited least make room
};

// The most visited moves, one after the other, and how often each was visited there.
struct Line {
    std::vector<int> moves;
    std::vector<std::uint64_t> visits;
};

// By how many points the first colour led at the end of playouts: the mean, and the standard deviation of one of them.
struct Score {
    double mean, deviation;
};

struct SearchResult {
    int action = PASS;
    std::vector<std::pair<int, std::uint64_t>> visits;  // of each move of the root
    std::vector<std::pair<int, double>> shares;         // of each that was visited: what its side won in its playouts
    std::vector<std::pair<int, double>> priors;         // of each: what it was worth before it was tried, 1 together
    std::vector<std::pair<int, Line>> lines;            // how play goes on after each that was visited
    std::vector<std::pair<int, Score>> scores;          // the Go family: of each that was visited
    std::optional<Score> score;                         // the Go family: of all of them
    std::vector<double> values;                         // share of the score of each colour in turn order
    std::vector<double> ownership;                      // the Go family: of each point, 1 Black's, -1 White's
    std::vector<int> principal_variation;               // the moves that are visited most, one after the other
    std::uint64_t playouts = 0;
    std::uint64_t turns = 0;
    int proved = 0;  // 1: a win for the side to play was proved, -1: a loss
};

// What is not to be looked at: moves of a colour, up to so many moves from the root.
struct Avoided {
    Colour colour;
    int move;   // a point or PASS
    int depth;  // 1: at the root only
};

// A search that goes on from move to move with what it has found so far.
class TreeSearch {
  public:
    virtual ~TreeSearch() = default;

    // Goes on to a position that lies so many moves ahead of the one before, or, without them, to any position anew.
    virtual void go_on(const State& root, const std::vector<int>* moves) = 0;

    // Searches the moves of the side to play. `should_stop` is called every few hundredths of a second; once it
    // answers true the search ends with what it has.
    virtual SearchResult think(const SearchLimits& limits, const ShouldStop& should_stop) = 0;

    // What `think` has found so far, for whoever is called meanwhile; the values are those of the calling thread's playouts.
    virtual SearchResult so_far() = 0;

    // Thinks in the background, without a limit, until it is stopped or the memory is used up for the first time.
    virtual void ponder() = 0;
    virtual void stop() = 0;
    virtual bool is_pondering() const = 0;
};

// A search from a position that is not over for good. With a target, a point with a stone in a game of the Go family,
// whoever has that stone wins by keeping it and nothing else counts.
std::unique_ptr<TreeSearch> make_search(const State& root, const SearchSettings& settings,
                                        const std::vector<Avoided>& avoided = {}, int target = -1);

}  // namespace kernel
