// Many games stepped together, with observations written into the caller's arrays.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "encoder.hpp"
#include "ai/kernel/threads/worker_threads.hpp"
#include "running_game.hpp"

namespace kernel {

// Where planes are written: as integers, or as floats from 0 to 1; the other pointer is null.
struct PlanesOut {
    std::uint8_t* levels = nullptr;
    float* floats = nullptr;
};

// Encodes the view of the side to move; `mask` is the state's mask, or null.
void encode_for_mover(const Encoder& encoder, const State& state, PlanesOut planes, float* globals,
                      const std::uint8_t* mask = nullptr);

// The output arrays of a batch, with a row for each game.
struct BatchArrays {
    PlanesOut planes;
    float* globals = nullptr;
    std::uint8_t* mask = nullptr;
    std::int8_t* to_play = nullptr;
    float* rewards = nullptr;
    std::uint8_t* done = nullptr;
};

class Batch {
  public:
    static constexpr int ALL_LEGAL = -1;
    // Used instead of an index: the game does not act.
    static constexpr std::int32_t HOLD = std::numeric_limits<std::int32_t>::min();

    Batch(std::shared_ptr<const Rules> rules, std::shared_ptr<const Encoder> encoder, int games, std::uint64_t seed,
          int threads, bool throws_dice, const BatchArrays& arrays);

    int games() const { return static_cast<int>(games_.size()); }
    // Restarts every game in which a player has acted, and fills the arrays; the dice continue.
    void reset();
    // Carries out one action per game, by policy index (before a throw the number of an outcome), and fills the arrays.
    // Ended games restart. Returns ALL_LEGAL, or the first game with an illegal index and then changes nothing.
    int step(const std::int32_t* indices);

    // Returns the actions of a running game, and of the game that the last step ended in its place, if any.
    const std::vector<std::int32_t>& actions(int game) const { return games_[at(game)].actions(); }
    const std::vector<std::int32_t>& ended_actions(int game) const { return ended_[at(game)]; }

  private:
    static std::size_t at(int game) { return static_cast<std::size_t>(game); }
    bool is_allowed(int game, int index) const;
    void step_one(int game, int index);
    void observe(int game);
    void reward(int game);
    template <class Act> void each_game(Act act);

    std::shared_ptr<const Rules> rules_;
    std::shared_ptr<const Encoder> encoder_;
    State start_;
    BatchArrays arrays_;
    std::size_t actions_, colours_;
    std::vector<RunningGame> games_;
    std::vector<std::vector<std::int32_t>> ended_;
    std::vector<std::uint8_t> masks_;  // a copy: the caller may have changed its array
    WorkerThreads threads_;
};

}  // namespace kernel
