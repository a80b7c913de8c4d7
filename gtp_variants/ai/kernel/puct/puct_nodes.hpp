// The nodes of a search with an evaluator, and their memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "ai/kernel/tree/chunk.hpp"
#include "puct.hpp"

namespace kernel {

// A move, or an outcome of the dice.
struct PuctTree::Edge {
    explicit Edge(int played) : move(played) {}

    double prior = 0;  // of an outcome: its odds
    double won = 0;    // by the side to play, draws and the score included
    Node* below = nullptr;
    int move;
    std::uint32_t visits = 0;
    std::uint32_t in_flight = 0;  // descents waiting for an answer
    float playout_change = 0;     // part of `won` that random playouts added or removed
};

// A position in which a player moves or the dice are thrown.
struct PuctTree::Node {
    static constexpr std::int8_t NOT_PROVED = -1;

    std::span<Edge> edges;          // empty until the evaluator has answered
    std::array<double, 3> total{};  // sums of values backed up, by colour; at an end its shares
    double lead = 0, square = 0;    // likewise the first colour's leads and their squares
    double bonus = 0;               // their value, and that of draws, to it
    double playout_change = 0;      // likewise the effect of random playouts
    double judged = 0;              // the evaluator's value for the side to play
    std::uint32_t number = 0;       // its index in NodeStore
    std::uint32_t count = 0;        // number of values backed up
    std::uint32_t waiting = 0;      // sum of descents in flight
    std::uint8_t seat = 0;          // of the side to play, in turn order
    bool is_chance = false;
    bool is_over = false;
    bool is_known = false;  // whether its edges have priors
    bool is_asked = false;
    bool is_asked_again = false;  // whether better priors were requested
    bool is_whole = true;   // whether moves without an edge are surely no better
    std::int8_t proof = NOT_PROVED;  // the certain winner: a colour, or EMPTY for a draw
};

// The memory of one tree. Nodes have equal size and stay in place until `pack`. The edges of a node are contiguous;
// `pack_edges` moves them, so only Nodes may hold pointers to them.
class PuctTree::NodeStore {
  public:
    // Bytes of a node, and of a node's edges.
    static constexpr std::uint64_t NODE_BYTES = sizeof(Node);
    static std::uint64_t bytes_of(std::size_t edges) { return edges > 0 ? sizeof(Owner) + edges * sizeof(Edge) : 0; }

    // Returns the bytes of all nodes and edges in use.
    std::uint64_t bytes() const { return NODE_BYTES * nodes_ + edge_bytes_; }

    Node& make() {
        FreePlace* const place = free_;
        const std::uint32_t number = place ? place->number : made_;
        std::byte* where = reinterpret_cast<std::byte*>(place);
        if (place) free_ = place->next;
        else where = next_place();
        Node& node = *new (where) Node;
        node.number = number;
        ++nodes_;
        return node;
    }

    // Allocates edges for a node without any; the caller must fill them.
    void add_edges(Node& node, std::size_t count) {
        const std::size_t bytes = bytes_of(count);
        if (bytes == 0) return;
        if (bytes > CHUNK) throw std::bad_alloc();
        if (edge_chunks_.empty() || edge_chunks_.back().used + bytes > CHUNK) edge_chunks_.push_back({take(), 0});
        EdgeChunk& last = edge_chunks_.back();
        place_edges(node, last.bytes.get() + last.used, count);
        last.used += bytes;
        edge_bytes_ += bytes;
    }

    // Drops a node's edges; their memory is free after `pack_edges`.
    void drop_edges(Node& node) {
        if (node.edges.empty()) return;
        edge_bytes_ -= bytes_of(node.edges.size());
        owner_of(node.edges).number = NOBODY;
        node.edges = {};
    }

    void drop(Node& node) {
        drop_edges(node);
        const std::uint32_t number = node.number;
        free_ = new (&node) FreePlace{free_, number};
        --nodes_;
    }

    // Closes the gaps between edges.
    void pack_edges() {
        spare_.reserve(spare_.size() + edge_chunks_.size());
        std::size_t to = 0, end = 0;
        for (std::size_t from = 0; from < edge_chunks_.size(); ++from) {
            const std::size_t used = edge_chunks_[from].used;
            for (std::size_t offset = 0; offset < used;) {
                std::byte* const at = edge_chunks_[from].bytes.get() + offset;
                const Owner owner = *reinterpret_cast<const Owner*>(at);
                const std::size_t bytes = bytes_of(owner.edges);
                offset += bytes;
                if (owner.number == NOBODY) continue;
                if (end + bytes > CHUNK) {
                    edge_chunks_[to++].used = end;
                    end = 0;
                }
                std::byte* const place = edge_chunks_[to].bytes.get() + end;
                std::memmove(place, at, bytes);
                place_edges(node_at(owner.number), place, owner.edges);
                end += bytes;
            }
        }
        if (!edge_chunks_.empty()) edge_chunks_[to].used = end;
        while (edge_chunks_.size() > (end > 0 ? to + 1 : to)) {
            spare_.push_back(std::move(edge_chunks_.back().bytes));
            edge_chunks_.pop_back();
        }
    }

