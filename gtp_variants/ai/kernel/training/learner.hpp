// Training of the integer network: forward in floats that are exactly its integers, gradients straight through the
// rounding, Adam. One step gives the same weights whatever the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "parameters.hpp"
#include "row_pass.hpp"

namespace kernel {

class Learner {
  public:
    // Weights drawn by chance.
    Learner(const NetworkShape& shape, const std::vector<int>& plane_scales, std::uint64_t seed, int threads = 1);

    const NetworkShape& shape() const { return shape_; }

    // Adds the gradients of these rows to those of the step that is being made.
    Losses add(const NetworkBoard& board, const SampleRows& rows, const LossWeights& weights);
    // Makes the step: Adam with decoupled decay; `average` is the share of the past in the mean of weights.
    void step(float rate, float decay, float average);

    // The gradients added so far, by tensor, each by tap, input, output.
    std::vector<std::pair<std::string, std::vector<float>>> gradients() const;
    // Tensors as in a weight file: the mean of the weights, rounded.
    Network::Bytes tensors() const;
    // Begins anew from the weights of a file. Raises invalid_argument for a tensor that is missing or of another size.
    void begin_from(const Network::Bytes& tensors);
    // Weights, their mean, both moments and the number of steps: all that training goes on from.
    std::vector<float> state() const;
    void restore(const std::vector<float>& state);

  private:
    void round_weights();

    NetworkShape shape_;
    Parameters parameters_;
    int threads_;
    std::vector<std::array<float, LEVELS>> levels_;
    std::vector<float> weights_, mean_, first_, second_, grads_;
    std::vector<float> rounded_, turned_;
    std::int64_t steps_ = 0;
    double rows_ = 0;
};

}  // namespace kernel
