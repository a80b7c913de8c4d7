// A residual network in integers, with the same bits on every machine; `nets/reference.py` is the same in numpy.
//
// Activations are bytes 0 to 127 in units of 2^-5, weights bytes -127 to 127 in units of 2^-7, and sums 32 bits in
// units of 2^-12. Pooled means and maxima are in units of 2^-9, and sums of them in units of 2^-16.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "convolution.hpp"

namespace kernel {

// Policy outputs after the points: PASS and SWAP, whether or not the game has them.
inline constexpr int SPECIALS = 2;
// Points of score per unit of the score outputs.
inline constexpr float SCORE_UNIT = 8;
// Number of levels of a plane: bytes 0 to 127.
inline constexpr int LEVELS = 128;

struct NetworkShape {
    int planes = 0;
    int globals = 0;
    int taps = 0;
    int channels = 0;  // a multiple of 16
    int blocks = 0;
    int pooled = 0;    // every how many blocks the first convolution sees the pooled board; 0: never
    int hidden = 0;    // units of the dense layer
    int colours = 2;
    bool has_score = false;
    bool has_owners = false;
    bool has_hidden_stones = false;

    bool pools(int block) const { return pooled > 0 && block % pooled == pooled - 1; }
    int outputs_a_point() const { return 1 + has_owners + has_hidden_stones; }
    // Returns the number of outputs: PASS, SWAP, the colours, a draw, and mean and spread of a score.
    int outputs_a_board() const { return SPECIALS + colours + 1 + 2 * has_score; }
};

// A linear layer over pooled values: 16-bit inputs, sums in units of 2^-16.
struct DenseLayer {
    DenseLayer() = default;
    DenseLayer(int outputs, int inputs, const std::int8_t* weights, std::vector<std::int32_t> bias);
    void apply(const std::int16_t* in, std::int32_t* out) const;

    int outputs = 0;
    int inputs = 0;
    std::vector<std::int16_t> weights;
    std::vector<std::int32_t> bias;
};

// A board as a network sees it: the neighbours of each point.
struct NetworkBoard {
    // `maps` give where each point goes under the symmetries of the board, the identity first; empty for the identity
    // alone.
    NetworkBoard(int points, int taps, const std::vector<std::int32_t>& table, const std::vector<std::vector<int>>& maps = {});

    // Returns the number of symmetries; each one only permutes the directions.
    std::size_t symmetries() const { return turned.size() + 1; }
    const NetworkBoard& under(std::size_t symmetry) const { return symmetry == 0 ? *this : turned[symmetry - 1]; }

    TapTable near;
    TapTable self;
    std::int32_t mean_factor;  // 2^20 / points
    std::vector<NetworkBoard> turned;
};

// A network's evaluation of one position; policy indices are points, then PASS and SWAP.
struct Evaluation {
    std::vector<std::int32_t> logits;  // unit 2^-12
    std::array<float, 3> values{};     // each colour's expected share of the score, from the side to move
    float draw = 0;
    float score = 0;         // expected lead of the side to move, in points
    float score_spread = 0;  // its standard deviation
    std::vector<float> owners;         // -1 to 1 (the side to move)
    std::vector<float> hidden_stones;  // probability of an unseen stone
};

// Converts logits to priors: shares of the allowed actions, 0 for the rest, summing to 1 up to rounding.
void softmax(const std::int32_t* logits, const std::uint8_t* mask, std::size_t count, float* priors);

// Converts the outputs for the whole board: `sums` in units of 2^-16, among them the last logits.
void read_board(const NetworkShape& shape, std::size_t points, const std::int32_t* sums, Evaluation& out);

class Network {
  public:
    using Bytes = std::map<std::string, std::string>;

    // Reads the tensors by their names in a weight file. Throws invalid_argument if one is missing or of another size.
    Network(const NetworkShape& shape, const std::vector<int>& plane_scales, const Bytes& tensors,
            InstructionSet set = best_instruction_set());

    const NetworkShape& shape() const { return shape_; }
    InstructionSet instruction_set() const { return set_; }
    // Returns whether any weight of the first convolution sees a plane.
    bool reads(int plane) const { return reads_[static_cast<std::size_t>(plane)]; }

    // Buffers of one thread, which grow to the largest board evaluated.
    struct Workspace {
        std::vector<std::uint8_t> planes, first, second, third;
        std::vector<std::int32_t> bias;
        std::vector<std::int16_t> pooled, dense;
        std::vector<std::int32_t> sums;
        std::vector<std::int32_t> totals;
        std::vector<std::uint16_t> part;
        std::vector<std::uint8_t> most;
    };

    // `planes` (planes, points) are levels 0 to the plane's scale, `globals` floats.
    void evaluate(const NetworkBoard& board, const std::uint8_t* planes, const float* globals, Workspace& work,
                  Evaluation& out) const;

  private:
    struct Block {
        Convolution first, second;
        DenseLayer pool;
    };

    void read_planes(const NetworkBoard& board, const std::uint8_t* planes, std::uint8_t* rows) const;
    void add_globals(const float* globals, Workspace& work) const;
    void pool(const NetworkBoard& board, const std::uint8_t* rows, Workspace& work) const;
    void add_pooled(const DenseLayer& layer, const Convolution& to, Workspace& work) const;
    void judge_points(const NetworkBoard& board, const std::uint8_t* rows, Evaluation& out) const;
    void judge_board(const NetworkBoard& board, Workspace& work, Evaluation& out) const;

    NetworkShape shape_;
    InstructionSet set_;
    std::vector<std::array<std::uint8_t, LEVELS>> levels_;  // for each plane, the activation of each level
    std::vector<bool> reads_;                               // by plane
    Convolution stem_;
    DenseLayer globals_;
    std::vector<Block> blocks_;
    Convolution head_;
    DenseLayer head_pool_, dense_, board_;
    std::vector<std::int16_t> point_weights_;
    std::vector<std::int32_t> point_bias_;
};

}  // namespace kernel
