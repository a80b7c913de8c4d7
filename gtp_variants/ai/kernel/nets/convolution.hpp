// Convolutions over the taps of a board in 8-bit integers, the only part of a network that needs a fast processor.
//
// Every path gives the same bits: activations are 0 to 127, weights -128 to 127, and sums are exact in 32 bits. With
// these bounds a sum of two products fits in 16 bits, so AVX2's `vpmaddubsw` never saturates. Trained weights are
// mostly much smaller, so AVX2 keeps adding in 16 bits for as many steps as provably cannot overflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kernel {

enum class InstructionSet : std::uint8_t { plain, neon, avx2, avx_vnni, avx512_vnni };
inline constexpr std::string_view INSTRUCTION_SET_NAMES[] = {"plain", "neon", "avx2", "avx-vnni", "avx512-vnni"};

// Returns whether this build has code for a set and this processor supports it.
bool is_available(InstructionSet set);
InstructionSet best_instruction_set();

// Points computed together. Tables are padded to a multiple, and the padding is never read.
inline constexpr int TILE = 6;
// Outputs computed together.
inline constexpr int LANES = 16;
// Sums are in units of 2^-12, activations in units of 2^-5.
inline constexpr int SHIFT = 7, MOST = 127;

// The rows of activations that a convolution reads for each point: a table of taps, with `points` where there is none.
//
// Points with the same missing neighbours, such as those along an edge, share a tile where possible. Taps that no point
// of a tile has are skipped, since they would only add zeros.
struct TapTable {
    TapTable(int points, int taps, const std::vector<std::int32_t>& table);

    int points;
    int taps;
    int tiles;
    std::vector<std::uint32_t> order;        // TILE a tile: the rows of its points; those from `points` on are padding
    std::vector<std::uint32_t> first_steps;  // the first step of each tile, and finally the number of steps
    std::vector<std::uint16_t> step_taps;    // the tap that a step adds
    std::vector<std::uint32_t> rows;         // TILE a step: the row read for each point, or `empty_row()`
    std::vector<std::uint32_t> near;         // the same by point and tap

    std::size_t empty_row() const { return static_cast<std::size_t>(tiles) * TILE; }
    // Returns the number of rows of a table of activations; the last row is all zeros.
    std::size_t height() const { return empty_row() + 1; }
    std::size_t row(int point, int tap) const { return near[static_cast<std::size_t>(point * taps + tap)]; }
    // Returns whether the points of the last tile fit in half a tile.
    bool ends_with_half() const { return tiles * TILE - points >= TILE / 2; }

  private:
    void arrange();
};

struct Convolution {
    // `weights` are ordered by output, tap and input; inputs are padded to a multiple of four.
    Convolution(int outputs, int taps, int inputs, const std::int8_t* weights, std::vector<std::int32_t> bias);

    int outputs;  // a multiple of LANES
    int taps;
    int inputs;  // a multiple of four
    std::vector<std::int8_t> weights;  // by tap, four inputs, LANES outputs, output, input
    std::vector<std::int32_t> bias;
    // For each block of LANES outputs and each quad (four inputs of a tap): whether 16-bit sums might overflow in the
    // next quad. Always true after a tap's last quad, since the next tap may be skipped.
    std::vector<std::uint8_t> is_full;

    int quads() const { return taps * inputs / 4; }

  private:
    void mark_full_sums();
};

// out = min(127, max(0, residual + (bias + sum of products + 64) >> 7)); `residual` may be null. All tables have
// `TapTable::height()` rows of one byte per input or output.
void convolve(InstructionSet set, const Convolution& layer, const TapTable& taps, const std::uint8_t* in,
              const std::int32_t* bias, const std::uint8_t* residual, std::uint8_t* out);

}  // namespace kernel
