// When a search ends.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kernel {

// Without any limit it ends only once the game is decided, or when it is told to.
struct SearchLimits {
    std::uint64_t playouts = 0;  // 0: until the time is over
    double seconds = 0;          // 0: until the playouts are done
    double most_seconds = 0;     // how long it may take where the best two moves are close
    bool stop_early = false;     // whether to end once the second move can no longer catch up
    bool cpu_time = false;       // whether seconds are those of the first thread's own work

    bool has_any() const { return playouts > 0 || seconds > 0; }
};

// How often whoever waits for a search is asked whether it is to stop.
inline constexpr double ASK_EVERY_S = 0.02;
// Playouts that tell what it is worth, where the only move is all that is asked for.
inline constexpr std::uint64_t ONLY_MOVE = 64;
// So many times the visits of the second move make the best one clear.
inline constexpr double CLOSE = 2.5;

// Whether so many playouts in so much time are enough, where these are the most visits of a move and the second most.
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
