// Checks of a playout board's derived data against its stones, for tests only.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "playout_board.hpp"

namespace kernel {

inline std::string fault_at(const char* what, int point) {
    return std::string(what) + " at point " + std::to_string(point);
}

template <class B> std::string find_shape_fault(const B& board) {
    if constexpr (B::HAS_SHAPES)
        for (int point = 0; point < board.tables().points; ++point) {
            const auto v = static_cast<Vertex>(point);
            unsigned shape = 0;
            for (unsigned i = 0; i < 8; ++i) {
                const Colour colour = board.at(board.surroundings_of(v)[i]);
                shape |= (colour == OFF ? 3U : colour) << (2 * i);
            }
            if (board.shape(v) != shape) return fault_at("shape", point);
        }
    return "";
}

// Returns the fault of a point's chain; marks its stones as seen.
template <class B> std::string find_chain_fault(const B& board, Vertex first, std::vector<std::uint8_t>& seen) {
    std::vector<Vertex> members{first};
    std::vector<Vertex> liberties;
    seen[first] = 1;
    unsigned pseudo = 0;
    for (std::size_t i = 0; i < members.size(); ++i)
        for (int k = 0; k < B::DEGREE; ++k) {
            const Vertex near = board.near_of(members[i])[k];
            const Colour there = board.at(near);
            if (there == EMPTY) {
                ++pseudo;
                if (std::find(liberties.begin(), liberties.end(), near) == liberties.end()) liberties.push_back(near);
            } else if (there == board.at(first) && !seen[near]) {
                seen[near] = 1;
                members.push_back(near);
            }
        }
    const Vertex chain = board.chain_of(first);
    std::size_t round = 0;
    Vertex member = first;
    do {
        if (board.chain_of(member) != chain) return fault_at("a chain of two names", first);
        member = board.next_in_chain(member);
    } while (member != first && ++round <= members.size());
    if (round + 1 != members.size() || board.size_of(chain) != static_cast<int>(members.size()))
        return fault_at("size of the chain", first);
    if (board.pseudo_liberties(chain) != pseudo) return fault_at("liberties of the chain", first);
    if (board.only_liberty(chain) != (liberties.size() == 1 ? liberties[0] : NOWHERE))
        return fault_at("atari of the chain", first);
    if constexpr (B::DEGREE == 3) {
        const auto holds = [&members](Vertex corner) {
            return std::find(members.begin(), members.end(), corner) != members.end();
        };
        const auto& faces = board.tables().topology->faces;
        const bool has_rosette =
            board.tables().immunity && std::any_of(faces.begin(), faces.end(), [&holds](const auto& face) {
                return std::all_of(face.begin(), face.end(), holds);
            });
        if (board.is_immune(chain) != has_rosette) return fault_at("rosette of the chain", first);
    }
    return "";
}

template <class B> std::string find_list_fault(const B& board, std::vector<std::uint8_t>& seen, int empty_points) {
    int empties = 0;
    for (int bucket = 0; bucket < board.tables().buckets; ++bucket)
        for (int k = 0; k < board.empties(bucket); ++k, ++empties) {
            const int place = board.begin(bucket) + k;
            const Vertex v = board.empty(place);
            if (board.at(v) != EMPTY || seen[v]++ || board.place_of(v) != place)
                return fault_at("list of empty points", v);
        }
    return empties == empty_points ? "" : "number of empty points";
}

// Returns the first fault of a rich board's data, or "".
template <class B> std::string find_board_fault(const B& board) {
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(board.tables().points) + 1, 0);
    std::array<int, 4> stones{};
    Hash hash;
    if (const std::string fault = find_shape_fault(board); !fault.empty()) return fault;
    for (int point = 0; point < board.tables().points; ++point) {
        const auto v = static_cast<Vertex>(point);
        const Colour colour = board.at(v);
        ++stones[colour];
        if (colour == EMPTY) continue;
        hash ^= ZOBRIST.stone(point, colour);
        if (seen[v]) continue;
        if (const std::string fault = find_chain_fault(board, v, seen); !fault.empty()) return fault;
    }
    if constexpr (B::HAS_HASH)
        if (!(board.hash() == hash)) return "hash";
    for (const Colour colour : {BLACK, WHITE, RED})
        if (board.stones_of(colour) != stones[colour]) return "number of stones";
    return find_list_fault(board, seen, stones[EMPTY]);
}

// A trace of a playout that checks the board before every turn.
template <class B> struct Auditing {
    const B* board;
    std::string* found;
    void operator()(int) const {
        if (found->empty()) *found = find_board_fault(*board);
    }
};

}  // namespace kernel
