// Checks a board against what its stones say; for tests only.
#pragma once

#include <string>
#include <vector>

#include "playout_board.hpp"

namespace kernel {

// What a rich board keeps wrongly; "" if nothing.
template <class B> std::string find_board_fault(const B& board) {
    const int points = board.tables().points;
    const auto fault = [](const char* what, int at) { return std::string(what) + " at point " + std::to_string(at); };
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(points) + 1, 0);
    std::array<int, 4> stones{};
    Hash hash;
    if constexpr (B::HAS_SHAPES)
        for (int start = 0; start < points; ++start) {
            const auto v = static_cast<Vertex>(start);
            unsigned shape = 0;
            for (unsigned i = 0; i < 8; ++i) {
                const Colour colour = board.at(board.surroundings_of(v)[i]);
                shape |= (colour == OFF ? 3U : colour) << (2 * i);
            }
            if (board.shape(v) != shape) return fault("shape", start);
        }
    for (int start = 0; start < points; ++start) {
        const auto first = static_cast<Vertex>(start);
        const Colour colour = board.at(first);
        ++stones[colour];
        if (colour == EMPTY) continue;
        hash ^= ZOBRIST.stone(start, colour);
        if (seen[first]) continue;
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
                } else if (there == colour && !seen[near]) {
                    seen[near] = 1;
                    members.push_back(near);
                }
            }
        const Vertex chain = board.chain_of(first);
        std::size_t round = 0;
        Vertex member = first;
        do {
            if (board.chain_of(member) != chain) return fault("a chain of two names", start);
            member = board.next_in_chain(member);
        } while (member != first && ++round <= members.size());
        if (round + 1 != members.size() || board.size_of(chain) != static_cast<int>(members.size()))
            return fault("size of the chain", start);
        if (board.pseudo_liberties(chain) != pseudo) return fault("liberties of the chain", start);
        if (board.only_liberty(chain) != (liberties.size() == 1 ? liberties[0] : NOWHERE))
            return fault("atari of the chain", start);
        if constexpr (B::DEGREE == 3) {
            bool has_rosette = false;
            for (const auto& face : board.tables().topology->faces) {
                bool is_whole = board.tables().immunity;
                for (const Vertex corner : face)
                    is_whole &= std::find(members.begin(), members.end(), corner) != members.end();
                has_rosette |= is_whole;
            }
            if (board.is_immune(chain) != has_rosette) return fault("rosette of the chain", start);
        }
    }
    if constexpr (B::HAS_HASH)
        if (!(board.hash() == hash)) return fault("hash", -1);
    int empties = 0;
    for (int bucket = 0; bucket < board.tables().buckets; ++bucket)
        for (int k = 0; k < board.empties(bucket); ++k, ++empties) {
            const Vertex v = board.empty(board.begin(bucket) + k);
            if (board.at(v) != EMPTY || seen[v]++ || board.place_of(v) != board.begin(bucket) + k) return fault("list of empty points", v);
        }
    if (empties != stones[EMPTY]) return fault("number of empty points", -1);
    for (const Colour colour : {BLACK, WHITE, RED})
        if (board.stones_of(colour) != stones[colour]) return fault("number of stones", -1);
    return "";
}

// A playout's trace that checks the board before every turn.
template <class B> struct Auditing {
    const B* board;
    std::string* found;
    void operator()(int) const {
        if (found->empty()) *found = find_board_fault(*board);
    }
};

}  // namespace kernel
