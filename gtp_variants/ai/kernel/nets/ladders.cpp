#include "ladders.hpp"

#include <algorithm>
#include <utility>

namespace kernel {

void LadderReader::write(const Topology& topology, const std::array<Colour, CAPACITY>& stones, Colour own,
                         const std::uint8_t* liberties, std::uint8_t* caught, std::uint8_t* moves) {
    topology_ = &topology;
    stones_ = stones;
    const auto points = static_cast<std::size_t>(topology.points);
    stones_[points] = OFF;
    Walk chain;
    read_.clear();
    for (std::size_t point = 0; point < points; ++point) {
        colour_ = stones_[point];
        const std::uint8_t* counts = liberties + (colour_ == own ? 0 : 3 * points);
        if (!(counts[point] | counts[points + point]) || !read_.add(static_cast<int>(point))) continue;
        target_ = static_cast<int>(point);
        const int count = find_liberties(target_, colour_, MANY, chain);
        for (const Vertex member : chain) read_.add(member);
        left_ = MOST_STONES;
        bool is_here = count == 1 && is_caught();
        const auto [first, second] = std::minmax({chain.free[0], chain.free[1]});
        for (const auto& [move, other] : {std::pair{first, second}, std::pair{second, first}}) {
            if (count == 1 || steps_out(other, move) || !catches(move, true)) continue;
            is_here = true;
            if (colour_ != own) moves[move] = 1;
        }
        for (const Vertex member : chain) caught[member] |= is_here;
    }
}

// Returns the number of liberties of the chain that a stone of a colour on a point has or would have, at most `most`,
// and finds them. Below that number all stones of the chain are walked over.
int LadderReader::find_liberties(int point, Colour colour, int most, Walk& walk) {
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
        if (there == EMPTY || there == OFF || there == colour || find_liberties(near, there, 1, walk_) > 0) continue;
        for (const Vertex member : walk_) stones_[member] = EMPTY;
        taken_.insert(taken_.end(), walk_.begin(), walk_.end());
    }
    if (taken_.size() > before || find_liberties(move, colour, 1, walk_) > 0) return true;
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
    return find_liberties(move, stones_[move], 2, walk_) == 1 && walk_.size == 1 ? taken_.back() : -1;
}

// Returns whether the target gets three liberties by a stone on one liberty, if the enemy took the other one.
bool LadderReader::steps_out(Vertex free, Vertex lost) {
    stones_[lost] = enemy();
    const bool is_out = find_liberties(free, colour_, MANY, walk_) == MANY;
    stones_[lost] = EMPTY;
    return is_out;
}

// Returns whether the target, which is to move, cannot get three liberties.
bool LadderReader::is_caught() {
    Walk chain;
    const int count = find_liberties(target_, colour_, 2, chain);
    if (count == 2) return false;
    // Most chains escape by a step into the open or to friends.
    if (count == 1 && find_liberties(chain.free[0], colour_, MANY, walk_) == MANY) return false;
    std::array<Vertex, CAPACITY> moves;
    auto end = std::copy_n(chain.free.begin(), count, moves.begin());
    beside_.clear();
    for (const Vertex member : chain)
        for (int k = 0; k < topology_->degree; ++k) {
            const Vertex near = near_of(member)[k];
            if (stones_[near] != enemy() || !beside_.add(near)) continue;
            if (find_liberties(near, enemy(), 2, walk_) == 1) *end++ = walk_.free[0];
            for (const Vertex seen : walk_) beside_.add(seen);
        }
    std::sort(moves.begin(), end);
    return std::none_of(moves.begin(), std::unique(moves.begin(), end), [this](Vertex move) { return escapes(move); });
}

// Returns whether the target is not caught after this move of its own colour.
bool LadderReader::escapes(Vertex move) {
    if (--left_ < 0) return true;
    const std::size_t taken = taken_.size();
    if (!place(move, colour_)) return false;
    const int count = find_liberties(target_, colour_, MANY, walk_);
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
