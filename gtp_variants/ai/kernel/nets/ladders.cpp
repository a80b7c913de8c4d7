#include "ladders.hpp"

#include <algorithm>

namespace kernel {

void LadderReader::write(const Topology& topology, const std::array<Colour, CAPACITY>& stones, Colour own,
                         std::uint8_t* caught, std::uint8_t* moves) {
    topology_ = &topology;
    stones_ = stones;
    stones_[static_cast<std::size_t>(topology.points)] = OFF;
    Walk chain;
    read_.clear();
    for (int point = 0; point < topology.points; ++point) {
        colour_ = stones_[static_cast<std::size_t>(point)];
        if (colour_ == EMPTY || !read_.add(point)) continue;
        const int count = find_liberties(point, MANY, chain);
        if (count == 0 || count == MANY) continue;
        for (const Vertex member : chain) read_.add(member);
        target_ = point;
        left_ = MOST_STONES;
        bool is_here = count == 1 && is_caught();
        const auto [first, second] = std::minmax({chain.free[0], chain.free[1]});
        for (const Vertex move : {first, second}) {
            if (count == 1 || !catches(move, true)) continue;
            is_here = true;
            if (colour_ != own) moves[move] = 1;
        }
        for (const Vertex member : chain) caught[member] |= is_here;
    }
}

// Returns the number of liberties of the chain on a point, at most `most`, and finds them. Below that number all stones
// of the chain are walked over.
int LadderReader::find_liberties(int point, int most, Walk& walk) {
    const Colour colour = stones_[static_cast<std::size_t>(point)];
    seen_.clear();
    seen_.add(point);
    walk.stones[0] = static_cast<Vertex>(point);
    walk.size = 1;
    int count = 0;
    for (std::size_t i = 0; i < walk.size; ++i) {
        const Vertex* near = near_of(walk.stones[i]);
        for (int k = 0; k < topology_->degree; ++k) {
            const Colour there = stones_[near[k]];
            if ((there != EMPTY && there != colour) || !seen_.add(near[k])) continue;
            if (there == colour) {
                walk.stones[walk.size++] = near[k];
                continue;
            }
            walk.free[static_cast<std::size_t>(count)] = near[k];
            if (++count == most) return count;
        }
    }
    return count;
}

// Places a stone and removes enemy chains without a liberty; returns false, changing nothing, for suicide.
bool LadderReader::place(Vertex move, Colour colour) {
    const std::size_t before = taken_.size();
    stones_[move] = colour;
    for (int k = 0; k < topology_->degree; ++k) {
        const Vertex near = near_of(move)[k];
        const Colour there = stones_[near];
        if (there == EMPTY || there == OFF || there == colour || find_liberties(near, 1, walk_) > 0) continue;
        for (const Vertex member : walk_) stones_[member] = EMPTY;
        taken_.insert(taken_.end(), walk_.begin(), walk_.end());
    }
    if (taken_.size() > before || find_liberties(move, 1, walk_) > 0) return true;
    stones_[move] = EMPTY;
    return false;
}

void LadderReader::undo(Vertex move, Colour colour, std::size_t taken) {
    for (; taken_.size() > taken; taken_.pop_back()) stones_[taken_.back()] = colour == BLACK ? WHITE : BLACK;
    stones_[move] = EMPTY;
}

// Returns the point that a simple ko bars after a move, as `chains.ko_point` in the rules, or -1.
int LadderReader::ko_after(Vertex move, std::size_t taken) {
    if (taken_.size() != taken + 1) return -1;
    return find_liberties(move, 2, walk_) == 1 && walk_.size == 1 ? taken_.back() : -1;
}

// Returns whether the target, which is to move, cannot get three liberties.
bool LadderReader::is_caught() {
    Walk chain;
    const int count = find_liberties(target_, 2, chain);
    if (count == 2) return false;
    // Most chains escape by a step into the open.
    if (count == 1) {
        int beyond = 0;
        for (int k = 0; k < topology_->degree; ++k) beyond += stones_[near_of(chain.free[0])[k]] == EMPTY;
        if (beyond >= MANY) return false;
    }
    std::vector<Vertex> moves(chain.free.begin(), chain.free.begin() + count);
    beside_.clear();
    for (const Vertex member : chain)
        for (int k = 0; k < topology_->degree; ++k) {
            const Vertex near = near_of(member)[k];
            if (stones_[near] != enemy() || !beside_.add(near)) continue;
            if (find_liberties(near, 2, walk_) == 1) moves.push_back(walk_.free[0]);
            for (const Vertex seen : walk_) beside_.add(seen);
        }
    std::sort(moves.begin(), moves.end());
    moves.erase(std::unique(moves.begin(), moves.end()), moves.end());
    return std::none_of(moves.begin(), moves.end(), [this](Vertex move) { return escapes(move); });
}

// Returns whether the target is not caught after this move of its own colour.
bool LadderReader::escapes(Vertex move) {
    if (--left_ < 0) return true;
    const std::size_t taken = taken_.size();
    if (!place(move, colour_)) return false;
    const int count = find_liberties(target_, MANY, walk_);
    bool is_out = count == MANY;
    if (count == 2) {
        const auto [first, second] = std::minmax({walk_.free[0], walk_.free[1]});
        const int ko = ko_after(move, taken);
        is_out = (first == ko || !catches(first, false)) && (second == ko || !catches(second, false));
    }
    undo(move, colour_, taken);
    return is_out;
}

// Returns whether the target is caught after this move of the enemy. Only the first one may leave a ko.
bool LadderReader::catches(Vertex move, bool is_first) {
    const std::size_t taken = taken_.size();
    if (!place(move, enemy())) return false;
    const bool is_here = left_ >= 0 && (is_first || ko_after(move, taken) < 0) && is_caught();
    undo(move, enemy(), taken);
    return is_here;
}

}  // namespace kernel