    // Moves all nodes together too, and frees unused chunks. All nodes but the root must lie below an edge, and no
    // other pointers to nodes may exist.
    void pack(Node*& root) {
        pack_edges();
        move_down(root);
        for (const EdgeChunk& chunk : edge_chunks_)
            for (std::size_t offset = 0; offset < chunk.used;) {
                std::byte* const at = chunk.bytes.get() + offset;
                const std::size_t count = reinterpret_cast<const Owner*>(at)->edges;
                for (Edge& edge : std::span(reinterpret_cast<Edge*>(at + sizeof(Owner)), count))
                    if (edge.below) move_down(edge.below);
                offset += bytes_of(count);
            }
        free_ = nullptr;
        made_ = nodes_;
        node_chunks_.resize((made_ + IN_CHUNK - 1) / IN_CHUNK);
        spare_.clear();
    }

    // Forgets all nodes. The first chunk stays, so that `make` succeeds even without memory.
    void clear() noexcept {
        if (node_chunks_.size() > 1) node_chunks_.resize(1);
        edge_chunks_.clear();
        spare_.clear();
        free_ = nullptr;
        made_ = nodes_ = 0;
        edge_bytes_ = 0;
    }

  private:
    // Precedes the edges of a node: the node's number, NOBODY once dropped, and the number of edges.
    struct Owner {
        std::uint32_t number;
        std::uint32_t edges;
    };
    struct FreePlace {
        FreePlace* next;
        std::uint32_t number;
    };
    struct EdgeChunk {
        Chunk bytes;
        std::size_t used = 0;
    };
    static constexpr std::uint32_t NOBODY = UINT32_MAX;
    static constexpr std::uint32_t IN_CHUNK = CHUNK / sizeof(Node);
    static_assert(sizeof(Node) == 104 && sizeof(Owner) == 8 && sizeof(Edge) == 40, "memory_mb holds as many as ever");
    static_assert(std::is_trivially_copyable_v<Edge> && std::is_trivially_copyable_v<Node>);

    Node& node_at(std::uint32_t number) {
        return *reinterpret_cast<Node*>(node_chunks_[number / IN_CHUNK].get() + number % IN_CHUNK * sizeof(Node));
    }

    std::byte* next_place() {
        if (made_ == NOBODY) throw std::bad_alloc();
        if (made_ == node_chunks_.size() * IN_CHUNK) node_chunks_.push_back(take());
        std::byte* const place = node_chunks_[made_ / IN_CHUNK].get() + made_ % IN_CHUNK * sizeof(Node);
        ++made_;
        return place;
    }

    Chunk take() {
        Chunk taken;
        if (spare_.empty()) {
            taken = take_chunk();
        } else {
            taken = std::move(spare_.back());
            spare_.pop_back();
        }
        if (!taken) throw std::bad_alloc();
        return taken;
    }

    static void place_edges(Node& node, std::byte* place, std::size_t count) {
        new (place) Owner{node.number, static_cast<std::uint32_t>(count)};
        node.edges = {reinterpret_cast<Edge*>(place + sizeof(Owner)), count};
    }

    static Owner& owner_of(std::span<Edge> edges) { return *(reinterpret_cast<Owner*>(edges.data()) - 1); }

    // Moves a node to a free place near the start, unless it is already there.
    void move_down(Node*& node) {
        if (node->number < nodes_) return;
        while (free_->number >= nodes_) free_ = free_->next;
        const FreePlace place = *free_;
        node = new (free_) Node(*node);
        node->number = place.number;
        free_ = place.next;
        if (!node->edges.empty()) owner_of(node->edges).number = place.number;
    }

    std::vector<Chunk> node_chunks_;
    std::vector<EdgeChunk> edge_chunks_;
    std::vector<Chunk> spare_;
    FreePlace* free_ = nullptr;
    std::uint32_t made_ = 0;   // places in use, and free ones between them
    std::uint32_t nodes_ = 0;  // places in use
    std::uint64_t edge_bytes_ = 0;
};

}  // namespace kernel
