#include "row_pass.hpp"

#include <algorithm>
#include <cmath>

namespace kernel {

namespace {

// The integer network's units: steps to 1 of sums and of what is pooled, and the most of its dense layer.
constexpr float SUM_STEPS = 4096;
constexpr float POOL_STEPS = 512;
constexpr float DENSE_MOST = 4095.0F / 512;
constexpr float SMALLEST_SHARE = 1e-7F;

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

// sums += in * w, weights by input and output.
void add_linear(const float* w, const float* in, int inputs, int outputs, float* sums) {
    for (int input = 0; input < inputs; ++input)
        for (int output = 0; output < outputs; ++output) sums[output] += in[input] * w[input * outputs + output];
}

}  // namespace

void Losses::add(const Losses& other) {
    rows += other.rows;
    policy += other.policy;
    value += other.value;
    owners += other.owners;
    score += other.score;
    hidden_stones += other.hidden_stones;
}

RowPass::RowPass(const PassContext& context, std::vector<float>& grads)
    : context_(context), run_(best_layers()), grads_(grads), points_(static_cast<std::size_t>(context.board.near.points)),
      channels_(static_cast<std::size_t>(context.shape.channels)), used_(points_ * channels_) {
    const auto blocks = static_cast<std::size_t>(context.shape.blocks);
    trunk_.resize(blocks + 1);
    inner_.resize(blocks);
    pooled_.resize(blocks);
    zeros_.assign(channels_, 0);
}

Losses RowPass::learn(std::size_t row) {
    const SampleRows& rows = context_.rows;
    const LossWeights& weights = context_.loss_weights;
    row_weight_ = rows.weight[row];
    read_inputs(row);
    run_trunk();
    run_heads();
    Losses losses;
    losses.rows = row_weight_;
    grad_points_.assign(points_out_.size(), 0);
    grad_board_.assign(board_out_.size(), 0);
    lose_policy(row, losses);
    lose_ends(row, losses);
    // An owner is a number from -1 to 1, its tanh a logistic function of twice the output.
    if (context_.shape.has_owners && rows.owners)
        losses.owners = lose_chances(1, rows.owners + row * points_, 2, weights.owners);
    if (context_.shape.has_hidden_stones && rows.hidden)
        losses.hidden_stones = lose_chances(1 + context_.shape.has_owners, rows.hidden + row * points_, 1, weights.hidden_stones);
    return_heads();
    return_blocks();
    return_stem();
    return losses;
}

// -- forward ----------------------------------------------------------------------------------------------------------

// A table of activations with its row of zeros.
float* RowPass::rows_of(Floats& table, int channels) const {
    const TapTable& taps = context_.board.near;
    const auto width = static_cast<std::size_t>(channels);
    table.resize(taps.height() * width);
    std::fill_n(table.begin() + static_cast<std::ptrdiff_t>(taps.empty_row() * width), width, 0.0F);
    return table.data();
}

void RowPass::read_inputs(std::size_t row) {
    const auto planes = static_cast<std::size_t>(context_.shape.planes);
    float* to = rows_of(planes_, context_.shape.planes);
    const std::uint8_t* from = context_.rows.planes + row * planes * points_;
    for (std::size_t plane = 0; plane < planes; ++plane)
        for (std::size_t point = 0; point < points_; ++point)
            to[point * planes + plane] = context_.levels[plane][*from++ % LEVELS];
    features_.resize(static_cast<std::size_t>(context_.shape.globals));
    for (std::size_t i = 0; i < features_.size(); ++i) {
        const float level = std::floor(context_.rows.globals[row * features_.size() + i] * 32 + 0.5F);
        features_[i] = std::clamp(level, -127.0F, 127.0F) / 32;
    }
}

void RowPass::pool(const Floats& x, Pooled& into) const {
    into.values.assign(2 * channels_, 0);
    into.peaks.assign(channels_, 0);
    for (std::size_t point = 0; point < points_; ++point)
        for (std::size_t k = 0; k < channels_; ++k) {
            into.values[k] += x[point * channels_ + k];
            if (x[point * channels_ + k] > x[into.peaks[k] * channels_ + k]) into.peaks[k] = static_cast<std::uint32_t>(point);
        }
    for (std::size_t k = 0; k < channels_; ++k) {
        const auto total = static_cast<std::int64_t>(into.values[k] * 32);
        into.values[k] = static_cast<float>((total * context_.board.mean_factor) >> 16) / POOL_STEPS;
        into.values[channels_ + k] = x[into.peaks[k] * channels_ + k];
    }
}

// A bias with what a convolution is told of the whole board.
const float* RowPass::tell(const LayerPlace& pool, const float* bias, const Pooled& pooled) {
    const int c = context_.shape.channels;
    sums_.assign(channels_, 0);
    add_linear(weight(pool), pooled.values.data(), 2 * c, c, sums_.data());
    told_.assign(bias, bias + c);
    for (std::size_t k = 0; k < channels_; ++k) told_[k] += std::floor(sums_[k] * SUM_STEPS) / SUM_STEPS;
    return told_.data();
}

void RowPass::run_trunk() {
    const Parameters& p = context_.parameters;
    const TapTable& taps = context_.board.near;
    const int c = context_.shape.channels;
    told_.assign(bias(p.stem), bias(p.stem) + c);
    add_linear(weight(p.globals), features_.data(), context_.shape.globals, c, told_.data());
    float* x = rows_of(trunk_[0], c);
    run_.convolve(taps, planes_.data(), context_.shape.planes, weight(p.stem), c, told_.data(), x);
    run_.activate(x, nullptr, used_);
    for (std::size_t i = 0; i < p.blocks.size(); ++i) {
        const BlockPlace& block = p.blocks[i];
        const float* first_bias = bias(block.first);
        if (block.pool.weight >= 0) {
            pool(trunk_[i], pooled_[i]);
            first_bias = tell(block.pool, first_bias, pooled_[i]);
        }
        float* inner = rows_of(inner_[i], c);
        run_.convolve(taps, x, c, weight(block.first), c, first_bias, inner);
        run_.activate(inner, nullptr, used_);
        float* next = rows_of(trunk_[i + 1], c);
        run_.convolve(taps, inner, c, weight(block.second), c, bias(block.second), next);
        run_.activate(next, x, used_);
        x = next;
    }
}

void RowPass::run_heads() {
    const Parameters& p = context_.parameters;
    const int c = context_.shape.channels, hidden = context_.shape.hidden;
    const int per_point = context_.shape.outputs_a_point(), per_board = context_.shape.outputs_a_board();
    pool(trunk_.back(), head_pooled_);
    const float* head_bias = tell(p.head_pool, bias(p.head), head_pooled_);
    float* head = rows_of(head_, c);
    run_.convolve(context_.board.self, trunk_.back().data(), c, weight(p.head), c, head_bias, head);
    run_.activate(head, nullptr, used_);
    points_out_.resize(points_ * static_cast<std::size_t>(per_point));
    for (std::size_t point = 0; point < points_; ++point) {
        float* sums = points_out_.data() + point * static_cast<std::size_t>(per_point);
        std::copy_n(bias(p.points), per_point, sums);
        add_linear(weight(p.points), head + point * channels_, c, per_point, sums);
    }
    pool(head_, board_pooled_);
    dense_.assign(bias(p.dense), bias(p.dense) + hidden);
    add_linear(weight(p.dense), board_pooled_.values.data(), 2 * c, hidden, dense_.data());
    for (float& value : dense_) value = std::clamp(std::floor(value * POOL_STEPS + 0.5F) / POOL_STEPS, 0.0F, DENSE_MOST);
    board_out_.assign(bias(p.board), bias(p.board) + per_board);
    add_linear(weight(p.board), dense_.data(), hidden, per_board, board_out_.data());
    // The score is told more finely than the logits.
    for (int i = 0; i < SPECIALS + context_.shape.colours + 1; ++i) {
        float& value = board_out_[static_cast<std::size_t>(i)];
        value = std::floor(value * SUM_STEPS) / SUM_STEPS;
    }
}

// -- losses and their gradients ---------------------------------------------------------------------------------------

float RowPass::logit(std::size_t move) const {
    return move < points_ ? points_out_[move * static_cast<std::size_t>(context_.shape.outputs_a_point())]
                          : board_out_[move - points_];
}

void RowPass::lose_policy(std::size_t row, Losses& losses) {
    const std::size_t moves = points_ + SPECIALS;
    const std::uint8_t* mask = context_.rows.mask + row * moves;
    const float* aim = context_.rows.policy + row * moves;
    float best = -1e30F, total = 0;
    for (std::size_t move = 0; move < moves; ++move)
        if (mask[move]) best = std::max(best, logit(move));
    shares_.assign(moves, 0);
    for (std::size_t move = 0; move < moves; ++move)
        if (mask[move]) total += shares_[move] = std::exp(logit(move) - best);
    for (std::size_t move = 0; move < moves; ++move) {
        if (!mask[move]) continue;
        if (aim[move] > 0) losses.policy -= row_weight_ * aim[move] * (logit(move) - best - std::log(total));
        const float grad = context_.loss_weights.policy * row_weight_ * (shares_[move] / total - aim[move]);
        if (move < points_) grad_points_[move * static_cast<std::size_t>(context_.shape.outputs_a_point())] = grad;
        else grad_board_[move - points_] = grad;
    }
}

void RowPass::lose_ends(std::size_t row, Losses& losses) {
    const auto kinds = static_cast<std::size_t>(context_.shape.colours) + 1;
    const float* found = board_out_.data() + SPECIALS;
    float* grads = grad_board_.data() + SPECIALS;
    const float* aim = context_.rows.ends + row * kinds;
    const float best = *std::max_element(found, found + kinds);
    float total = 0;
    for (std::size_t i = 0; i < kinds; ++i) total += std::exp(found[i] - best);
    for (std::size_t i = 0; i < kinds; ++i) {
        const float share = std::exp(found[i] - best) / total;
        if (aim[i] > 0) losses.value -= row_weight_ * aim[i] * std::log(std::max(share, SMALLEST_SHARE));
        grads[i] = context_.loss_weights.value * row_weight_ * (share - aim[i]);
    }
    if (!context_.shape.has_score || !context_.rows.score) return;
    // Huber's loss of the mean; the spread aims at how far off the mean is.
    const float off = found[kinds] - context_.rows.score[row] / SCORE_UNIT, size = std::abs(off);
    losses.score = row_weight_ * (size < 1 ? off * off / 2 : size - 0.5F);
    const float weight = context_.loss_weights.score * row_weight_;
    grads[kinds] = weight * std::clamp(off, -1.0F, 1.0F);
    grads[kinds + 1] = weight * std::clamp(found[kinds + 1] - size, -1.0F, 1.0F);
}

// Cross-entropy of an output for each point, a mean over the board; `truth` is 0 or 1, or -1 to 1 where the slope is 2.
double RowPass::lose_chances(int output, const std::int8_t* truth, float slope, float share) {
    double loss = 0;
    const float weight = row_weight_ / static_cast<float>(points_);
    for (std::size_t point = 0; point < points_; ++point) {
        const std::size_t at = point * static_cast<std::size_t>(context_.shape.outputs_a_point()) + static_cast<std::size_t>(output);
        const auto stated = static_cast<float>(truth[point]);
        const float aim = slope == 2 ? (1 + stated) / 2 : stated;
        const float found = std::clamp(sigmoid(slope * points_out_[at]), SMALLEST_SHARE, 1 - SMALLEST_SHARE);
        loss -= weight * (aim * std::log(found) + (1 - aim) * std::log(1 - found));
        grad_points_[at] = share * weight * slope * (found - aim);
    }
    return loss;
}

// -- back -------------------------------------------------------------------------------------------------------------

void RowPass::return_linear(const LayerPlace& layer, const float* in, const float* grad, int inputs, int outputs,
                            float* grad_in) {
    float* into = weight_grad(layer);
    for (int input = 0; input < inputs; ++input)
        for (int output = 0; output < outputs; ++output) into[input * outputs + output] += in[input] * grad[output];
    if (layer.bias >= 0)
        for (int output = 0; output < outputs; ++output) bias_grad(layer)[output] += grad[output];
    if (grad_in) add_linear(turned(layer), grad, outputs, inputs, grad_in);
}

void RowPass::unpool(const Pooled& pooled, const Floats& grad_pooled, float* grads) const {
    const float share = 1 / static_cast<float>(points_);
    for (std::size_t point = 0; point < points_; ++point)
        for (std::size_t k = 0; k < channels_; ++k) grads[point * channels_ + k] += grad_pooled[k] * share;
    for (std::size_t k = 0; k < channels_; ++k) grads[pooled.peaks[k] * channels_ + k] += grad_pooled[channels_ + k];
}

void RowPass::sum_points(const float* grads, float* sums) const {
    for (std::size_t point = 0; point < points_; ++point)
        for (std::size_t k = 0; k < channels_; ++k) sums[k] += grads[point * channels_ + k];
}

// What a convolution was told of the whole board gets the sum of the gradients over the points.
void RowPass::return_told(const LayerPlace& pool, const Pooled& pooled, const float* grads, float* grad_x) {
    const int c = context_.shape.channels;
    sums_.assign(channels_, 0);
    sum_points(grads, sums_.data());
    grad_pooled_.assign(2 * channels_, 0);
    return_linear(pool, pooled.values.data(), sums_.data(), 2 * c, c, grad_pooled_.data());
    unpool(pooled, grad_pooled_, grad_x);
}

void RowPass::return_heads() {
    const Parameters& p = context_.parameters;
    const int c = context_.shape.channels, hidden = context_.shape.hidden;
    const int per_point = context_.shape.outputs_a_point();
    grad_dense_.assign(dense_.size(), 0);
    return_linear(p.board, dense_.data(), grad_board_.data(), hidden, context_.shape.outputs_a_board(), grad_dense_.data());
    for (std::size_t i = 0; i < dense_.size(); ++i)
        if (dense_[i] <= 0 || (dense_[i] >= DENSE_MOST && grad_dense_[i] < 0)) grad_dense_[i] = 0;
    grad_pooled_.assign(2 * channels_, 0);
    return_linear(p.dense, board_pooled_.values.data(), grad_dense_.data(), 2 * c, hidden, grad_pooled_.data());
    float* grad = rows_of(grad_, c);
    std::fill_n(grad, used_, 0.0F);
    unpool(board_pooled_, grad_pooled_, grad);
    for (std::size_t point = 0; point < points_; ++point)
        return_linear(p.points, head_.data() + point * channels_,
                      grad_points_.data() + point * static_cast<std::size_t>(per_point), c, per_point, grad + point * channels_);
    run_.gate(head_.data(), grad, used_);
    sum_points(grad, bias_grad(p.head));
    run_.correlate(context_.board.self, trunk_.back().data(), c, grad, c, weight_grad(p.head));
    float* grad_x = rows_of(grad_back_, c);
    run_.convolve(context_.board.self, grad, c, turned(p.head), c, zeros_.data(), grad_x);
    return_told(p.head_pool, head_pooled_, grad, grad_x);
    std::swap(grad_, grad_back_);
}

void RowPass::return_blocks() {
    const TapTable &taps = context_.board.near, &back = context_.back;
    const int c = context_.shape.channels;
    for (std::size_t i = context_.parameters.blocks.size(); i-- > 0;) {
        const BlockPlace& block = context_.parameters.blocks[i];
        float* grad = rows_of(grad_, c);  // of what the block gives
        run_.gate(trunk_[i + 1].data(), grad, used_);
        sum_points(grad, bias_grad(block.second));
        run_.correlate(taps, inner_[i].data(), c, grad, c, weight_grad(block.second));
        float* grad_inner = rows_of(grad_inner_, c);
        run_.convolve(back, grad, c, turned(block.second), c, zeros_.data(), grad_inner);
        run_.gate(inner_[i].data(), grad_inner, used_);
        sum_points(grad_inner, bias_grad(block.first));
        run_.correlate(taps, trunk_[i].data(), c, grad_inner, c, weight_grad(block.first));
        float* grad_x = rows_of(grad_back_, c);
        run_.convolve(back, grad_inner, c, turned(block.first), c, zeros_.data(), grad_x);
        for (std::size_t k = 0; k < used_; ++k) grad_x[k] += grad[k];
        if (block.pool.weight >= 0) return_told(block.pool, pooled_[i], grad_inner, grad_x);
        std::swap(grad_, grad_back_);
    }
}

void RowPass::return_stem() {
    const Parameters& p = context_.parameters;
    const int c = context_.shape.channels;
    float* grad = rows_of(grad_, c);
    run_.gate(trunk_[0].data(), grad, used_);
    sums_.assign(channels_, 0);
    sum_points(grad, sums_.data());
    for (std::size_t k = 0; k < channels_; ++k) bias_grad(p.stem)[k] += sums_[k];
    return_linear(p.globals, features_.data(), sums_.data(), context_.shape.globals, c, nullptr);
    run_.correlate(context_.board.near, planes_.data(), context_.shape.planes, grad, c, weight_grad(p.stem));
}

}  // namespace kernel
