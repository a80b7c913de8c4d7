#include "parameters.hpp"

#include <cmath>

namespace kernel {

namespace {

constexpr float WEIGHT_UNIT = 1.0F / 128;
constexpr float SUM_UNIT = 1.0F / 4096;
constexpr float POOLED_SUM_UNIT = 1.0F / 65536;
constexpr float NO_BIAS = 0;

}  // namespace

Parameters::Parameters(const NetworkShape& shape) {
    const int c = shape.channels;
    stem = add("stem", shape.taps, shape.planes, c, 1, SUM_UNIT);
    globals = add("stem.globals", 1, shape.globals, c, 0.5F, NO_BIAS);
    for (int block = 0; block < shape.blocks; ++block) {
        const std::string name = "blocks." + std::to_string(block);
        BlockPlace place;
        place.first = add(name + ".first", shape.taps, c, c, 1, SUM_UNIT);
        // Residual blocks begin as small corrections.
        place.second = add(name + ".second", shape.taps, c, c, 0.5F, SUM_UNIT);
        if (shape.pools(block)) place.pool = add(name + ".pool", 1, 2 * c, c, 0.5F, NO_BIAS);
        blocks.push_back(place);
    }
    head = add("head", 1, c, c, 1, SUM_UNIT);
    head_pool = add("head.pool", 1, 2 * c, c, 0.5F, NO_BIAS);
    // Outputs begin small: nothing is known yet.
    points = add("points", 1, c, shape.outputs_a_point(), 0.3F, SUM_UNIT);
    dense = add("dense", 1, 2 * c, shape.hidden, 1, POOLED_SUM_UNIT);
    board = add("board", 1, shape.hidden, shape.outputs_a_board(), 0.3F, POOLED_SUM_UNIT);
}

LayerPlace Parameters::add(const std::string& name, int taps, int inputs, int outputs, float share, float bias_unit) {
    LayerPlace place;
    const auto append = [this](Parameter parameter) {
        parameter.at = count;
        count += parameter.count();
        all.push_back(std::move(parameter));
        return static_cast<int>(all.size()) - 1;
    };
    // K. He and others, "Delving Deep into Rectifiers", 2015: what keeps activations of one size from layer to layer.
    const float spread = share * std::sqrt(2.0F / static_cast<float>(taps * inputs));
    place.weight = append({name + ".weight", taps, inputs, outputs, WEIGHT_UNIT, false, spread});
    if (bias_unit != NO_BIAS) place.bias = append({name + ".bias", 1, 1, outputs, bias_unit, true, 0});
    return place;
}

}  // namespace kernel
