// A network as the evaluator of a search, without Python.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "encoder.hpp"
#include "ai/kernel/puct/puct.hpp"
#include "network.hpp"

namespace kernel {

// A place to write a position for a network and read the evaluation. Use it from one thread.
class NetworkRow {
  public:
    virtual ~NetworkRow() = default;

    struct Inputs {
        std::uint8_t* planes;
        float* globals;
    };
    // Returns where to write the next position.
    virtual Inputs begin() = 0;
    // Returns the number of symmetries under which it can be shown.
    virtual std::size_t symmetries() const { return 1; }
    // Evaluates the latest position under a symmetry; the result is for the original board.
    virtual void evaluate(std::size_t symmetry, Evaluation& out) = 0;
};

// Use it from one thread; network, encoder and board can serve many.
class NetworkEvaluator final : public Evaluator {
  public:
    // Throws invalid_argument if the network's inputs are not the encoder's.
    NetworkEvaluator(const Network& network, const Encoder& encoder, const NetworkBoard& board, const Rules& rules);
    // Uses a network evaluated elsewhere.
    NetworkEvaluator(std::unique_ptr<NetworkRow> row, const NetworkShape& shape, const Encoder& encoder, const Rules& rules);

    // A batch would save nothing, so positions need not wait for each other.
    int batch() const override { return 1; }
    // Each position is shown under one symmetry of the board, chosen by its stones, so that errors due to orientation
    // do not add up over the positions below a move.
    void write(int row, const State& state, const std::uint8_t* mask) override;
    // The second evaluation averages the logits over all symmetries.
    bool knows_more() const override { return row_->symmetries() > 1; }
    void write_again(int row, const State& state, const std::uint8_t* mask) override;
    void evaluate(int rows, float* priors, float* values) override;
    std::optional<LeafDetails> details(int row) const override;

  private:
    void evaluate_under_all();

    std::unique_ptr<NetworkRow> row_;
    const Encoder& encoder_;
    bool has_score_;
    bool reads_ladders_ = true;
    std::size_t points_, actions_, colours_;
    int pass_ = -1, swap_ = -1;  // policy indices
    std::vector<std::uint8_t> mask_;
    std::size_t mover_ = 0;  // in the turn order
    double komi_ = 0;
    std::size_t symmetry_ = 0;
    bool is_again_ = false;
    Evaluation found_;
    std::vector<std::int64_t> sums_;
    std::vector<std::int32_t> logits_;
};

}  // namespace kernel
