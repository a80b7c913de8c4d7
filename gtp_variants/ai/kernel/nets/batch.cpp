// Stepping of a batch.
#include "batch.hpp"

#include <algorithm>

namespace kernel {

void encode_for_mover(const Encoder& encoder, const State& state, PlanesOut planes, float* globals,
                      const std::uint8_t* mask) {
    if (planes.levels) return encoder.encode(state, state.mover, planes.levels, globals, mask);
    const auto points = static_cast<std::size_t>(state.board().points());
    thread_local std::vector<std::uint8_t> levels;
    levels.resize(encoder.scales().size() * points);
    encoder.encode(state, state.mover, levels.data(), globals, mask);
    const std::uint8_t* level = levels.data();
    float* out = planes.floats;
    for (const std::uint8_t scale : encoder.scales())
        for (std::size_t point = 0; point < points; ++point)
            *out++ = static_cast<float>(*level++) / static_cast<float>(scale);
}

Batch::Batch(std::shared_ptr<const Rules> rules, std::shared_ptr<const Encoder> encoder, int games, std::uint64_t seed,
             int threads, bool throws_dice, const BatchArrays& arrays)
    : rules_(rules),
      encoder_(std::move(encoder)),
      start_(rules),
      arrays_(arrays),
      actions_(static_cast<std::size_t>(rules->policy_size())),
      colours_(rules->colours.size()),
      ended_(at(games)),
      masks_(at(games) * actions_),
      threads_(std::clamp(threads, 1, games)) {
    for (int game = 0; game < games; ++game)
        games_.emplace_back(rules, seed, static_cast<std::uint64_t>(game), throws_dice);
    each_game([this](int game) { observe(game); });
}

// Calls `act` with every game, divided among the threads.
template <class Act> void Batch::each_game(Act act) {
    const int all = games();
    threads_.run([&](int part) {
        const auto from = [&](int number) { return static_cast<int>(std::int64_t{all} * number / threads_.parts()); };
        for (int game = from(part); game < from(part + 1); ++game) act(game);
    });
}

void Batch::reset() {
    each_game([this](int game) {
        if (games_[at(game)].has_begun()) games_[at(game)].restart(start_);
        ended_[at(game)].clear();
        observe(game);
    });
}

int Batch::step(const std::int32_t* indices) {
    for (int game = 0; game < games(); ++game)
        if (!is_allowed(game, indices[game])) return game;
    each_game([this, indices](int game) { step_one(game, indices[game]); });
    return ALL_LEGAL;
}

bool Batch::is_allowed(int game, int index) const {
    const State& state = games_[at(game)].state();
    if (index == HOLD) return true;
    if (index < 0) return false;
    if (state.to_play() != CHANCE) return at(index) < actions_ && masks_[at(game) * actions_ + at(index)];
    const int outcomes = state.dice.outcomes();
    return index == outcomes || (index < outcomes && rules_->stands(state.dice, index));
}

void Batch::step_one(int game, int index) {
    RunningGame& running = games_[at(game)];
    ended_[at(game)].clear();
    if (index == HOLD) {
        arrays_.done[game] = 0;
        std::fill_n(arrays_.rewards + at(game) * colours_, colours_, 0.0F);
        return;
    }
    running.play(running.state().to_play() == CHANCE ? index : rules_->action_of(index));
    reward(game);
    if (running.state().is_over()) {
        ended_[at(game)] = running.actions();
        running.restart(start_);
    }
    observe(game);
}

void Batch::reward(int game) {
    const auto outcome = games_[at(game)].state().outcome();
    arrays_.done[game] = outcome.has_value();
    for (std::size_t i = 0; i < colours_; ++i) {
        const float share = !outcome ? 0.0F : outcome->winner == EMPTY ? 0.5F : outcome->winner == rules_->colours[i] ? 1.0F : 0.0F;
        arrays_.rewards[at(game) * colours_ + i] = share;
    }
}

void Batch::observe(int game) {
    const State& state = games_[at(game)].state();
    std::uint8_t* mask = &masks_[at(game) * actions_];
    state.mask(mask);
    std::copy_n(mask, actions_, arrays_.mask + at(game) * actions_);
    arrays_.to_play[game] = static_cast<std::int8_t>(state.to_play());
    const std::size_t offset = at(game) * encoder_->scales().size() * at(rules_->topology.points);
    PlanesOut planes = arrays_.planes;
    if (planes.levels) planes.levels += offset;
    else planes.floats += offset;
    encode_for_mover(*encoder_, state, planes, arrays_.globals + game * encoder_->global_count(), mask);
}

}  // namespace kernel
