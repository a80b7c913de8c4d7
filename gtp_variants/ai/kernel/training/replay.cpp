#include "replay.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace kernel {

Replay::Replay(std::shared_ptr<const Rules> rules, std::shared_ptr<const Encoder> encoder, std::vector<std::int32_t> symmetries,
               int threads)
    : rules_(rules), encoder_(std::move(encoder)), start_(rules), points_(static_cast<std::size_t>(rules->topology.points)),
      symmetries_(std::move(symmetries)), threads_(std::max(1, threads)) {}

std::int64_t Replay::read(const ReplayRows& rows) {
    std::atomic<std::size_t> next{0};
    std::atomic<std::int64_t> wrong{-1};
    threads_.run([&](int) {
        for (std::size_t row = next++; row < rows.count; row = next++)
            if (!read_row(rows, row)) wrong = static_cast<std::int64_t>(row);
    });
    return wrong;
}

bool Replay::read_row(const ReplayRows& rows, std::size_t row) const {
    State state = start_;
    const std::int32_t* action = rows.actions + rows.begins[row];
    for (std::int32_t left = rows.places[row]; left > 0; --left) {
        if (left == 1 && rows.before_throws[row] && state.to_play() == CHANCE) break;
        if (state.play(*action++) != Refusal::none) return false;
    }
    const std::size_t planes = encoder_->scales().size(), moves = points_ + SPECIALS;
    std::vector<std::uint8_t> levels(planes * points_), mask(static_cast<std::size_t>(rules_->policy_size()));
    // With hidden stones a seat learns from its own knowledge, and its tries may be refused.
    const bool is_seat = rows.hidden != nullptr;
    if (state.to_play() != CHANCE)
        for (const int move : is_seat ? state.actions() : state.legal()) mask[static_cast<std::size_t>(rules_->index_of(move))] = 1;
    encoder_->encode(state, is_seat ? state.mover : EMPTY, levels.data(), rows.globals + row * globals());
    rows.to_play[row] = static_cast<std::int8_t>(state.mover);
    const std::int32_t* goes_to = symmetries_.data() + static_cast<std::size_t>(rows.symmetries[row]) * points_;
    const std::uint8_t* level = levels.data();
    for (std::size_t plane = 0; plane < planes; ++plane) {
        std::uint8_t* out = rows.planes + (row * planes + plane) * points_;
        for (std::size_t point = 0; point < points_; ++point) out[goes_to[point]] = *level++;
    }
    for (std::size_t point = 0; is_seat && point < points_; ++point) {
        const auto vertex = static_cast<int>(point);
        const bool is_hidden = state.at(vertex) == rules_->other(state.mover) && !state.seen.has(vertex);
        rows.hidden[row * points_ + static_cast<std::size_t>(goes_to[point])] = is_hidden;
    }
    std::uint8_t* out = rows.mask + row * moves;
    std::fill_n(out, moves, std::uint8_t{0});
    for (std::size_t point = 0; point < points_; ++point) out[goes_to[point]] = mask[point];
    if (rules_->has_pass()) out[points_] = mask[static_cast<std::size_t>(rules_->index_of(PASS))];
    if (rules_->has_swap()) out[points_ + 1] = mask[static_cast<std::size_t>(rules_->index_of(SWAP))];
    return true;
}

}  // namespace kernel
