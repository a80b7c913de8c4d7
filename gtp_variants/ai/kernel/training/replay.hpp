// Positions of games recorded as actions, encoded on demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ai/kernel/threads/worker_threads.hpp"
#include "ai/kernel/nets/encoder.hpp"
#include "ai/kernel/nets/network.hpp"

namespace kernel {

// The requested positions, one row each, and where to write them.
struct ReplayRows {
    std::size_t count = 0;
    const std::int32_t* actions = nullptr;     // of all games
    const std::int64_t* begins = nullptr;      // where the game's actions begin
    const std::int32_t* places = nullptr;      // the number of them to play
    const std::int32_t* symmetries = nullptr;  // the symmetry that transforms the board
    const std::uint8_t* before_throws = nullptr;  // whether to leave out the last one if it is a throw
    std::uint8_t* planes = nullptr;            // (count, planes, points)
    float* globals = nullptr;                  // (count, globals)
    std::uint8_t* mask = nullptr;              // (count, points + 2)
    std::int8_t* to_play = nullptr;            // (count,)
    std::int8_t* hidden = nullptr;             // (count, points): 1 for a stone hidden from the side to move
};

class Replay {
  public:
    // `symmetries`: where each point goes, a row each.
    Replay(std::shared_ptr<const Rules> rules, std::shared_ptr<const Encoder> encoder, std::vector<std::int32_t> symmetries, int threads);

    std::size_t points() const { return points_; }
    std::size_t planes() const { return encoder_->scales().size(); }
    std::size_t globals() const { return static_cast<std::size_t>(encoder_->global_count()); }
    bool hides_stones() const { return rules_->game == Game::phantom; }
    std::size_t symmetry_count() const { return symmetries_.size() / points_; }

    // Returns the first row whose actions cannot be played, or -1.
    std::int64_t read(const ReplayRows& rows);

  private:
    bool read_row(const ReplayRows& rows, std::size_t row) const;

    std::shared_ptr<const Rules> rules_;
    std::shared_ptr<const Encoder> encoder_;
    State start_;
    std::size_t points_;
    std::vector<std::int32_t> symmetries_;
    WorkerThreads threads_;
};

}  // namespace kernel
