// A learner's game: its state, its actions and its dice.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ai/kernel/belief/rng.hpp"
#include "ai/kernel/rules/state.hpp"

namespace kernel {

class RunningGame {
  public:
    // Starts game number `number` of a seed; `throws_dice` throws due dice at once.
    RunningGame(std::shared_ptr<const Rules> rules, std::uint64_t seed, std::uint64_t number, bool throws_dice)
        : state_(std::move(rules)), rng_(Rng::of_playout(seed, number)), throws_dice_(throws_dice) {
        begin();
    }

    const State& state() const { return state_; }
    // Returns all actions since the start, outcomes of the dice included.
    const std::vector<std::int32_t>& actions() const { return actions_; }
    // Returns whether a player has acted.
    bool has_begun() const { return actions_.size() > thrown_; }

    // Carries out an action and throws due dice, or returns why not and changes nothing.
    Refusal play(int action) {
        const Refusal refusal = state_.play(action);
        if (refusal != Refusal::none) return refusal;
        actions_.push_back(action);
        throw_dice();
        return refusal;
    }

    // Restarts from `start`; the dice continue.
    void restart(const State& start) {
        state_ = start;
        actions_.clear();
        begin();
    }

  private:
    void begin() {
        throw_dice();
        thrown_ = actions_.size();
    }
    void throw_dice() {
        while (throws_dice_ && state_.to_play() == CHANCE) {
            const int outcome = state_.rules->throw_dice(state_.dice, rng_);
            state_.play(outcome);
            actions_.push_back(outcome);
        }
    }

    State state_;
    Rng rng_;
    bool throws_dice_;
    std::vector<std::int32_t> actions_;
    std::size_t thrown_ = 0;  // number of actions that are dice before the first turn
};

}  // namespace kernel
