// Self-play games of a network, each determined by a seed and its number, for training.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ai/kernel/belief/should_stop.hpp"
#include "ai/kernel/puct/puct.hpp"
#include "ai/kernel/threads/worker_threads.hpp"
#include "ai/kernel/nets/encoder.hpp"
#include "ai/kernel/nets/network.hpp"

namespace kernel {

struct SelfPlaySettings {
    std::uint64_t seed = 0;
    int playouts = 32;         // per move
    double deep_share = 0;     // share of moves searched deeply, which alone are learnt from; 0: all moves alike
    int deep_playouts = 400;
    int opening = 4;           // random moves at the start of a game, 0 to this many
    int long_opening = 12;     // the same for every tenth game
    int most_moves = 1000;     // after which the game is counted as it stands
    PuctSettings search;       // its seed is the game's
    PuctSettings deep_search;  // likewise
};

// Games one after the other, and for each position to learn from: its place, its policy and the search's values.
struct PlayedGames {
    std::vector<std::int32_t> actions;    // outcomes of the dice among them
    std::vector<std::int32_t> lengths;    // of each game, in actions
    std::vector<std::int32_t> positions;  // positions to learn from in each game
    std::vector<std::int32_t> places;     // of each position: the number of earlier actions in its game
    std::vector<std::uint16_t> policies;  // of each position, by policy index, in units of 1/65535
    std::vector<float> values;            // of each position, shares of the colours in turn order
    std::vector<std::int8_t> winners;     // of each game; 0 for a draw
    std::vector<float> margins;           // of each game: Black's lead
    std::vector<std::int8_t> owners;      // of each game and point: a colour, or 0

    void append(const PlayedGames& other);
};

// Plays games number `first` to `first + count - 1`, the same whatever the number of threads. `should_stop` is polled
// in the calling thread every few hundredths of a second; once it returns true all end without games.
PlayedGames play_games(std::shared_ptr<const Rules> rules, const Network& network, const NetworkBoard& board,
                       const Encoder& encoder, const SelfPlaySettings& settings, std::uint64_t first, int count, int threads,
                       const ShouldStop& should_stop);

class SelfPlayGame;

// Games played side by side, whose waiting positions are judged together, as by a graphics card that judges thousands
// as fast as one. They are the games of `play_games`.
class SelfPlayBatch {
  public:
    // The arrays of a batch: the network's inputs, its logits of the points (unit 2^-12) and its outputs for the whole
    // board (2^-16).
    struct Rows {
        std::uint8_t* planes = nullptr;
        float* globals = nullptr;
        const std::int32_t* logits = nullptr;
        const std::int32_t* board = nullptr;
    };

    SelfPlayBatch(std::shared_ptr<const Rules> rules, const NetworkShape& shape, std::shared_ptr<const Encoder> encoder,
                  const SelfPlaySettings& settings, std::uint64_t first, int count, int rows, int threads);
    ~SelfPlayBatch();

    std::size_t rows() const { return playing_.size(); }
    std::size_t points() const { return static_cast<std::size_t>(rules_->topology.points); }
    const NetworkShape& shape() const { return shape_; }

    // Reads the answers, and plays each game until its next position waits in a row; returns the number of rows, 0 if
    // all games are over.
    std::size_t advance(const Rows& rows);
    // Returns the finished games.
    PlayedGames games() const;

  private:
    struct Playing {
        std::size_t number = 0;
        std::unique_ptr<SelfPlayGame> game;
    };
    void advance(Playing& playing);
    bool begin_game(Playing& playing);

    std::shared_ptr<const Rules> rules_;
    NetworkShape shape_;
    std::shared_ptr<const Encoder> encoder_;
    SelfPlaySettings settings_;
    std::uint64_t first_;
    Rows rows_;
    std::vector<PlayedGames> games_;
    std::vector<Playing> playing_;
    std::atomic<std::size_t> begun_{0}, used_{0};  // games, rows
    WorkerThreads workers_;
};

}  // namespace kernel
