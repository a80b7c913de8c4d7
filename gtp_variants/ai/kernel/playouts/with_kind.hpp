// The choice of a board template for a game.
#pragma once

#include <memory>
#include <type_traits>

#include "playout.hpp"
#include "playout_board.hpp"

namespace kernel {

// Calls `act` with a game's kind of board as a constant.
template <class Act> auto with_kind(Game game, Act act) {
    switch (game) {
        case Game::aleago: return act(std::integral_constant<Kind, Kind::aleago>{});
        case Game::rosette: return act(std::integral_constant<Kind, Kind::rosette>{});
        case Game::alter_igo: return act(std::integral_constant<Kind, Kind::alter_igo>{});
        case Game::pentalath: return act(std::integral_constant<Kind, Kind::pentalath>{});
        default: return act(std::integral_constant<Kind, Kind::go>{});
    }
}

// Returns the board with which playouts begin.
template <class B> std::unique_ptr<B> board_at(const PlayoutStart& start) {
    auto board = std::make_unique<B>(start.tables);
    board->set_up(start.stones);
    board->set_ko(start.ko);
    return board;
}

}  // namespace kernel
