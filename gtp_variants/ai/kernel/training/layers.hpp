// The loops of the learner over one position, in the form that suits this processor.
#pragma once

#include <cstddef>

#include "ai/kernel/nets/convolution.hpp"

namespace kernel {

struct Layers {
    // out = bias + the sum over taps and inputs; weights by tap, input, output; `outputs` is a multiple of LANES.
    void (*convolve)(const TapTable& taps, const float* in, int inputs, const float* weights, int outputs,
                     const float* bias, float* out);
    // into += for each tap, input and output the sum over points of input times gradient.
    void (*correlate)(const TapTable& taps, const float* in, int inputs, const float* grads, int outputs, float* into);
    // Rounds sums to activations as the integer network does, after adding a residual if there is one.
    void (*activate)(float* sums, const float* residual, std::size_t count);
    // What passes back through an activation: nothing where it is at a bound, but for what draws it off the upper one.
    void (*gate)(const float* activations, float* grads, std::size_t count);
};

const Layers& best_layers();

}  // namespace kernel
