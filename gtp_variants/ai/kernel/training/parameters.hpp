// Where the weights of a network lie in one long row of floats while they are trained.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ai/kernel/nets/network.hpp"

namespace kernel {

// By tap, input and output.
struct Parameter {
    std::string name;  // in a weight file
    int taps = 1, inputs = 1, outputs = 1;
    float unit = 1;       // what one step of its integers is worth
    bool is_bias = false;
    float spread = 0;     // standard deviation when it is drawn
    std::size_t at = 0;

    std::size_t count() const { return static_cast<std::size_t>(taps * inputs * outputs); }
};

// Weights and bias of one layer, as places in `Parameters::all`; -1: it has none.
struct LayerPlace {
    int weight = -1;
    int bias = -1;
};

struct BlockPlace {
    LayerPlace first, second, pool;
};

struct Parameters {
    explicit Parameters(const NetworkShape& shape);

    std::vector<Parameter> all;
    std::size_t count = 0;
    LayerPlace stem, globals, head, head_pool, points, dense, board;
    std::vector<BlockPlace> blocks;

  private:
    LayerPlace add(const std::string& name, int taps, int inputs, int outputs, float share, float bias_unit);
};

}  // namespace kernel
