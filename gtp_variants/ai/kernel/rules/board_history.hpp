// The boards of a game, by their hashes, with how often each occurred.
#pragma once

#include <cstdint>
#include <vector>

#include "hash.hpp"

namespace kernel {

// A small filter recognises nearly every new board by two bits; only the others are looked up.
class BoardHistory {
  public:
    void add(const Hash& board, int times = 1) {
        if (Seen* known = find(board)) {
            known->times += times;
            return;
        }
        if (filter_.size() * 64 < BITS_EACH * (seen_.size() + 1)) grow();
        seen_.push_back(Seen{board, times});
        mark(board);
    }
    int count(const Hash& board) const {
        const Seen* known = const_cast<BoardHistory*>(this)->find(board);
        return known ? known->times : 0;
    }
    bool contains(const Hash& board) const { return count(board) != 0; }
    std::size_t size() const { return seen_.size(); }
    void clear() {
        seen_.clear();
        filter_.clear();
    }

  private:
    struct Seen {
        Hash board;
        int times;
    };
    // With two bits per board, one in 250 new boards is looked up in vain.
    static constexpr std::size_t BITS_EACH = 32;
    static constexpr std::size_t FEWEST_WORDS = 16;

    std::uint64_t bit_of(std::uint64_t part) const { return part & (filter_.size() * 64 - 1); }
    bool has_bit(std::uint64_t bit) const { return (filter_[bit / 64] >> (bit % 64)) & 1; }
    void mark(const Hash& board) {
        for (const std::uint64_t bit : {bit_of(board.low), bit_of(board.high)})
            filter_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
    void grow() {
        filter_.assign(filter_.empty() ? FEWEST_WORDS : 2 * filter_.size(), 0);
        for (const Seen& each : seen_) mark(each.board);
    }
    // Search the latest first, since repetitions are usually recent.
    Seen* find(const Hash& board) {
        if (filter_.empty() || !has_bit(bit_of(board.low)) || !has_bit(bit_of(board.high))) return nullptr;
        for (std::size_t i = seen_.size(); i-- > 0;)
            if (seen_[i].board == board) return &seen_[i];
        return nullptr;
    }

    std::vector<Seen> seen_;
    std::vector<std::uint64_t> filter_;
};

}  // namespace kernel
