// The state of one call of `Encoder::encode`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "encoder.hpp"
#include "ai/kernel/rules/seen_points.hpp"

namespace kernel {

// The constants of `nets/encoding`.
inline constexpr int MOST_CAPTURED = 8;
inline constexpr int MOST_FOURS = 3;
inline constexpr int MOST_THREES = 6;
inline constexpr std::uint8_t SEEN = 1;
inline constexpr std::uint8_t LAST_TIME = 2;
inline constexpr std::uint8_t TOO_OFTEN = 3;
inline constexpr int NOW = State::REMEMBERED + 1;
inline constexpr int POINTS_UNIT = 361;
inline constexpr int KOMI_UNIT = 20;
inline constexpr int DICE_UNIT = 10;
inline constexpr int STONES_UNIT = 8;

class Encoding {
  public:
    Encoding(const Encoder& encoder, const State& state, Colour viewer, std::uint8_t* planes, float* globals);

    // Must precede the features, which include the score counted here.
    void write_planes(const std::uint8_t* mask, bool reads_ladders);
    void write_globals();

  private:
    Colour own() const { return order_[0]; }
    unsigned degree_at(int point) const {
        const Topology& topology = rules_.topology;
        return static_cast<unsigned>(topology.degree - topology.gaps[static_cast<std::size_t>(point)]);
    }
    // Returns the number of stones, hidden ones included, of the colour at a place in the order seen.
    int stones(std::size_t place) const { return board_.stones(order_[place]); }
    int draw_count() const { return is_final_ ? 0 : state_.draws.size(); }

    std::uint8_t* take_planes(std::size_t count) {
        std::uint8_t* first = planes_;
        planes_ += count * points_;
        return first;
    }
    void put(double value) { *globals_++ = static_cast<float>(value); }
    double share(int count) const { return count / static_cast<double>(points_); }
    static void mark(std::uint8_t* plane, const PointSet& set) {
        set.each([plane](int point) { plane[point] = 1; });
    }
    static void add_capturable(std::uint8_t* plane, int point, int stones) {
        plane[point] = static_cast<std::uint8_t>(std::min(MOST_CAPTURED, plane[point] + stones));
    }

    bool is_final_to_seat() const;
    bool is_surrounded(int point, Colour colour) const;
    bool is_eye(int point, Colour colour) const;
    bool is_losing(int point) const;
    void look();
    void write_stones(std::uint8_t* stones, std::uint8_t* liberties, std::uint8_t* capturable);
    void write_seen_stones(std::uint8_t* stones, std::uint8_t* liberties, std::uint8_t* capturable);
    void write_legal(std::uint8_t* legal, const std::uint8_t* mask);
    void write_last(std::uint8_t* last);
    void write_earlier(std::uint8_t* planes);
    void write_repeats(std::uint8_t* levels);
    void write_eyes(std::uint8_t* eyes);
    void write_areas(std::uint8_t* areas);
    void write_fives(std::uint8_t* runs);
    void write_rings(std::uint8_t* rings);
    void write_immune(std::uint8_t* immune);
    void write_losing(std::uint8_t* losing);
    void write_dice(std::uint8_t* planes);
    void write_memory(std::uint8_t* ages);
    void write_ladders(const std::uint8_t* liberties, std::uint8_t* ladders);
    void write_passes();
    void write_draws();
    void write_news();

    const Encoder& encoder_;
    const State& state_;
    const Rules& rules_;
    const ChainBoard& board_;
    std::size_t points_;
    bool is_seat_;  // whether the view is limited to a seat's knowledge
    std::uint8_t* planes_;
    float* globals_;
    std::size_t colours_ = 0;
    std::array<Colour, 3> order_{};       // the colours, the own first
    std::array<std::size_t, 4> place_{};  // the place of each colour in that order
    std::array<int, 2> area_{};           // areas of the own colour and the next
    int hidden_ = 0;
    bool is_final_ = false, may_pass_ = false, may_swap_ = false;
    const std::uint8_t* legal_ = nullptr;  // the plane of legal points
    std::array<Colour, CAPACITY> seen_;  // the visible stones
};

}  // namespace kernel
