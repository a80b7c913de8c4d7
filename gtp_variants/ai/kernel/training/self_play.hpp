// Games of a network against itself, each from a seed and its number: what a learner learns from.
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
    int playouts = 32;         // of a move
    double deep_share = 0;     // so many of the moves are searched deeply, and only they are learnt from; 0: all are alike
    int deep_playouts = 400;
    int opening = 4;           // a game begins with 0 to so many moves at random
    int long_opening = 12;     // every tenth game with up to so many
    int most_moves = 1000;     // then the game is counted as it stands
    PuctSettings search;       // its seed is the game's
    PuctSettings deep_search;  // likewise
};

// Games one after the other. Of each position that is learnt from: its place, the shares that its moves should have, and
// what the search thinks of the colours.
struct PlayedGames {
    std::vector<std::int32_t> actions;    // outcomes of the dice among them
    std::vector<std::int32_t> lengths;    // of each game, in actions
    std::vector<std::int32_t> positions;  // of each game, how many are learnt from
    std::vector<std::int32_t> places;     // of each position: so many actions of its game were before it
    std::vector<std::uint16_t> policies;  // of each position, by policy index, in units of 1/65535
    std::vector<float> values;            // of each position, shares of the colours in turn order
    std::vector<std::int8_t> winners;     // of each game; 0 for a draw
    std::vector<float> margins;           // of each game: Black's lead
    std::vector<std::int8_t> owners;      // of each game and point: a colour, or 0

    void append(const PlayedGames& other);
};

// Plays games number `first` to `first + count - 1` in so many threads. The same games whatever the number of threads.
// `should_stop` is called in the calling thread every few hundredths of a second; once it answers true all end, without
// games.
PlayedGames play_games(std::shared_ptr<const Rules> rules, const Network& network, const NetworkBoard& board,
                       const Encoder& encoder, const SelfPlaySettings& settings, std::uint64_t first, int count, int threads,
                       const ShouldStop& should_stop);

class SelfPlayGame;

// Games that are played side by side, each waiting while the positions of all are judged together: by a graphics card,
// which judges thousands as fast as one. They are those that `play_games` plays.
class SelfPlayBatch {
  public:
    // Arrays of so many rows: what the network sees, and its answers: logits of the points (unit 2^-12) and what it says
    // of the whole board (2^-16).
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

    // Reads the answers, and plays each game on until its next position waits in a row; how many rows there are, from the
    // first on. None: all games are over.
    std::size_t advance(const Rows& rows);
    // Those that are over; all of them in the end.
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
