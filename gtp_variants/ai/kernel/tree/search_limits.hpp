// The limits of a search.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kernel {

// Without limits a search ends only when the game is decided or when it is stopped.
struct SearchLimits {
    std::uint64_t playouts = 0;  // 0: until the time is over
    double seconds = 0;          // 0: until the playouts are done
    double most_seconds = 0;     // longest duration where the best two moves are close
    bool stop_early = false;     // whether to end once the second move can no longer catch up
    bool cpu_time = false;       // whether to count the first thread's CPU time

    bool has_any() const { return playouts > 0 || seconds > 0; }
};

// Seconds between two polls of `should_stop`.
inline constexpr double ASK_EVERY_S = 0.02;
// Playouts spent to value a position with only one move.
inline constexpr std::uint64_t ONLY_MOVE = 64;
// Ratio of visits at which the best move is clear of the second.
inline constexpr double CLOSE = 2.5;

// Returns whether a search may end; `best` and `second` are the most visits of two moves.
inline bool is_enough(const SearchLimits& limits, double best, double second, std::uint64_t playouts, double took_s) {
    const double end_s = best < CLOSE * second ? std::max(limits.seconds, limits.most_seconds) : limits.seconds;
    if (limits.seconds > 0 && took_s >= end_s) return true;
    if (!limits.stop_early) return false;
    const auto done = static_cast<double>(playouts);
    double left = limits.playouts > 0 ? static_cast<double>(limits.playouts) - done : INFINITY;
    if (limits.seconds > 0) left = std::min(left, done * (end_s - took_s) / std::max(took_s, 1e-6));
    return best - second > left;
}

}  // namespace kernel
