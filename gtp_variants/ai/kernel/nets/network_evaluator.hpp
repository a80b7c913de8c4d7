// A network as what a search asks: positions are encoded and judged in the kernel, without Python.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "encoder.hpp"
#include "ai/kernel/puct/puct.hpp"
#include "network.hpp"

namespace kernel {

// Where a position is written for a network, and what it says of it. One thread may use it.
class NetworkRow {
  public:
    virtual ~NetworkRow() = default;

    struct Inputs {
        std::uint8_t* planes;
        float* globals;
    };
    // Where the next position goes.
    virtual Inputs begin() = 0;
    // In so many ways it can be shown, each a symmetry of the board.
    virtual std::size_t symmetries() const { return 1; }
    // What the network says of the latest one under one of them, in the points of the board as it is.
    virtual void evaluate(std::size_t symmetry, Evaluation& out) = 0;
};

// One thread may use it; network, encoder and board can serve many.
class NetworkEvaluator final : public Evaluator {
  public:
    // Raises invalid_argument if the network does not see what the encoder writes.
    NetworkEvaluator(const Network& network, const Encoder& encoder, const NetworkBoard& board, const Rules& rules);
    // The network is evaluated elsewhere.
    NetworkEvaluator(std::unique_ptr<NetworkRow> row, const NetworkShape& shape, const Encoder& encoder, const Rules& rules);

    // An evaluation costs the same alone or beside others: none waits.
    int batch() const override { return 1; }
    // Each position is shown under one symmetry of the board, which one its stones say, so that errors that come from how
    // the board lies do not add up over the positions below a move.
    void write(int row, const State& state, const std::uint8_t* mask) override;
    // A second time under all of them: priors are those of the mean logits.
    bool knows_more() const override { return row_->symmetries() > 1; }
    void write_again(int row, const State& state, const std::uint8_t* mask) override;
    void evaluate(int rows, float* priors, float* values) override;
    std::optional<LeafDetails> details(int row) const override;

  private:
    void evaluate_under_all();

    std::unique_ptr<NetworkRow> row_;
    const Encoder& encoder_;
    bool has_score_;
    std::size_t points_, actions_, colours_;
    int pass_ = -1, swap_ = -1;  // policy indices
    std::vector<std::uint8_t> mask_;
    std::size_t mover_ = 0;  // in the turn order
    std::size_t symmetry_ = 0;
    bool is_again_ = false;
    Evaluation found_;
    std::vector<std::int64_t> sums_;
    std::vector<std::int32_t> logits_;
};

}  // namespace kernel
