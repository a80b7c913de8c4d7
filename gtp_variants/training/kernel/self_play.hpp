// Games of a network against itself, each from a seed and its number: what a learner learns from.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "encoder.hpp"
#include "network.hpp"
#include "puct.hpp"

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
PlayedGames play_games(std::shared_ptr<const Rules> rules, const Network& network, const NetworkBoard& board,
                       const Encoder& encoder, const SelfPlaySettings& settings, std::uint64_t first, int count, int threads);

}  // namespace kernel
