// The owner of each point at the end of a game of the Go family.
#pragma once

#include <cstdint>
#include <vector>

#include "playout_board.hpp"

namespace kernel {

// Calls `act` with each empty region's owner, EMPTY if it touches both colours or none, and its points.
template <class B, class Act> void each_region(const B& board, Act act) {
    const int points = board.tables().points;
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(points) + 1, 0);
    std::vector<Vertex> region;
    for (int start = 0; start < points; ++start) {
        if (board.at(static_cast<Vertex>(start)) != EMPTY || seen[static_cast<std::size_t>(start)]) continue;
        region.assign(1, static_cast<Vertex>(start));
        seen[static_cast<std::size_t>(start)] = 1;
        unsigned border = 0;
        for (std::size_t i = 0; i < region.size(); ++i) {
            const Vertex* near = board.near_of(region[i]);
            for (int k = 0; k < B::DEGREE; ++k) {
                const Colour colour = board.at(near[k]);
                if (colour == OFF) continue;
                if (colour != EMPTY) border |= 1U << colour;
                else if (!seen[near[k]]) {
                    seen[near[k]] = 1;
                    region.push_back(near[k]);
                }
            }
        }
        act(border == 1U << BLACK ? BLACK : border == 1U << WHITE ? WHITE : EMPTY, region);
    }
}

// Returns the owner of an empty point whose neighbours are all stones.
template <class B> Colour owner_of_eye(const B& board, Vertex v) {
    const bool is_black = board.is_surrounded(v, BLACK), is_white = board.is_surrounded(v, WHITE);
    return is_black == is_white ? EMPTY : is_black ? BLACK : WHITE;
}

// Adds 1 for each point of Black's and subtracts 1 for each of White's.
template <class B> void count_owners(const B& board, std::vector<std::int64_t>& owned) {
    bool has_regions = false;
    const auto add = [&owned](Vertex v, Colour owner) { owned[v] += owner == BLACK ? 1 : owner == WHITE ? -1 : 0; };
    for (int point = 0; point < board.tables().points; ++point) {
        const auto v = static_cast<Vertex>(point);
        if (board.at(v) != EMPTY) add(v, board.at(v));
        else has_regions |= board.has_empty_neighbour(v);
    }
    if (has_regions) {
        each_region(board, [&](Colour owner, const std::vector<Vertex>& region) {
            for (const Vertex v : region) add(v, owner);
        });
        return;
    }
    for (int bucket = 0; bucket < board.tables().buckets; ++bucket)
        for (int k = 0; k < board.empties(bucket); ++k) {
            const Vertex v = board.empty(board.begin(bucket) + k);
            add(v, owner_of_eye(board, v));
        }
}

}  // namespace kernel
