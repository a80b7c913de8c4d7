// Where a search begins, and what holds for all that follows from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mcts/kernel/playouts/playout.hpp"
#include "mcts/kernel/playouts/with_kind.hpp"
#include "mcts/kernel/rules/board_history.hpp"
#include "tree.hpp"

namespace kernel {

template <class B> struct SearchRoot {
    // Whether what was won or lost for certain can be told from what was only played on at random.
    static constexpr bool KNOWS_PROOFS = B::KIND_OF == Kind::pentalath || B::KIND_OF == Kind::alter_igo;

    SearchRoot(const State& state, const SearchSettings& settings, Vertex target)
        : start(state, settings.dice_aware),
          style{settings.tactics, settings.atari, settings.shapes, true},
          board(board_at<B>(start)),
          legal(static_cast<std::size_t>(start.tables.points), 0),
          history(state.history()),
          has_proofs(settings.proofs && KNOWS_PROOFS && start.order.size() == 2),
          holder(target == NOWHERE ? EMPTY : board->at(target)) {
        // Aléago: on every line, for the dice may be thrown again.
        if constexpr (B::HAS_BUCKETS) {
            state.legal_points().each([this](int point) { legal[static_cast<std::size_t>(point)] = 1; });
        } else {
            for (const int action : state.legal())
                if (action >= 0) legal[static_cast<std::size_t>(action)] = 1;
        }
    }

    // Whether a position that comes again in a circle is known to be a draw.
    bool knows_draws() const { return B::KIND_OF == Kind::alter_igo && has_proofs; }

    PlayoutStart start;
    PlayoutStyle style;
    std::unique_ptr<B> board;
    std::vector<std::uint8_t> legal;
    BoardHistory history;
    bool has_proofs;
    Colour holder;  // of the target, EMPTY: there is none
};

}  // namespace kernel
