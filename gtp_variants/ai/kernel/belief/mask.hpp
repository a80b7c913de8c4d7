// Sets of points: bit p is point p.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kernel {

template <std::size_t WORDS>
struct Mask {
    std::array<std::uint64_t, WORDS> words{};

    static Mask of(int point) {
        Mask mask;
        mask.words[word(point)] = one(point);
        return mask;
    }

    // Reads the bytes of a little-endian number.
    static Mask of_bytes(std::span<const std::uint8_t> bytes) {
        Mask mask;
        for (std::size_t i = 0; i < bytes.size() && i < 8 * WORDS; ++i)
            mask.words[i / 8] |= std::uint64_t{bytes[i]} << (8 * (i % 8));
        return mask;
    }

    // Returns the mask as a hexadecimal number.
    std::string hex() const {
        std::string digits;
        for (std::size_t i = 16 * WORDS; i-- > 0;) digits += "0123456789abcdef"[words[i / 16] >> (4 * (i % 16)) & 15];
        return digits;
    }

    bool has(int point) const { return (words[word(point)] & one(point)) != 0; }
    void add(int point) { words[word(point)] |= one(point); }
    void drop(int point) { words[word(point)] &= ~one(point); }

    explicit operator bool() const {
        std::uint64_t any = 0;
        for (std::uint64_t each : words) any |= each;
        return any != 0;
    }

    int count() const {
        int found = 0;
        for (std::uint64_t each : words) found += std::popcount(each);
        return found;
    }

    // Returns the lowest point; the mask must not be empty.
    int first() const {
        std::size_t i = 0;
        while (!words[i]) ++i;
        return static_cast<int>(64 * i) + std::countr_zero(words[i]);
    }

    // Returns the mask without its lowest point.
    Mask rest() const {
        Mask mask = *this;
        for (std::uint64_t& each : mask.words) {
            if (each) {
                each &= each - 1;
                break;
            }
        }
        return mask;
    }

    // Calls `act` with each point, ascending.
    template <class Act> void each(Act act) const {
        for (std::size_t i = 0; i < WORDS; ++i)
            for (std::uint64_t left = words[i]; left; left &= left - 1)
                act(static_cast<int>(64 * i) + std::countr_zero(left));
    }

    bool operator==(const Mask&) const = default;

    Mask& operator|=(const Mask& other) {
        for (std::size_t i = 0; i < WORDS; ++i) words[i] |= other.words[i];
        return *this;
    }
    Mask& operator&=(const Mask& other) {
        for (std::size_t i = 0; i < WORDS; ++i) words[i] &= other.words[i];
        return *this;
    }
    Mask& operator^=(const Mask& other) {
        for (std::size_t i = 0; i < WORDS; ++i) words[i] ^= other.words[i];
        return *this;
    }
    // Removes the points of another mask.
    Mask& operator-=(const Mask& other) {
        for (std::size_t i = 0; i < WORDS; ++i) words[i] &= ~other.words[i];
        return *this;
    }

    friend Mask operator|(Mask a, const Mask& b) { return a |= b; }
    friend Mask operator&(Mask a, const Mask& b) { return a &= b; }
    friend Mask operator^(Mask a, const Mask& b) { return a ^= b; }
    friend Mask operator-(Mask a, const Mask& b) { return a -= b; }

  private:
    static constexpr std::size_t word(int point) { return static_cast<std::size_t>(point) / 64; }
    static constexpr std::uint64_t one(int point) { return std::uint64_t{1} << (point % 64); }
};

}  // namespace kernel
