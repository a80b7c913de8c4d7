#include "network_evaluator.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace kernel {

namespace {

constexpr const char* ANOTHER_GAME = "a network of another game: it does not see what this one is played with";

// A row evaluated in the kernel at once.
class KernelRow final : public NetworkRow {
  public:
    KernelRow(const Network& network, const NetworkBoard& board)
        : network_(network), board_(board),
          planes_(static_cast<std::size_t>(network.shape().planes * board.near.points)),
          globals_(static_cast<std::size_t>(network.shape().globals)) {
        if (network.shape().taps != board.near.taps) throw std::invalid_argument(ANOTHER_GAME);
    }

    Inputs begin() override { return {planes_.data(), globals_.data()}; }
    std::size_t symmetries() const override { return board_.symmetries(); }
    void evaluate(std::size_t symmetry, Evaluation& out) override {
        network_.evaluate(board_.under(symmetry), planes_.data(), globals_.data(), work_, out);
    }

  private:
    const Network& network_;
    const NetworkBoard& board_;
    std::vector<std::uint8_t> planes_;
    std::vector<float> globals_;
    Network::Workspace work_;
};

}  // namespace

NetworkEvaluator::NetworkEvaluator(const Network& network, const Encoder& encoder, const NetworkBoard& board, const Rules& rules)
    : NetworkEvaluator(std::make_unique<KernelRow>(network, board), network.shape(), encoder, rules) {
    const int ladders = encoder.ladders();
    reads_ladders_ = ladders >= 0 && (network.reads(ladders) || network.reads(ladders + 1));
}

NetworkEvaluator::NetworkEvaluator(std::unique_ptr<NetworkRow> row, const NetworkShape& shape, const Encoder& encoder,
                                   const Rules& rules)
    : row_(std::move(row)), encoder_(encoder), has_score_(shape.has_score),
      points_(static_cast<std::size_t>(rules.topology.points)), actions_(static_cast<std::size_t>(rules.policy_size())),
      colours_(rules.colours.size()), pass_(rules.has_pass() ? rules.index_of(PASS) : -1),
      swap_(rules.has_swap() ? rules.index_of(SWAP) : -1), mask_(actions_), logits_(actions_) {
    if (shape.planes != encoder.plane_count() || shape.globals != encoder.global_count() ||
        shape.colours != static_cast<int>(colours_))
        throw std::invalid_argument(ANOTHER_GAME);
}

void NetworkEvaluator::write(int, const State& state, const std::uint8_t* mask) {
    // With hidden stones the possible tries are not the legal moves; before a throw there are none.
    const bool is_hidden = state.rules->game == Game::phantom;
    const bool is_known = !is_hidden && state.to_play() != CHANCE;
    const NetworkRow::Inputs inputs = row_->begin();
    encoder_.encode(state, EMPTY, inputs.planes, inputs.globals, is_known ? mask : nullptr, reads_ladders_);
    std::copy_n(mask, actions_, mask_.begin());
    symmetry_ = static_cast<std::size_t>(state.hash().low % row_->symmetries());
    is_again_ = false;
    komi_ = state.effective_komi();
    const auto& order = state.rules->colours;
    mover_ = static_cast<std::size_t>(std::find(order.begin(), order.end(), state.mover) - order.begin());
}

void NetworkEvaluator::write_again(int row, const State& state, const std::uint8_t* mask) {
    write(row, state, mask);
    is_again_ = true;
}

void NetworkEvaluator::evaluate_under_all() {
    const std::size_t count = row_->symmetries();
    sums_.assign(points_ + std::size_t{SPECIALS}, 0);
    for (std::size_t symmetry = 0; symmetry < count; ++symmetry) {
        row_->evaluate(symmetry, found_);
        for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += found_.logits[i];
    }
    for (std::size_t i = 0; i < sums_.size(); ++i)
        found_.logits[i] = static_cast<std::int32_t>(sums_[i] / static_cast<std::int64_t>(count));
}

void NetworkEvaluator::evaluate(int rows, float* priors, float* values) {
    if (rows == 0) return;
    if (is_again_) evaluate_under_all();
    else row_->evaluate(symmetry_, found_);
    std::copy_n(found_.logits.begin(), points_, logits_.begin());
    // The network has outputs for both, but the game may not.
    if (pass_ >= 0) logits_[static_cast<std::size_t>(pass_)] = found_.logits[points_];
    if (swap_ >= 0) logits_[static_cast<std::size_t>(swap_)] = found_.logits[points_ + 1];
    softmax(logits_.data(), mask_.data(), actions_, priors);
    // The network orders colours from the side to move, a search by turn order.
    for (std::size_t i = 0; i < colours_; ++i) values[(mover_ + i) % colours_] = found_.values[i];
    if (mover_ != 0)
        for (float& owner : found_.owners) owner = -owner;
}

std::optional<LeafDetails> NetworkEvaluator::details(int) const {
    if (colours_ != 2) return std::nullopt;
    const double draw = found_.draw;
    if (!has_score_) return LeafDetails{draw};
    // Nobody can lead by more than all points, whatever the network says of a position that it does not know.
    const double all = static_cast<double>(points_);
    const double lead = std::clamp<double>(mover_ == 0 ? found_.score : -found_.score, -all - komi_, all - komi_);
    const float* const owners = found_.owners.empty() ? nullptr : found_.owners.data();
    return LeafDetails{draw, true, lead, found_.score_spread, owners};
}

}  // namespace kernel
