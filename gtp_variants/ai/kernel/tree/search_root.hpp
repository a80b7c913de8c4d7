// The root of a search, and facts that hold for the whole search.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ai/kernel/playouts/playout.hpp"
#include "ai/kernel/playouts/with_kind.hpp"
#include "ai/kernel/rules/board_history.hpp"
#include "tree.hpp"

namespace kernel {

template <class B> struct SearchRoot {
    // Whether games have proofs, so that certain results differ from random ones.
    static constexpr bool KNOWS_PROOFS = B::KIND_OF == Kind::pentalath || B::KIND_OF == Kind::alter_igo;

    SearchRoot(const State& state, const SearchSettings& settings, Vertex target)
        : start(state, settings.dice_aware),
          style{settings.tactics, settings.atari, settings.shapes, true},
          board(board_at<B>(start)),
          legal(static_cast<std::size_t>(start.tables.points), 0),
          history(state.history()),
          hash(state.hash()),
          left{PointSet{}, state.left(BLACK), state.left(WHITE), PointSet{}},
          has_proofs(settings.proofs && KNOWS_PROOFS && start.order.size() == 2),
          holder(target == NOWHERE ? EMPTY : board->at(target)) {
        // For Aléago: moves on every line, since the dice are thrown again in each playout.
        if constexpr (B::HAS_BUCKETS) {
            state.legal_points().each([this](int point) { legal[static_cast<std::size_t>(point)] = 1; });
        } else {
            for (const int action : state.legal())
                if (action >= 0) legal[static_cast<std::size_t>(action)] = 1;
        }
    }

    // Returns whether repetitions are known to be draws.
    bool knows_draws() const { return B::KIND_OF == Kind::alter_igo && has_proofs; }

    // Returns whether repeating a board is illegal. In a search about a target it loses instead.
    bool enforces_superko() const {
        const Repetition rule = start.rules->repetition;
        const bool is_superko = rule == Repetition::psk || rule == Repetition::ssk || rule == Repetition::nssk;
        return start.rules->is_go_family() && is_superko && holder == EMPTY;
    }

    PlayoutStart start;
    PlayoutStyle style;
    std::unique_ptr<B> board;
    std::vector<std::uint8_t> legal;
    BoardHistory history;
    Hash hash;
    std::array<PointSet, 4> left;  // for each colour, points its stones may have left since an earlier board
    bool has_proofs;
    Colour holder;  // owner of the target; EMPTY: no target
};

}  // namespace kernel
