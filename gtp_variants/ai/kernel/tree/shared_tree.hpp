// A search tree shared by threads, with read-only data of the search.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ai/kernel/playouts/playout_board.hpp"
#include "tree.hpp"
#include "tree_nodes.hpp"

namespace kernel {

// The virtual games of a move, in sixths.
struct VirtualGames {
    std::uint32_t games, won;
};

// The data shared by the threads of a search. The root's block has its own memory.
struct SharedTree {
    SharedTree(const SearchSettings& given, std::size_t lines, const std::vector<Avoided>& avoided, int aim)
        : settings(given),
          most(static_cast<std::size_t>(given.memory_mb * MEBIBYTE)),
          target(aim < 0 ? NOWHERE : static_cast<Vertex>(aim)),
          arena(lines) {
        for (const Avoided& each : avoided) {
            if (each.colour >= until.size() || each.move < PASS) continue;
            std::vector<int>& depths = until[each.colour];
            const auto place = static_cast<std::size_t>(each.move + 1);
            if (depths.size() <= place) depths.resize(place + 1, 0);
            depths[place] = std::max(depths[place], each.depth);
            deepest[each.colour] = std::max(deepest[each.colour], each.depth);
        }
    }

    // Returns whether a colour must not look at a move, `depth` moves from the root.
    bool avoids(Colour mover, int move, int depth) const {
        const std::vector<int>& depths = until[mover];
        const auto place = static_cast<std::size_t>(move + 1);
        return place < depths.size() && depth < depths[place];
    }

    Node& root() { return *reinterpret_cast<Node*>(root_block.get()); }
    const Node& root() const { return *reinterpret_cast<const Node*>(root_block.get()); }
    bool is_full() const { return arena.used() + root_bytes >= most; }
    // Returns whether nodes beside the root could be dropped.
    bool can_prune() const { return is_full() && arena.used() > 0; }
    // Drops nodes below the root until half of their memory is free. No thread may be running.
    void prune() { arena.prune(root(), (most - std::min(most, root_bytes)) / 2); }

    SearchSettings settings;
    std::size_t most;  // bytes
    Vertex target;     // whose capture decides; NOWHERE: the game's result counts
    std::array<std::vector<int>, 4> until;  // for each colour and move + 1: the depth to which it is avoided
    std::array<int, 4> deepest{};           // for each colour, the greatest of these depths
    Arena arena;
    std::unique_ptr<std::byte[]> root_block;
    std::size_t root_bytes = 0;
    std::vector<VirtualGames> root_priors;  // of the root's moves, in their order
    Relaxed<std::uint32_t> root_visits = 0;
};

}  // namespace kernel
