// A residual network in integers: the same bits on every machine. `nets/reference.py` states it in numpy.
//
// Activations are bytes 0 to 127 with the unit 2^-5, weights bytes -127 to 127 with the unit 2^-7, sums 32 bits with the
// unit 2^-12. Where a whole board is pooled, means and maxima have the unit 2^-9 and sums 2^-16.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "convolution.hpp"

namespace kernel {

// Outputs of the policy behind the points: PASS and SWAP, whether a game has them or not.
inline constexpr int SPECIALS = 2;
// Points that one unit of the score's outputs means.
inline constexpr float SCORE_UNIT = 8;
// Of a plane: bytes 0 to 127.
inline constexpr int LEVELS = 128;

struct NetworkShape {
    int planes = 0;
    int globals = 0;
    int taps = 0;
    int channels = 0;  // a multiple of 16
    int blocks = 0;
    int pooled = 0;    // every so many blocks the first convolution is told what the whole board looks like; 0: never
    int hidden = 0;    // units of the dense layer
    int colours = 2;
    bool has_score = false;
    bool has_owners = false;
    bool has_hidden_stones = false;

    bool pools(int block) const { return pooled > 0 && block % pooled == pooled - 1; }
    int outputs_a_point() const { return 1 + has_owners + has_hidden_stones; }
    // PASS and SWAP, a share for each colour, one for a draw, mean and spread of the score.
    int outputs_a_board() const { return SPECIALS + colours + 1 + 2 * has_score; }
};

// A linear layer over what is pooled: 16-bit inputs, sums with the unit 2^-16.
struct DenseLayer {
    DenseLayer() = default;
    DenseLayer(int outputs, int inputs, const std::int8_t* weights, std::vector<std::int32_t> bias);
    void apply(const std::int16_t* in, std::int32_t* out) const;

    int outputs = 0;
    int inputs = 0;
    std::vector<std::int16_t> weights;
    std::vector<std::int32_t> bias;
};

// A board as a network sees it: which points lie around each.
struct NetworkBoard {
    // `maps` say where each point goes under the symmetries of the board, the first being the identity; none: it alone.
    NetworkBoard(int points, int taps, const std::vector<std::int32_t>& table, const std::vector<std::vector<int>>& maps = {});

    // So many ways to see it: under each symmetry the directions change places, and nothing else does.
    std::size_t symmetries() const { return turned.size() + 1; }
    const NetworkBoard& under(std::size_t symmetry) const { return symmetry == 0 ? *this : turned[symmetry - 1]; }

    TapTable near;
    TapTable self;
    std::int32_t mean_factor;  // 2^20 / points
    std::vector<NetworkBoard> turned;
};

// What a network says of one position; the policy's indices are points, then PASS and SWAP.
struct Evaluation {
    std::vector<std::int32_t> logits;  // unit 2^-12
    std::array<float, 3> values{};     // each colour's expected share of the score, relative to the side to move
    float draw = 0;
    float score = 0;         // expected lead of the side to move, in points
    float score_spread = 0;  // its standard deviation
    std::vector<float> owners;         // -1 to 1: 1 belongs to the side to move
    std::vector<float> hidden_stones;  // chance that a stone nobody has seen stands there
};

// Turns logits into priors: shares of those that the mask allows, 0 for the rest; the sum is 1 but for rounding.
void softmax(const std::int32_t* logits, const std::uint8_t* mask, std::size_t count, float* priors);

// Reads what the outputs for the whole board mean: `sums`, as many as the shape has, unit 2^-16. The last logits are among
// them.
void read_board(const NetworkShape& shape, std::size_t points, const std::int32_t* sums, Evaluation& out);

class Network {
  public:
    using Bytes = std::map<std::string, std::string>;

    // The tensors by their names in a weight file. Raises invalid_argument for one that is missing or of another size.
    Network(const NetworkShape& shape, const std::vector<int>& plane_scales, const Bytes& tensors,
            InstructionSet set = best_instruction_set());

    const NetworkShape& shape() const { return shape_; }
    InstructionSet instruction_set() const { return set_; }

    // Buffers of one thread; they grow to the largest board that was evaluated.
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
    std::vector<std::array<std::uint8_t, LEVELS>> levels_;  // of each plane: the activation of each level
    Convolution stem_;
    DenseLayer globals_;
    std::vector<Block> blocks_;
    Convolution head_;
    DenseLayer head_pool_, dense_, board_;
    std::vector<std::int16_t> point_weights_;
    std::vector<std::int32_t> point_bias_;
};

}  // namespace kernel
