#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace kernel {

namespace {

constexpr int ACTIVATION_ONE = 32;    // 2^5
constexpr int POOL_SHIFT = 4;         // from activations to pooled values: 2^-5 to 2^-9
constexpr int DENSE_SHIFT = 7;        // from sums of a dense layer to the next inputs: 2^-16 to 2^-9
constexpr int DENSE_MOST = 4095;
constexpr int MEAN_SHIFT = 20;
constexpr int CHUNK = 256;            // points whose summed activations fit in 16 bits
constexpr float BOARD_UNIT = 1.0F / 65536;

// Returns 2^30 * e^-x for x >= 0 in units of 2^-12, by integers: e^-x = 2^-n * 2^-f, with a polynomial in f.
std::int64_t exp_minus(std::int64_t x) {
    constexpr std::int64_t LOG2_E = 96817625;  // 2^26 * log2(e)
    const std::int64_t scaled = std::min<std::int64_t>(x, std::int64_t{1} << 20) * LOG2_E;
    const std::int64_t whole = scaled >> 38;
    if (whole >= 30) return 0;
    const std::int64_t f = (scaled & ((std::int64_t{1} << 38) - 1)) >> 14;  // unit 2^-24
    // Exact at 0 and 1, with an error below 10^-7 between; unit 2^-30.
    constexpr std::int64_t C[] = {1073741824, -744257797, 257894831, -59383922, 9893646, -1017670};
    std::int64_t value = C[5];
    for (int k = 4; k >= 0; --k) value = C[k] + ((value * f) >> 24);
    return value >> whole;
}

// Returns 1 / (1 + e^-x), with x in units of 2^-12.
float sigmoid(std::int64_t x) {
    constexpr auto one = std::int64_t{1} << 30;
    const std::int64_t small = exp_minus(x < 0 ? -x : x);
    return static_cast<float>(x < 0 ? small : one) / static_cast<float>(one + small);
}

std::vector<std::int8_t> bytes_of(const Network::Bytes& tensors, const std::string& name, std::size_t count) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) throw std::invalid_argument("weights lack " + name);
    if (found->second.size() != count)
        throw std::invalid_argument(name + ": expected " + std::to_string(count) + " bytes, not " +
                                    std::to_string(found->second.size()));
    std::vector<std::int8_t> read(count);
    std::memcpy(read.data(), found->second.data(), count);
    return read;
}

std::vector<std::int32_t> words_of(const Network::Bytes& tensors, const std::string& name, int count) {
    const auto raw = bytes_of(tensors, name, 4 * static_cast<std::size_t>(count));
    std::vector<std::int32_t> words(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 4; ++k) word |= std::uint32_t{static_cast<std::uint8_t>(raw[4 * i + k])} << (8 * k);
        words[i] = static_cast<std::int32_t>(word);
    }
    return words;
}

Convolution convolution_of(const Network::Bytes& tensors, const std::string& name, int outputs, int taps, int inputs) {
    const auto weights = bytes_of(tensors, name + ".weight", static_cast<std::size_t>(outputs * taps * inputs));
    return {outputs, taps, inputs, weights.data(), words_of(tensors, name + ".bias", outputs)};
}

DenseLayer dense_of(const Network::Bytes& tensors, const std::string& name, int outputs, int inputs, bool has_bias) {
    const auto weights = bytes_of(tensors, name + ".weight", static_cast<std::size_t>(outputs * inputs));
    const std::vector<std::int32_t> none(static_cast<std::size_t>(outputs), 0);
    return {outputs, inputs, weights.data(), has_bias ? words_of(tensors, name + ".bias", outputs) : none};
}

std::vector<std::int32_t> own_points(int points) {
    std::vector<std::int32_t> table(static_cast<std::size_t>(points));
    for (int point = 0; point < points; ++point) table[static_cast<std::size_t>(point)] = point;
    return table;
}

