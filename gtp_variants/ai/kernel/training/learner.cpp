#include "learner.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "ai/kernel/belief/rng.hpp"
#include "ai/kernel/threads/parallel.hpp"

namespace kernel {

namespace {

constexpr int CHUNKS = 16;  // a batch is cut into so many parts, whatever the number of threads
constexpr float LARGEST_WEIGHT = 127.0F / 128;
// Adam's: D. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization", 2015.
constexpr float BETA1 = 0.9F;
constexpr float BETA2 = 0.99F;
constexpr float EPSILON = 1e-8F;

// The taps in the opposite direction: whose neighbour a point is.
TapTable turn_round(const TapTable& taps) {
    const auto width = static_cast<std::size_t>(taps.taps);
    std::vector<std::int32_t> table(static_cast<std::size_t>(taps.points) * width, taps.points);
    for (int point = 0; point < taps.points; ++point)
        for (int tap = 0; tap < taps.taps; ++tap) {
            const std::size_t row = taps.row(point, tap);
            if (row == taps.empty_row()) continue;
            auto& back = table[row * width + static_cast<std::size_t>(tap)];
            if (back != taps.points) throw std::invalid_argument("taps: two points share a neighbour in one direction");
            back = point;
        }
    return {taps.points, taps.taps, table};
}

const NetworkShape& check(const NetworkShape& shape) {
    if (shape.channels < LANES || shape.channels % LANES) throw std::invalid_argument("channels: a multiple of 16");
    if (shape.blocks < 0) throw std::invalid_argument("blocks: 0 or more");
    return shape;
}

// Twelve uniform numbers less six are nearly normal, and the same on every machine.
float draw_normal(Rng& rng) {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += rng.random();
    return static_cast<float>(sum);
}

}  // namespace

Learner::Learner(const NetworkShape& shape, const std::vector<int>& plane_scales, std::uint64_t seed, int threads)
    : shape_(check(shape)), parameters_(shape), threads_(std::clamp(threads, 1, CHUNKS)) {
    if (plane_scales.size() != static_cast<std::size_t>(shape.planes)) throw std::invalid_argument("scales: one a plane");
    for (const int scale : plane_scales) {
        auto& levels = levels_.emplace_back();
        for (int level = 0; level < LEVELS; ++level)
            levels[static_cast<std::size_t>(level)] = static_cast<float>(std::min(127, (64 * level + scale) / (2 * scale))) / 32;
    }
    Rng rng(seed);
    for (const Parameter& parameter : parameters_.all)
        for (std::size_t i = 0; i < parameter.count(); ++i)
            weights_.push_back(std::clamp(draw_normal(rng) * parameter.spread, -LARGEST_WEIGHT, LARGEST_WEIGHT));
    mean_ = weights_;
    for (auto* part : {&first_, &second_, &grads_, &rounded_, &turned_}) part->assign(weights_.size(), 0);
    round_weights();
}

void Learner::round_weights() {
    for (const Parameter& p : parameters_.all) {
        float* to = rounded_.data() + p.at;
        for (std::size_t i = 0; i < p.count(); ++i) to[i] = std::nearbyint(weights_[p.at + i] / p.unit) * p.unit;
        float* turned = turned_.data() + p.at;
        for (int tap = 0; tap < p.taps; ++tap)
            for (int input = 0; input < p.inputs; ++input)
                for (int output = 0; output < p.outputs; ++output)
                    turned[(tap * p.outputs + output) * p.inputs + input] = to[(tap * p.inputs + input) * p.outputs + output];
    }
}

Losses Learner::add(const NetworkBoard& board, const SampleRows& rows, const LossWeights& weights) {
    const TapTable back = turn_round(board.near);
    const PassContext context{shape_, parameters_, levels_, rounded_.data(), turned_.data(), board, back, rows, weights};
    std::vector<std::vector<float>> grads(CHUNKS);
    std::vector<Losses> losses(CHUNKS);
    std::atomic<std::size_t> next{0};
    const auto work = [&](std::size_t) {
        for (std::size_t chunk = next++; chunk < CHUNKS; chunk = next++) {
            grads[chunk].assign(weights_.size(), 0);
            RowPass pass(context, grads[chunk]);
            const std::size_t end = rows.count * (chunk + 1) / CHUNKS;
            for (std::size_t row = rows.count * chunk / CHUNKS; row < end; ++row) losses[chunk].add(pass.learn(row));
        }
    };
    run_in_parallel(static_cast<std::size_t>(threads_), work, [&next] { next = CHUNKS; });
    Losses all;
    for (std::size_t chunk = 0; chunk < CHUNKS; ++chunk) {
        all.add(losses[chunk]);
        for (std::size_t i = 0; i < grads_.size(); ++i) grads_[i] += grads[chunk][i];
    }
    rows_ += all.rows;
    return all;
}

void Learner::step(float rate, float decay, float average) {
    if (rows_ <= 0) return;
    ++steps_;
    const auto share = static_cast<float>(1 / rows_), steps = static_cast<float>(steps_);
    const float correct1 = 1 - std::pow(BETA1, steps), correct2 = 1 - std::pow(BETA2, steps);
    // The first steps are soon forgotten.
    const float past = std::min(average, steps / (steps + 9));
    for (const Parameter& parameter : parameters_.all)
        for (std::size_t i = parameter.at; i < parameter.at + parameter.count(); ++i) {
            const float grad = grads_[i] * share;
            first_[i] = BETA1 * first_[i] + (1 - BETA1) * grad;
            second_[i] = BETA2 * second_[i] + (1 - BETA2) * grad * grad;
            float& weight = weights_[i];
            weight -= rate * (first_[i] / correct1 / (std::sqrt(second_[i] / correct2) + EPSILON));
            if (!parameter.is_bias) weight = std::clamp(weight * (1 - rate * decay), -LARGEST_WEIGHT, LARGEST_WEIGHT);
            mean_[i] = past * mean_[i] + (1 - past) * weight;
        }
    std::fill(grads_.begin(), grads_.end(), 0.0F);
    rows_ = 0;
    round_weights();
}

std::vector<std::pair<std::string, std::vector<float>>> Learner::gradients() const {
    std::vector<std::pair<std::string, std::vector<float>>> found;
    for (const Parameter& parameter : parameters_.all) {
        const auto from = grads_.begin() + static_cast<std::ptrdiff_t>(parameter.at);
        found.emplace_back(parameter.name, std::vector<float>(from, from + static_cast<std::ptrdiff_t>(parameter.count())));
    }
    return found;
}

Network::Bytes Learner::tensors() const {
    Network::Bytes found;
    for (const Parameter& p : parameters_.all) {
        std::string& bytes = found[p.name];
        // A file has them by output, tap, input: weights in a byte, bias in four.
        for (int output = 0; output < p.outputs; ++output)
            for (int tap = 0; tap < p.taps; ++tap)
                for (int input = 0; input < p.inputs; ++input) {
                    const auto at = p.at + static_cast<std::size_t>((tap * p.inputs + input) * p.outputs + output);
                    const auto number = static_cast<std::uint32_t>(static_cast<std::int32_t>(std::nearbyint(mean_[at] / p.unit)));
                    for (int k = 0; k < (p.is_bias ? 4 : 1); ++k) bytes.push_back(static_cast<char>(number >> (8 * k)));
                }
    }
    return found;
}

void Learner::begin_from(const Network::Bytes& tensors) {
    for (const Parameter& p : parameters_.all) {
        const auto found = tensors.find(p.name);
        const std::size_t width = p.is_bias ? 4 : 1;
        if (found == tensors.end() || found->second.size() != p.count() * width)
            throw std::invalid_argument(p.name + ": missing, or of another size");
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(found->second.data());
        for (int output = 0; output < p.outputs; ++output)
            for (int tap = 0; tap < p.taps; ++tap)
                for (int input = 0; input < p.inputs; ++input, bytes += width) {
                    std::uint32_t number = 0;
                    for (std::size_t k = 0; k < width; ++k) number |= std::uint32_t{bytes[k]} << (8 * k);
                    const auto whole = p.is_bias ? static_cast<std::int32_t>(number) : std::int32_t{static_cast<std::int8_t>(number)};
                    weights_[p.at + static_cast<std::size_t>((tap * p.inputs + input) * p.outputs + output)] =
                        static_cast<float>(whole) * p.unit;
                }
    }
    mean_ = weights_;
    for (auto* part : {&first_, &second_, &grads_}) std::fill(part->begin(), part->end(), 0.0F);
    steps_ = 0;
    rows_ = 0;
    round_weights();
}

std::vector<float> Learner::state() const {
    std::vector<float> all;
    for (const auto* part : {&weights_, &mean_, &first_, &second_}) all.insert(all.end(), part->begin(), part->end());
    // A float counts exactly to 2^24; two of them to 2^48.
    all.push_back(static_cast<float>(steps_ >> 24));
    all.push_back(static_cast<float>(steps_ & 0xFFFFFF));
    return all;
}

void Learner::restore(const std::vector<float>& state) {
    const std::size_t count = weights_.size();
    if (state.size() != 4 * count + 2) throw std::invalid_argument("a state of another network");
    auto from = state.begin();
    for (auto* part : {&weights_, &mean_, &first_, &second_}) {
        std::copy_n(from, count, part->begin());
        from += static_cast<std::ptrdiff_t>(count);
    }
    steps_ = (static_cast<std::int64_t>(from[0]) << 24) + static_cast<std::int64_t>(from[1]);
    std::fill(grads_.begin(), grads_.end(), 0.0F);
    rows_ = 0;
    round_weights();
}

}  // namespace kernel
