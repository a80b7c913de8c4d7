// The nodes of a search tree and their memory.
//
// A node and its children form one block. Blocks stay in place while threads use the tree, and each is made later than
// its parent; between two searches the blocks still in use are moved together.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

#include "chunk.hpp"
#include "ai/kernel/rules/rules.hpp"

namespace kernel {

// A number that threads read and increment without synchronisation. Simultaneous increments may lose one, which harms a
// search less than a lock would.
template <class T> class Relaxed {
  public:
    Relaxed(T value) : value_(value) {}
    Relaxed(const Relaxed& other) : value_(T{other}) {}
    operator T() const { return value_.load(std::memory_order_relaxed); }
    Relaxed& operator=(T value) {
        value_.store(value, std::memory_order_relaxed);
        return *this;
    }
    Relaxed& operator=(const Relaxed& other) { return *this = T{other}; }
    void operator+=(T more) { *this = *this + more; }

  private:
    std::atomic<T> value_;
};

// The proved result for the side to move there. A draw by repetition depends on the path and proves nothing of other
// nodes.
enum class Proof : std::uint8_t { none, won, lost, drawn };

struct Node;

// Marks a node that a thread is making.
inline Node* const BEING_MADE = reinterpret_cast<Node*>(std::uintptr_t{1});

// Games are counted in sixths, so that a draw among two or three has a whole share.
inline constexpr std::uint32_t GAME = 6;
// Returns a number of games in sixths, rounded.
inline std::uint32_t in_sixths(double games) { return static_cast<std::uint32_t>(games * GAME + 0.5); }
// Visits at which a search ends, before counts in sixths would overflow.
inline constexpr std::uint32_t MOST_VISITS = std::uint32_t{1} << 29;

struct Child {
    std::atomic<Node*> node;
    Relaxed<std::uint32_t> games, won;              // in sixths, virtual ones included
    Relaxed<std::uint32_t> later_games, later_won;  // of playouts in which the move came later, virtual ones included
    Relaxed<std::uint32_t> visits = 0;
    std::int16_t move;  // a point or PASS
    Relaxed<Proof> proof;

    // Virtual games count as own ones and, with RAVE, also as later ones.
    Child(std::uint32_t all, std::uint32_t gained, int point, bool rave)
        : node(nullptr), games(all), won(gained), later_games(rave ? all : 0), later_won(rave ? gained : 0),
          move(static_cast<std::int16_t>(point)), proof(Proof::none) {}
    Child(const Child& other)
        : node(other.below()), games(other.games), won(other.won), later_games(other.later_games),
          later_won(other.later_won), visits(other.visits), move(other.move), proof(other.proof) {}
    Child& operator=(const Child&) = delete;

    // Returns the node below, or null.
    Node* below() const {
        Node* const found = node.load(std::memory_order_acquire);
        return found == BEING_MADE ? nullptr : found;
    }
};

struct Node {
    Node* goes_to;  // while blocks are moved: the new place, null if it is dropped
    std::uint32_t count;
    Colour mover;
    bool is_whole;  // whether the children are all the moves
    bool is_over;   // nobody can move: `winner` has won, EMPTY is a draw
    Colour winner;

    Child* begin() { return reinterpret_cast<Child*>(this + 1); }
    Child* end() { return begin() + count; }
    const Child* begin() const { return reinterpret_cast<const Child*>(this + 1); }
    const Child* end() const { return begin() + count; }
    // For Aléago: one flag per line, whether it has a legal point.
    std::uint8_t* room() { return reinterpret_cast<std::uint8_t*>(end()); }
    const std::uint8_t* room() const { return reinterpret_cast<const std::uint8_t*>(end()); }
};

// Returns the bytes of a node with its children and flags; `plain/tree.py` counts the same.
inline std::size_t size_of_node(std::size_t children, std::size_t lines) {
    return sizeof(Node) + children * sizeof(Child) + (lines + 7) / 8 * 8;
}
static_assert(sizeof(Node) == 16 && sizeof(Child) == 32, "plain/tree.py counts with these");

// The blocks of a tree, in the order of their creation.
class Arena {
  public:
    // `lines` is the number of flags per node.
    explicit Arena(std::size_t lines) : lines_(lines) {}