// Returns the taps with which a network sees, point for point, the board transformed by a symmetry.
std::vector<std::int32_t> turned_table(int points, int taps, const std::vector<std::int32_t>& table, const std::vector<int>& goes_to) {
    const auto count = static_cast<std::size_t>(points);
    std::vector<std::int32_t> comes_from(count + 1, -1);
    for (std::size_t point = 0; point < goes_to.size() && goes_to.size() == count; ++point)
        if (goes_to[point] >= 0 && goes_to[point] < points) comes_from[static_cast<std::size_t>(goes_to[point])] = static_cast<std::int32_t>(point);
    if (std::count(comes_from.begin(), comes_from.end(), -1) != 1) throw std::invalid_argument("maps: expected permutations of the points");
    comes_from[count] = points;  // for missing neighbours
    std::vector<std::int32_t> turned;
    for (const int there : goes_to)
        for (int tap = 0; tap < taps; ++tap)
            turned.push_back(comes_from[static_cast<std::size_t>(table[static_cast<std::size_t>(there * taps + tap)])]);
    return turned;
}

}  // namespace

DenseLayer::DenseLayer(int outputs, int inputs, const std::int8_t* given, std::vector<std::int32_t> bias)
    : outputs(outputs), inputs(inputs), weights(given, given + static_cast<std::ptrdiff_t>(outputs) * inputs),
      bias(std::move(bias)) {}

void DenseLayer::apply(const std::int16_t* in, std::int32_t* out) const {
    const std::int16_t* row = weights.data();
    for (int output = 0; output < outputs; ++output, row += inputs) {
        std::int32_t sum = 0;
        for (int input = 0; input < inputs; ++input) sum += std::int32_t{row[input]} * in[input];
        out[output] = sum + bias[static_cast<std::size_t>(output)];
    }
}

NetworkBoard::NetworkBoard(int points, int taps, const std::vector<std::int32_t>& table, const std::vector<std::vector<int>>& maps)
    : near(points, taps, table), self(points, 1, own_points(points)), mean_factor((1 << MEAN_SHIFT) / points) {
    for (std::size_t i = 1; i < maps.size(); ++i) turned.emplace_back(points, taps, turned_table(points, taps, table, maps[i]));
}

void softmax(const std::int32_t* logits, const std::uint8_t* mask, std::size_t count, float* priors) {
    std::int64_t best = INT64_MIN;
    for (std::size_t i = 0; i < count; ++i)
        if (mask[i]) best = std::max<std::int64_t>(best, logits[i]);
    std::int64_t total = 0;
    for (std::size_t i = 0; i < count; ++i)
        if (mask[i]) total += exp_minus(best - logits[i]);
    for (std::size_t i = 0; i < count; ++i)
        priors[i] = mask[i] ? static_cast<float>(static_cast<double>(exp_minus(best - logits[i])) / static_cast<double>(total)) : 0;
}

void read_board(const NetworkShape& shape, std::size_t points, const std::int32_t* sums, Evaluation& out) {
    for (int i = 0; i < SPECIALS; ++i)
        out.logits[points + static_cast<std::size_t>(i)] = *sums++ >> POOL_SHIFT;
    // Outputs for the colours and a draw, in units of 2^-12.
    std::array<std::int32_t, 4> ends{};
    const auto kinds = static_cast<std::size_t>(shape.colours) + 1;
    for (std::size_t i = 0; i < kinds; ++i) ends[i] = *sums++ >> POOL_SHIFT;
    const std::array<std::uint8_t, 4> all{1, 1, 1, 1};
    std::array<float, 4> shares{};
    softmax(ends.data(), all.data(), kinds, shares.data());
    out.draw = shares[kinds - 1];
    out.values.fill(0);
    for (std::size_t i = 0; i + 1 < kinds; ++i) out.values[i] = shares[i] + out.draw / static_cast<float>(kinds - 1);
    if (!shape.has_score) return;
    out.score = static_cast<float>(sums[0]) * BOARD_UNIT * SCORE_UNIT;
    out.score_spread = static_cast<float>(std::max(sums[1], 0)) * BOARD_UNIT * SCORE_UNIT;
}

