// Where a search begins, and what holds for all that follows from there.
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
    // Whether what was won or lost for certain can be told from what was only played on at random.
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

    // Whether a board that was seen before may not be made again. About a target whoever does so loses instead.
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
    std::array<PointSet, 4> left;  // of each colour: points that a stone of it may have left since a board was seen
    bool has_proofs;
    Colour holder;  // of the target, EMPTY: there is none
};

}  // namespace kernel