    // Allocates a block; null without memory.
    std::byte* take(std::size_t bytes) {
        const std::lock_guard held(lock_);
        if (chunks_.empty() || chunks_.back().used + bytes > CHUNK) {
            Chunk made = take_chunk();
            if (!made) return nullptr;
            chunks_.push_back({std::move(made), 0});
        }
        Filled& last = chunks_.back();
        std::byte* const taken = last.bytes.get() + last.used;
        last.used += bytes;
        used_ += bytes;
        return taken;
    }

    std::size_t used() const { return used_; }

    void clear() {
        chunks_.clear();
        used_ = 0;
    }

    // Keeps the blocks below a node that lies elsewhere, and frees the rest. No thread may be running.
    void keep_below(Node& root) {
        each([](Node& node) { node.goes_to = nullptr; });
        const std::vector<std::size_t> ends = find_places(root);
        lead_anew(root);
        // A block moves only towards the start, onto moved or dropped blocks.
        each([this](Node& node) {
            if (!node.goes_to) return;
            lead_anew(node);
            move(node);
        });
        chunks_.resize(ends.size());
        used_ = 0;
        for (std::size_t i = 0; i < ends.size(); ++i) {
            chunks_[i].used = ends[i];
            used_ += ends[i];
        }
    }

    // Drops the least visited nodes until the rest take at most `most` bytes. Their moves are looked up again at the
    // next visit; the moves that led to them keep their counts. No thread may be running.
    void prune(Node& root, std::size_t most) {
        // Bytes of nodes by the bit length of their visits; a child never has more visits than its parent.
        std::array<std::size_t, 33> bytes{};
        const auto weigh = [&](Node& node) {
            for (const Child& child : node)
                if (const Node* const below = child.below()) bytes[digits(child)] += size_of_node(below->count, lines_);
        };
        weigh(root);
        each(weigh);
        std::size_t kept = used_, least = 0;
        while (kept > most && least < bytes.size()) kept -= bytes[least++];
        const auto cut = [least](Node& node) {
            for (Child& child : node)
                if (digits(child) < least) child.node.store(nullptr, std::memory_order_relaxed);
        };
        cut(root);
        each(cut);
        keep_below(root);
    }

  private:
    static std::size_t digits(const Child& child) {
        return static_cast<std::size_t>(std::bit_width(std::uint32_t{child.visits}));
    }

    struct Filled {
        Chunk bytes;
        std::size_t used = 0;
    };

    template <class Act> void each(Act act) {
        for (const Filled& chunk : chunks_)
            for (std::size_t offset = 0; offset < chunk.used;) {
                Node& node = *reinterpret_cast<Node*>(chunk.bytes.get() + offset);
                // If the callback moved the node, other data may be here.
                offset += size_of_node(node.count, lines_);
                act(node);
            }
    }

    // Sets the new place of each kept block; returns where each chunk will end.
    std::vector<std::size_t> find_places(Node& root) {
        // A parent was made before its children, so one walk finds all blocks to keep.
        const auto want_below = [](Node& node) {
            for (const Child& child : node)
                if (Node* const below = child.below()) below->goes_to = below;
        };
        std::vector<std::size_t> ends;
        want_below(root);
        each([&](Node& node) {
            if (!node.goes_to) return;
            want_below(node);
            const std::size_t bytes = size_of_node(node.count, lines_);
            if (ends.empty() || ends.back() + bytes > CHUNK) ends.push_back(0);
            node.goes_to = reinterpret_cast<Node*>(chunks_[ends.size() - 1].bytes.get() + ends.back());
            ends.back() += bytes;
        });
        return ends;
    }

    static void lead_anew(Node& node) {
        for (Child& child : node)
            if (const Node* const below = child.below()) child.node.store(below->goes_to, std::memory_order_relaxed);
    }

    void move(Node& from) const {
        Node* const to = from.goes_to;
        if (to == &from) return;
        // The two may overlap, so nothing is read after it was overwritten.
        const Node head = from;
        const Child* const children = from.begin();
        const std::uint8_t* const room = from.room();
        new (to) Node(head);
        for (std::uint32_t k = 0; k < head.count; ++k) {
            const Child child = children[k];
            new (to->begin() + k) Child(child);
        }
        for (std::size_t k = 0; k < lines_; ++k) to->room()[k] = room[k];
    }

    std::size_t lines_;
    std::mutex lock_;
    std::vector<Filled> chunks_;
    Relaxed<std::size_t> used_ = 0;
};

}  // namespace kernel
