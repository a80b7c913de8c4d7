// Many games stepped together, and what a learner sees of them in arrays of the caller's.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "encoder.hpp"
#include "ai/kernel/threads/worker_threads.hpp"
#include "running_game.hpp"

namespace kernel {

// Where planes are written: as whole numbers, or as floats from 0 to 1; the other is null.
struct PlanesOut {
    std::uint8_t* levels = nullptr;
    float* floats = nullptr;
};

// Writes what the side to move sees; `mask`, if it is at hand, is that of the state.
void encode_for_mover(const Encoder& encoder, const State& state, PlanesOut planes, float* globals,
                      const std::uint8_t* mask = nullptr);

// Where a batch writes; each array has a row for each game.
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
    // Instead of an index: this game stays as it is.
    static constexpr std::int32_t HOLD = std::numeric_limits<std::int32_t>::min();

    Batch(std::shared_ptr<const Rules> rules, std::shared_ptr<const Encoder> encoder, int games, std::uint64_t seed,
          int threads, bool throws_dice, const BatchArrays& arrays);

    int games() const { return static_cast<int>(games_.size()); }
    // Begins every game again in which somebody has acted, and fills the arrays; the dice go on.
    void reset();
    // Carries out one action in every game, by policy index (a number of an outcome where the dice are to be thrown),
    // and fills the arrays; games that end begin again. Answers ALL_LEGAL, or the first game whose index is not
    // allowed, and then nothing has changed.
    int step(const std::int32_t* indices);

    // What was played in a game that is going on, and in the one that the last step ended in its place, if it did.
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
    std::vector<std::uint8_t> masks_;  // as they were written: the caller's array may have been changed since
    WorkerThreads threads_;
};

}  // namespace kernel
