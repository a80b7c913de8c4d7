// Ladders: chains that are captured by one atari after another, equal to those of `nets/encoding/scene.py`.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ai/kernel/rules/seen_points.hpp"

namespace kernel {

class LadderReader {
  public:
    // Marks the stones of caught chains, and the moves by which `own` catches a chain with two liberties. `stones` are
    // of two colours, `liberties` the planes of their chains with one to three. The marks begin as 0.
    void write(const Topology& topology, const std::array<Colour, CAPACITY>& stones, Colour own,
               const std::uint8_t* liberties, std::uint8_t* caught, std::uint8_t* moves);

  private:
    // Number of stones placed in reading one chain after which it counts as escaping.
    static constexpr int MOST_STONES = 500;
    static constexpr int MANY = 3;  // liberties that nobody counts any more

    struct Walk {
        std::array<Vertex, CAPACITY> stones;
        std::array<Vertex, MANY> free;
        std::size_t size;
        const Vertex* begin() const { return stones.data(); }
        const Vertex* end() const { return stones.data() + size; }
    };

    Colour enemy() const { return colour_ == BLACK ? WHITE : BLACK; }
    const Vertex* near_of(int point) const { return topology_->near_of(point); }
    int find_liberties(int point, Colour colour, int most, Walk& walk);
    bool steps_out(Vertex free, Vertex lost);
    bool place(Vertex move, Colour colour);
    void undo(Vertex move, Colour colour, std::size_t taken);
    int ko_after(Vertex move, std::size_t taken);
    bool is_caught();
    bool escapes(Vertex move);
    bool catches(Vertex move, bool is_first);

    const Topology* topology_ = nullptr;
    std::array<Colour, CAPACITY> stones_;
    std::vector<Vertex> taken_;  // stones captured by the moves so far
    Walk walk_;
    SeenPoints read_, seen_, beside_;
    int target_ = 0, left_ = 0;
    Colour colour_ = EMPTY;
};

}  // namespace kernel