Network::Network(const NetworkShape& shape, const std::vector<int>& plane_scales, const Bytes& tensors, InstructionSet set)
    : shape_(shape), set_(set),
      stem_(convolution_of(tensors, "stem", shape.channels, shape.taps, shape.planes)),
      globals_(dense_of(tensors, "stem.globals", shape.channels, shape.globals, false)),
      head_(convolution_of(tensors, "head", shape.channels, 1, shape.channels)),
      head_pool_(dense_of(tensors, "head.pool", shape.channels, 2 * shape.channels, false)),
      dense_(dense_of(tensors, "dense", shape.hidden, 2 * shape.channels, true)),
      board_(dense_of(tensors, "board", shape.outputs_a_board(), shape.hidden, true)),
      point_bias_(words_of(tensors, "points.bias", shape.outputs_a_point())) {
    if (!is_available(set)) throw std::invalid_argument("this processor lacks the instructions asked for");
    if (plane_scales.size() != static_cast<std::size_t>(shape.planes)) throw std::invalid_argument("scales: one a plane");
    for (const int scale : plane_scales) {
        if (scale < 1 || scale > 127) throw std::invalid_argument("scales: 1 to 127");
        auto& levels = levels_.emplace_back();
        for (int level = 0; level < LEVELS; ++level)
            levels[static_cast<std::size_t>(level)] =
                static_cast<std::uint8_t>(std::min(127, (2 * level * ACTIVATION_ONE + scale) / (2 * scale)));
    }
    const std::string& stem = tensors.at("stem.weight");
    reads_.assign(plane_scales.size(), false);
    for (std::size_t i = 0; i < stem.size(); ++i)
        if (stem[i] != 0) reads_[i % reads_.size()] = true;
    const int channels = shape.channels;
    for (int block = 0; block < shape.blocks; ++block) {
        const std::string name = "blocks." + std::to_string(block);
        Block made{convolution_of(tensors, name + ".first", channels, shape.taps, channels),
                   convolution_of(tensors, name + ".second", channels, shape.taps, channels), {}};
        if (shape.pools(block)) made.pool = dense_of(tensors, name + ".pool", channels, 2 * channels, false);
        blocks_.push_back(std::move(made));
    }
    const auto points = bytes_of(tensors, "points.weight", static_cast<std::size_t>(shape.outputs_a_point() * channels));
    point_weights_.assign(points.begin(), points.end());
}

void Network::evaluate(const NetworkBoard& board, const std::uint8_t* planes, const float* globals, Workspace& work,
                       Evaluation& out) const {
    const auto channels = static_cast<std::size_t>(shape_.channels);
    const std::size_t height = board.near.height();
    // The position of the row of zeros depends on the size of the board.
    work.planes.assign(height * static_cast<std::size_t>(stem_.inputs), 0);
    for (auto* rows : {&work.first, &work.second, &work.third}) {
        rows->resize(std::max(rows->size(), height * channels));
        std::fill_n(rows->begin() + static_cast<std::ptrdiff_t>(board.near.empty_row() * channels), channels, std::uint8_t{0});
    }
    read_planes(board, planes, work.planes.data());
    work.bias = stem_.bias;
    add_globals(globals, work);
    std::uint8_t *trunk = work.first.data(), *inner = work.second.data(), *next = work.third.data();
    convolve(set_, stem_, board.near, work.planes.data(), work.bias.data(), nullptr, trunk);
    for (const Block& block : blocks_) {
        work.bias = block.first.bias;
        if (block.pool.outputs) {
            pool(board, trunk, work);
            add_pooled(block.pool, block.first, work);
        }
        convolve(set_, block.first, board.near, trunk, work.bias.data(), nullptr, inner);
        convolve(set_, block.second, board.near, inner, block.second.bias.data(), trunk, next);
        std::swap(trunk, next);
    }
    work.bias = head_.bias;
    pool(board, trunk, work);
    add_pooled(head_pool_, head_, work);
    convolve(set_, head_, board.self, trunk, work.bias.data(), nullptr, inner);
    judge_points(board, inner, out);
    pool(board, inner, work);
    judge_board(board, work, out);
}

void Network::read_planes(const NetworkBoard& board, const std::uint8_t* planes, std::uint8_t* rows) const {
    const auto points = static_cast<std::size_t>(board.near.points), width = static_cast<std::size_t>(stem_.inputs);
    for (std::size_t plane = 0; plane < levels_.size(); ++plane, planes += points)
        for (std::size_t point = 0; point < points; ++point)
            rows[point * width + plane] = levels_[plane][planes[point] % LEVELS];
}

