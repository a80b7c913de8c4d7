#include "playout_evaluator.hpp"

#include <algorithm>
#include <utility>

#include "ai/kernel/playouts/with_kind.hpp"

namespace kernel {

template <Kind KIND> PlayoutEvaluator::PlayOn PlayoutEvaluator::player_on(const std::shared_ptr<PlayoutStart>& start) {
    using B = PlayoutBoard<KIND, true>;
    const auto empty = std::make_shared<B>(start->tables);
    const auto board = std::make_shared<B>(start->tables);
    // In Aléago the reply to an atari is rarely open.
    const bool replies = start->rules->game != Game::aleago;
    const PlayoutStyle style{true, replies, replies, true};
    return [start, empty, board, style](const Beginning& beginning, Rng rng) {
        board->copy_from(*empty);
        board->set_up(beginning.stones);
        board->set_ko(beginning.ko);
        start->known = beginning.known;
        PlayoutTurn turn = beginning.turn;
        const auto& order = start->order;
        turn.next = static_cast<std::size_t>(std::find(order.begin(), order.end(), beginning.mover) - order.begin());
        return Playout<KIND, true, Silent>(*start, *board, rng, Silent{}, turn, style).run();
    };
}

PlayoutEvaluator::PlayoutEvaluator(std::unique_ptr<Evaluator> judge, const State& root, double weight, std::uint64_t seed)
    : judge_(std::move(judge)), order_(root.rules->colours), weight_(static_cast<float>(weight)), seed_(seed) {
    if (weight <= 0 || order_.size() != 2) return;
    start_ = std::make_shared<PlayoutStart>(root);
    play_on_ = with_kind(root.rules->game, [this](auto kind) { return player_on<decltype(kind)::value>(start_); });
}

void PlayoutEvaluator::write(int row, const State& state, const std::uint8_t* mask) {
    judge_->write(row, state, mask);
    if (!play_on_) return;
    Beginning& beginning = beginning_of(row);
    const int points = state.board().points();
    beginning.stones.resize(static_cast<std::size_t>(points));
    for (int point = 0; point < points; ++point) beginning.stones[static_cast<std::size_t>(point)] = state.at(point);
    beginning.ko = state.ko() < 0 ? NOWHERE : static_cast<Vertex>(state.ko());
    const bool has_last = state.last && state.last->action >= 0;
    const Vertex last = has_last ? static_cast<Vertex>(state.last->action) : NOWHERE;
    beginning.mover = state.mover;
    beginning.turn = {0, state.passes, state.passes_left, 0, 0, last, NOWHERE, state.effective_komi(), state.has_button()};
    beginning.known = start_->openings_of(state.draws);
}

void PlayoutEvaluator::write_again(int row, const State& state, const std::uint8_t* mask) {
    judge_->write_again(row, state, mask);
    beginning_of(row).mover = EMPTY;
}

PlayoutEvaluator::Beginning& PlayoutEvaluator::beginning_of(int row) {
    if (beginnings_.size() <= static_cast<std::size_t>(row)) beginnings_.resize(static_cast<std::size_t>(row) + 1);
    return beginnings_[static_cast<std::size_t>(row)];
}

void PlayoutEvaluator::evaluate(int rows, float* priors, float* values) {
    judge_->evaluate(rows, priors, values);
    changes_.assign(static_cast<std::size_t>(rows), 0);
    if (!play_on_) return;
    for (int row = 0; row < rows; ++row) {
        const Beginning& beginning = beginning_of(row);
        if (beginning.mover == EMPTY) {
            values += order_.size();
            continue;
        }
        const PlayoutEnd end = play_on_(beginning, Rng::of_playout(seed_, played_++));
        for (const Colour colour : order_) {
            const float share = end.winner == EMPTY ? 0.5F : end.winner == colour ? 1.0F : 0.0F;
            const float mixed = (1 - weight_) * *values + weight_ * share;
            if (colour == order_.front()) changes_[static_cast<std::size_t>(row)] = double{mixed} - double{*values};
            *values++ = mixed;
        }
    }
}

std::optional<LeafDetails> PlayoutEvaluator::details(int row) const {
    std::optional<LeafDetails> found = judge_->details(row);
    if (found) found->playout_change = changes_[static_cast<std::size_t>(row)];
    return found;
}

}  // namespace kernel
