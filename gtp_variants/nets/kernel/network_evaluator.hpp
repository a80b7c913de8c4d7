// A network as what a search asks: positions are encoded and judged in the kernel, without Python.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "encoder.hpp"
#include "network.hpp"
#include "puct.hpp"

namespace kernel {

// One thread may use it; network, encoder and board can serve many.
class NetworkEvaluator final : public Evaluator {
  public:
    // Raises invalid_argument if the network does not see what the encoder writes.
    NetworkEvaluator(const Network& network, const Encoder& encoder, const NetworkBoard& board, const Rules& rules);

    // An evaluation costs the same alone or beside others: none waits.
    int batch() const override { return 1; }
    void write(int row, const State& state, const std::uint8_t* mask) override;
    void evaluate(int rows, float* priors, float* values) override;
    std::optional<LeafScore> score(int row) const override;

  private:
    const Network& network_;
    const Encoder& encoder_;
    const NetworkBoard& board_;
    std::size_t points_, actions_, colours_;
    int pass_ = -1, swap_ = -1;  // policy indices
    std::vector<std::uint8_t> planes_, mask_;
    std::vector<float> globals_;
    std::size_t mover_ = 0;  // in the turn order
    Network::Workspace work_;
    Evaluation found_;
    std::vector<std::int32_t> logits_;
};

}  // namespace kernel
