// A network as what a search asks: positions are encoded and judged in the kernel, without Python.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "encoder.hpp"
#include "network.hpp"
#include "puct.hpp"

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
    // What the network says of the latest one.
    virtual void evaluate(Evaluation& out) = 0;
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
    void write(int row, const State& state, const std::uint8_t* mask) override;
    void evaluate(int rows, float* priors, float* values) override;
    std::optional<LeafDetails> details(int row) const override;

  private:
    std::unique_ptr<NetworkRow> row_;
    const Encoder& encoder_;
    bool has_score_;
    std::size_t points_, actions_, colours_;
    int pass_ = -1, swap_ = -1;  // policy indices
    std::vector<std::uint8_t> mask_;
    std::size_t mover_ = 0;  // in the turn order
    Evaluation found_;
    std::vector<std::int32_t> logits_;
};

}  // namespace kernel