void Network::add_globals(const float* globals, Workspace& work) const {
    work.pooled.resize(std::max(work.pooled.size(), static_cast<std::size_t>(shape_.globals)));
    for (int i = 0; i < shape_.globals; ++i) {
        const float level = std::floor(globals[i] * ACTIVATION_ONE + 0.5F);
        work.pooled[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(std::clamp(level, -127.0F, 127.0F));
    }
    work.sums.resize(static_cast<std::size_t>(globals_.outputs));
    globals_.apply(work.pooled.data(), work.sums.data());
    // Unit 2^-5 * 2^-7, as the sums of the stem.
    for (std::size_t i = 0; i < work.sums.size(); ++i) work.bias[i] += work.sums[i];
}

void Network::pool(const NetworkBoard& board, const std::uint8_t* rows, Workspace& work) const {
    const auto channels = static_cast<std::size_t>(shape_.channels);
    work.pooled.resize(std::max(work.pooled.size(), 2 * channels));
    work.totals.assign(channels, 0);
    work.most.assign(channels, 0);
    work.part.resize(channels);
    std::uint8_t* most = work.most.data();
    std::uint16_t* part = work.part.data();
    for (int from = 0; from < board.near.points; from += CHUNK) {
        std::fill_n(part, channels, std::uint16_t{0});
        const int to = std::min(board.near.points, from + CHUNK);
        const std::uint8_t* row = rows + static_cast<std::size_t>(from) * channels;
        for (int point = from; point < to; ++point, row += channels)
            for (std::size_t c = 0; c < channels; ++c) {
                part[c] = static_cast<std::uint16_t>(part[c] + row[c]);
                most[c] = std::max(most[c], row[c]);
            }
        for (std::size_t c = 0; c < channels; ++c) work.totals[c] += part[c];
    }
    for (std::size_t c = 0; c < channels; ++c) {
        const std::int64_t mean = (std::int64_t{work.totals[c]} * board.mean_factor) >> (MEAN_SHIFT - POOL_SHIFT);
        work.pooled[c] = static_cast<std::int16_t>(mean);
        work.pooled[channels + c] = static_cast<std::int16_t>(most[c] << POOL_SHIFT);
    }
}

void Network::add_pooled(const DenseLayer& layer, const Convolution& to, Workspace& work) const {
    work.sums.resize(static_cast<std::size_t>(to.outputs));
    layer.apply(work.pooled.data(), work.sums.data());
    for (std::size_t i = 0; i < work.sums.size(); ++i) work.bias[i] += work.sums[i] >> POOL_SHIFT;
}

void Network::judge_points(const NetworkBoard& board, const std::uint8_t* rows, Evaluation& out) const {
    const auto points = static_cast<std::size_t>(board.near.points), channels = static_cast<std::size_t>(shape_.channels);
    const auto outputs = static_cast<std::size_t>(shape_.outputs_a_point());
    out.logits.resize(points + std::size_t{SPECIALS});
    out.owners.resize(shape_.has_owners ? points : 0);
    out.hidden_stones.resize(shape_.has_hidden_stones ? points : 0);
    for (std::size_t point = 0; point < points; ++point) {
        const std::uint8_t* row = rows + point * channels;
        for (std::size_t output = 0; output < outputs; ++output) {
            const std::int16_t* weights = point_weights_.data() + output * channels;
            std::int32_t sum = point_bias_[output];
            for (std::size_t c = 0; c < channels; ++c) sum += weights[c] * std::int16_t{row[c]};
            if (output == 0) out.logits[point] = sum;
            else if (output == 1 && shape_.has_owners) out.owners[point] = 2 * sigmoid(2 * std::int64_t{sum}) - 1;
            else out.hidden_stones[point] = sigmoid(sum);
        }
    }
}

void Network::judge_board(const NetworkBoard& board, Workspace& work, Evaluation& out) const {
    work.sums.resize(static_cast<std::size_t>(std::max(shape_.hidden, shape_.outputs_a_board())));
    work.dense.resize(static_cast<std::size_t>(shape_.hidden));
    dense_.apply(work.pooled.data(), work.sums.data());
    for (std::size_t i = 0; i < work.dense.size(); ++i) {
        const std::int32_t value = (work.sums[i] + (1 << (DENSE_SHIFT - 1))) >> DENSE_SHIFT;
        work.dense[i] = static_cast<std::int16_t>(std::clamp(value, 0, DENSE_MOST));
    }
    board_.apply(work.dense.data(), work.sums.data());
    read_board(shape_, static_cast<std::size_t>(board.near.points), work.sums.data(), out);
}

}  // namespace kernel
