// A board as a graph. All geometry comes from the tables of the Python `Board`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace kernel {

using Vertex = std::uint16_t;
using Colour = std::uint8_t;

inline constexpr Colour EMPTY = 0, BLACK = 1, WHITE = 2, RED = 3, OFF = 4;
// Points of the largest board, a honeycomb of 13 hexagons a side.
inline constexpr int MAX_POINTS = 1014;
// Rows of a table by point; more than points, since the point off the board and other values have rows too.
inline constexpr int CAPACITY = 1064;
// Maximum number of neighbours of a point.
inline constexpr int MAX_DEGREE = 6;

// Tables are padded to a fixed stride with the number `points`, the point off the board.
struct Topology {
    int points = 0;
    int degree = 0;                  // stride of `near`: 3, 4 or 6
    std::vector<Vertex> near;        // neighbours of each point
    std::vector<std::uint8_t> gaps;  // how many of a point's neighbours are off the board
    bool is_grid = false;            // whether diagonals decide false eyes
    std::vector<Vertex> diagonals;   // stride 4
    std::vector<std::uint8_t> false_at;  // enemies on the diagonals that make an eye false: 2 inside, 1 at the edge
    std::vector<Vertex> surroundings;    // square grids: the eight points around each, in a fixed order; stride 8
    std::vector<std::uint8_t> rings;     // distance of each point from the edge, 1 on the border; 0 where unknown
    std::vector<std::array<Vertex, 6>> faces;
    std::vector<std::vector<Vertex>> faces_at;
    std::vector<std::array<Vertex, 5>> fives;
    std::vector<Vertex> fives_at;       // numbers of the fives through each point, point by point
    std::vector<std::uint32_t> fives_from;  // start of each point's fives in `fives_at`, and the end

    const Vertex* near_of(int point) const { return &near[static_cast<std::size_t>(point * degree)]; }
};

inline Topology make_topology(const std::vector<std::vector<int>>& neighbours,
                              const std::vector<std::vector<int>>& diagonals, bool is_grid,
                              const std::vector<std::vector<int>>& surroundings, const std::vector<int>& rings,
                              const std::vector<std::vector<int>>& faces, const std::vector<std::vector<int>>& fives) {
    Topology made;
    const int points = static_cast<int>(neighbours.size());
    if (points < 1 || points > MAX_POINTS) throw std::invalid_argument("a board has 1 to 1014 points");
    if (is_grid && diagonals.size() != neighbours.size()) throw std::invalid_argument("diagonals: one list a point");
    if (is_grid && surroundings.size() != neighbours.size())
        throw std::invalid_argument("surroundings: one list a point");
    if (!rings.empty() && rings.size() != neighbours.size()) throw std::invalid_argument("rings: one number a point");
    const auto checked = [points](int point) {
        if (point < 0 || point >= points) throw std::invalid_argument("a table names a point that is not on the board");
        return static_cast<Vertex>(point);
    };
    std::size_t most = 0;
    for (const auto& near : neighbours) most = near.size() > most ? near.size() : most;
    made.points = points;
    made.is_grid = is_grid;
    made.degree = is_grid || most == 4 ? 4 : most <= 3 ? 3 : 6;
    if (most > static_cast<std::size_t>(made.degree)) throw std::invalid_argument("a point has too many neighbours");
    const auto stride = static_cast<std::size_t>(made.degree);
    const auto off = static_cast<Vertex>(points);
    // The point off the board has a row too, so that reads need no check.
    const auto rows = static_cast<std::size_t>(points) + 1;
    made.near.assign(rows * stride, off);
    made.diagonals.assign(rows * 4, off);
    made.gaps.assign(rows, static_cast<std::uint8_t>(stride));
    made.false_at.assign(rows, 1);
    made.surroundings.assign(is_grid ? rows * 8 : 0, off);
    made.rings.assign(rows, 0);
    for (std::size_t p = 0; p < rings.size(); ++p) made.rings[p] = static_cast<std::uint8_t>(rings[p]);
    made.faces_at.resize(rows);
    for (std::size_t p = 0; p < neighbours.size(); ++p) {
        for (std::size_t i = 0; i < neighbours[p].size(); ++i) made.near[p * stride + i] = checked(neighbours[p][i]);
        made.gaps[p] = static_cast<std::uint8_t>(stride - neighbours[p].size());
        if (!is_grid) continue;
        if (diagonals[p].size() > 4) throw std::invalid_argument("a point has at most four diagonals");
        for (std::size_t i = 0; i < diagonals[p].size(); ++i) made.diagonals[p * 4 + i] = checked(diagonals[p][i]);
        made.false_at[p] = diagonals[p].size() == 4 ? 2 : 1;
        if (surroundings[p].size() != 8) throw std::invalid_argument("eight points lie around a point, on the board or off");
        for (std::size_t i = 0; i < 8; ++i)
            if (surroundings[p][i] >= 0) made.surroundings[p * 8 + i] = checked(surroundings[p][i]);
    }
    for (const auto& face : faces) {
        if (face.size() != 6) throw std::invalid_argument("a face has six points");
        const auto number = static_cast<Vertex>(made.faces.size());
        auto& stored = made.faces.emplace_back();
        for (std::size_t i = 0; i < 6; ++i) {
            stored[i] = checked(face[i]);
            made.faces_at[stored[i]].push_back(number);
        }
    }
    std::vector<std::vector<Vertex>> through(rows);
    for (const auto& five : fives) {
        if (five.size() != 5) throw std::invalid_argument("a five has five points");
        const auto number = static_cast<Vertex>(made.fives.size());
        auto& stored = made.fives.emplace_back();
        for (std::size_t i = 0; i < 5; ++i) {
            stored[i] = checked(five[i]);
            through[stored[i]].push_back(number);
        }
    }
    for (const auto& numbers : through) {
        made.fives_from.push_back(static_cast<std::uint32_t>(made.fives_at.size()));
        made.fives_at.insert(made.fives_at.end(), numbers.begin(), numbers.end());
    }
    made.fives_from.push_back(static_cast<std::uint32_t>(made.fives_at.size()));
    return made;
}

}  // namespace kernel
