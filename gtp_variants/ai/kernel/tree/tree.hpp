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
    double equivalence = 1000;  // playouts at which a move's own results weigh as much as later ones
    double exploration = 0.1;   // virtual wins of each move, times the root of its node's visits
    double even = 10;           // virtual games of a new move, half of them won (of a pass a tenth)
    double first_play = 1;      // win rate assumed of an untried move without virtual games
    int expand_at = 2;          // visits after which a leaf gets children
    bool tactics = true;        // Pentalath: complete and block fives before anything else
    bool proofs = true;         // remember proved wins and losses, and count repetition as a draw at once
    bool atari = true;          // playouts capture chains in atari and save their own
    bool shapes = true;         // Go, Aléago: playouts and virtual games use known shapes
    bool priors = true;         // new moves get virtual games by their effects
    bool dice_aware = true;     // Aléago: future throws count; if not, every point is open from the next move on
    double memory_mb = 1024;    // size at which the least visited nodes are dropped
};

// The most visited continuation, and the visits of its moves.
struct Line {
    std::vector<int> moves;
    std::vector<std::uint64_t> visits;
};

// The first colour's lead at the end of playouts: the mean, and the standard deviation of a single one.
struct Score {
    double mean, deviation;
};

struct SearchResult {
    int action = PASS;
    std::vector<std::pair<int, std::uint64_t>> visits;  // of each root move
    std::vector<std::pair<int, double>> shares;         // of each visited move: its side's share of wins
    std::vector<std::pair<int, double>> priors;         // of each move: its chances before any visit, 1 together
    std::vector<std::pair<int, Line>> lines;            // the continuation after each visited move
    std::vector<std::pair<int, Score>> scores;          // the Go family: of each visited move
    std::optional<Score> score;                         // the Go family: of all of them
    std::vector<double> values;                         // share of the score of each colour in turn order
    std::vector<double> ownership;                      // the Go family: of each point, 1 Black's, -1 White's
    std::vector<int> principal_variation;               // the most visited continuation
    std::uint64_t playouts = 0;
    std::uint64_t turns = 0;
    int proved = 0;  // 1: a proved win for the side to play, -1: a proved loss
};

// Moves of a colour to leave out, to a depth below the root.
struct Avoided {
    Colour colour;
    int move;   // a point or PASS
    int depth;  // 1: at the root only
};

// A search that keeps its tree from move to move.
class TreeSearch {
  public:
    virtual ~TreeSearch() = default;

    // Moves on to a position `moves` after the last one, or starts afresh if they are null.
    virtual void go_on(const State& root, const std::vector<int>* moves) = 0;

    // Searches the moves of the side to play. `should_stop` is polled every few hundredths of a second; once it returns
    // true the search ends with its result so far.
    virtual SearchResult think(const SearchLimits& limits, const ShouldStop& should_stop) = 0;

    // Returns the result of `think` so far, for callbacks; values are those of the calling thread's playouts.
    virtual SearchResult so_far() = 0;

    // Searches in the background without a limit, until stopped or until the memory is first used up.
    virtual void ponder() = 0;
    virtual void stop() = 0;
    virtual bool is_pondering() const = 0;
};

// Makes a search from a position that is not final. With a target, a stone's point in a game of the Go family, its
// owner wins by keeping it and nothing else counts.
std::unique_ptr<TreeSearch> make_search(const State& root, const SearchSettings& settings,
                                        const std::vector<Avoided>& avoided = {}, int target = -1);

}  // namespace kernel
