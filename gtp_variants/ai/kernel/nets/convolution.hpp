// Convolutions over the taps of a board in 8-bit integers: the one part of a network that needs a fast processor.
//
// Every path gives the same bits: activations are 0 to 127, weights -128 to 127, sums are exact in 32 bits. With these
// bounds a sum of two products fits 16 bits, so that AVX2's `vpmaddubsw` never saturates. Weights that were learnt are
// mostly far smaller: AVX2 goes on adding in 16 bits for as many steps as they can be shown not to overflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kernel {

enum class InstructionSet : std::uint8_t { plain, neon, avx2, avx_vnni, avx512_vnni };
inline constexpr std::string_view INSTRUCTION_SET_NAMES[] = {"plain", "neon", "avx2", "avx-vnni", "avx512-vnni"};

// Whether this build has code for a set and this processor runs it.
bool is_available(InstructionSet set);
InstructionSet best_instruction_set();

// Points that are worked on together; a multiple of them is stored, the rest of the last ones is never read.
inline constexpr int TILE = 6;
// Outputs that are worked on together.
inline constexpr int LANES = 16;
// A sum has the unit 2^-12, an activation 2^-5.
inline constexpr int SHIFT = 7, MOST = 127;

// Which rows of activations a convolution reads for each point: a table of taps, `points` where there is no point.
//
// Points that lack neighbours in the same directions, those along an edge, share a tile as far as they can, and taps that
// no point of a tile has are left out: they would only add zeros.
struct TapTable {
    TapTable(int points, int taps, const std::vector<std::int32_t>& table);

    int points;
    int taps;
    int tiles;
    std::vector<std::uint32_t> order;        // TILE a tile: the rows of its points; those from `points` on are never read
    std::vector<std::uint32_t> first_steps;  // of each tile its first step; at last how many there are
    std::vector<std::uint16_t> step_taps;    // which tap a step adds
    std::vector<std::uint32_t> rows;         // TILE a step: what it reads for each point, `empty_row()` for nothing
    std::vector<std::uint32_t> near;         // the same by point and tap

    std::size_t empty_row() const { return static_cast<std::size_t>(tiles) * TILE; }
    // How many rows a table of activations has, the last of them all zeros.
    std::size_t height() const { return empty_row() + 1; }
    std::size_t row(int point, int tap) const { return near[static_cast<std::size_t>(point * taps + tap)]; }
    // Whether half a tile is enough for the points of the last one.
    bool ends_with_half() const { return tiles * TILE - points >= TILE / 2; }

  private:
    void arrange();
};

struct Convolution {
    // `weights` by output, tap and input; inputs are filled up to a multiple of four.
    Convolution(int outputs, int taps, int inputs, const std::int8_t* weights, std::vector<std::int32_t> bias);

    int outputs;  // a multiple of LANES
    int taps;
    int inputs;  // a multiple of four
    std::vector<std::int8_t> weights;  // by tap, four inputs, LANES outputs, output, input
    std::vector<std::int32_t> bias;
    // By block of LANES outputs and quad (a tap's four inputs): whether sums in 16 bits might overflow in the next quad.
    // Always after a tap's last quad: the next tap may be left out.
    std::vector<std::uint8_t> is_full;

    int quads() const { return taps * inputs / 4; }

  private:
    void mark_full_sums();
};

// out = min(127, max(0, residual + (bias + sum of products + 64) >> 7)); `residual` may be null. All tables have
// `TapTable::height()` rows of as many bytes as the convolution has inputs or outputs.
void convolve(InstructionSet set, const Convolution& layer, const TapTable& taps, const std::uint8_t* in,
              const std::int32_t* bias, const std::uint8_t* residual, std::uint8_t* out);

}  // namespace kernel
