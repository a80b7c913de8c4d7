// One position on its way forward through a network and back: losses, and the gradients of the weights.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "layers.hpp"
#include "ai/kernel/nets/network.hpp"
#include "parameters.hpp"

namespace kernel {

// What one term of the loss counts.
struct LossWeights {
    float policy = 1, value = 1, owners = 1.5F, score = 0.1F, hidden_stones = 1;
};

// Positions on one board, by rows; whoever gives them keeps them.
struct SampleRows {
    std::size_t count = 0;
    const std::uint8_t* planes = nullptr;  // (count, planes, points): levels
    const float* globals = nullptr;        // (count, globals)
    const std::uint8_t* mask = nullptr;    // (count, points + 2): what may be played
    const float* policy = nullptr;         // (count, points + 2): shares to aim at
    const float* ends = nullptr;           // (count, colours + 1): shares of each colour's win and of a draw
    const std::int8_t* owners = nullptr;   // (count, points): 1 the side to move, -1 the other, 0 nobody; or null
    const float* score = nullptr;          // (count,): lead of the side to move, in points; or null
    const std::int8_t* hidden = nullptr;   // (count, points): 1 where a stone nobody has seen stands; or null
    const float* weight = nullptr;         // (count,): what a row counts
};

// Sums over rows, weighted; `rows` is the sum of the weights.
struct Losses {
    double rows = 0, policy = 0, value = 0, owners = 0, score = 0, hidden_stones = 0;
    void add(const Losses& other);
};

// What all rows have in common while gradients are added up.
struct PassContext {
    const NetworkShape& shape;
    const Parameters& parameters;
    const std::vector<std::array<float, LEVELS>>& levels;  // of each plane: the activation of each level
    const float* weights;  // rounded as the integer network has them
    const float* turned;   // the same with inputs and outputs exchanged
    const NetworkBoard& board;
    const TapTable& back;  // the taps in the opposite direction
    const SampleRows& rows;
    const LossWeights& loss_weights;
};

class RowPass {
  public:
    // `grads` is what the gradients of the weights are added to.
    RowPass(const PassContext& context, std::vector<float>& grads);

    Losses learn(std::size_t row);

  private:
    using Floats = std::vector<float>;

    // Means and maxima of each channel over the board, and where the maxima are.
    struct Pooled {
        Floats values;
        std::vector<std::uint32_t> peaks;
    };

    const float* weight(const LayerPlace& layer) const { return at(context_.weights, layer.weight); }
    const float* turned(const LayerPlace& layer) const { return at(context_.turned, layer.weight); }
    const float* bias(const LayerPlace& layer) const { return at(context_.weights, layer.bias); }
    float* weight_grad(const LayerPlace& layer) const { return at(grads_.data(), layer.weight); }
    float* bias_grad(const LayerPlace& layer) const { return at(grads_.data(), layer.bias); }
    template <class Number> Number* at(Number* from, int place) const {
        return from + context_.parameters.all[static_cast<std::size_t>(place)].at;
    }

    float* rows_of(Floats& table, int channels) const;
    void read_inputs(std::size_t row);
    void pool(const Floats& x, Pooled& into) const;
    const float* tell(const LayerPlace& pool, const float* bias, const Pooled& pooled);
    void run_trunk();
    void run_heads();

    void lose_policy(std::size_t row, Losses& losses);
    void lose_ends(std::size_t row, Losses& losses);
    double lose_chances(int output, const std::int8_t* truth, float slope, float share);
    float logit(std::size_t move) const;

    void return_heads();
    void return_blocks();
    void return_stem();
    void return_linear(const LayerPlace& layer, const float* in, const float* grad, int inputs, int outputs, float* grad_in);
    void return_told(const LayerPlace& pool, const Pooled& pooled, const float* grads, float* grad_x);
    void unpool(const Pooled& pooled, const Floats& grad_pooled, float* grads) const;
    void sum_points(const float* grads, float* sums) const;

    const PassContext& context_;
    const Layers& run_;
    std::vector<float>& grads_;
    std::size_t points_, channels_, used_;
    float row_weight_ = 1;
    Floats planes_, features_, told_, zeros_;
    std::vector<Floats> trunk_, inner_;  // before each block and at the end; inside each block
    std::vector<Pooled> pooled_;         // of each block, if it is told
    Pooled head_pooled_, board_pooled_;
    Floats head_, points_out_, dense_, board_out_, shares_;
    Floats grad_points_, grad_board_, grad_dense_, grad_pooled_, grad_, grad_inner_, grad_back_, sums_;
};

}  // namespace kernel
