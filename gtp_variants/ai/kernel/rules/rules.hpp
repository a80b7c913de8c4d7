// One configured game: its board and options, made from the Python `Rules`.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ai/kernel/belief/rng.hpp"
#include "actions.hpp"
#include "point_set.hpp"
#include "topology.hpp"

namespace kernel {

enum class Game : std::uint8_t { go, aleago, phantom, rosette, alter_igo, pentalath };
enum class Repetition : std::uint8_t { none, simple, psk, ssk, nssk, draw, board, situation };
enum class Overflow : std::uint8_t { fallback, reroll, pass };
enum class NoMove : std::uint8_t { draw, loss, pass };
// The stones in atari that the referee of Go Fantôme announces: enemy ones, and the one just placed.
enum class AtariNews : std::uint8_t { all, fresh, none };

inline constexpr int NO_LIMIT = 1 << 30;
// Points that the button is worth.
inline constexpr double BUTTON = 0.5;

struct DiceKind {
    int count = 1;
    int sides = 6;

    int outcomes() const {
        int all = 1;
        for (int i = 0; i < count; ++i) all *= sides;
        return all;
    }
    int highest() const { return count * sides; }
    int total(int outcome) const {
        int sum = 0;
        for (int i = 0; i < count; ++i) {
            sum += outcome % sides + 1;
            outcome /= sides;
        }
        return sum;
    }
    bool operator==(const DiceKind&) const = default;
};

struct Rules {
    Game game = Game::go;
    Topology topology;
    std::vector<std::uint64_t> shapes;  // one bit per shape of eight surrounding points: worth a move or not
    std::vector<Colour> colours{BLACK, WHITE};  // turn order

    // The Go family
    double komi = 7.5;
    bool counts_territory = false;  // instead of area
    bool suicide = false;           // whether a stone may remove its own chain of several stones
    bool button = false;            // whether the first pass takes half a point instead of counting as a pass
    Repetition repetition = Repetition::psk;  // Alter Igo: board, situation. Pentalath: none, board, situation
    int repeat_count = 3;                     // occurrences that draw, in Alter Igo and Pentalath
    bool dead_agreed = false;
    int end_passes = 2;
    bool reopens = true;  // whether the end by passes is provisional

    // Go Fantôme
    bool shows_refused = false;      // whether a refused try shows what stands on its point
    bool tries_part_passes = false;  // whether a refused try comes between two passes
    int most_tries = NO_LIMIT;
    AtariNews enemy_atari = AtariNews::fresh;
    AtariNews own_atari = AtariNews::all;
    bool only_owner_sees_captures = false;
    bool refusal_is_private = false;

    // Aléago
    std::vector<int> lines;  // for each point; 0 where no number opens it
    DiceKind dice;
    bool star = false;
    bool star_inner = false;
    Overflow overflow = Overflow::fallback;
    bool fallback_ko = true;
    bool double_whole_board = false;
    bool has_fallback = true;  // not with mapping=original
    Colour free_player = EMPTY;
    int slots = 1;  // draws that must be known before a stone: 2 with the crystal ball

    // Rosette
    bool immunity = false;
    bool rosette_suicide = false;

    // Rosette and Pentalath
    std::array<int, 4> supply{NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT};  // by colour

    // Alter Igo
    Colour first = BLACK;
    int white_passes = 0;

    // Pentalath
    NoMove no_move = NoMove::draw;
    bool swap = false;

    std::vector<int> numbers;         // the existing lines of Aléago, without 0, ascending
    std::vector<PointSet> points_on;  // the points on each of them

    // Policy indices: the points, then the pass and the swap where the game has them.
    bool has_pass() const {
        if (game == Game::alter_igo) return white_passes > 0;
        return game != Game::pentalath || no_move == NoMove::pass;
    }
    bool has_swap() const { return game == Game::pentalath && swap && colours.size() == 2; }
    int policy_size() const { return topology.points + has_pass() + has_swap(); }
    // Returns the policy index: points first, then PASS and SWAP where the game has them.
    int index_of(int action) const {
        return action >= 0 ? action : topology.points + (action == SWAP && has_pass());
    }
    int action_of(int index) const {
        return index < topology.points ? index : has_pass() && index == topology.points ? PASS : SWAP;
    }

    bool is_worthy(std::uint16_t shape) const { return (shapes[shape / 64U] >> (shape % 64U)) & 1U; }
    bool is_go_family() const { return game != Game::alter_igo && game != Game::pentalath; }
    Colour other(Colour colour) const { return colour == BLACK ? WHITE : BLACK; }
    bool has_colour(int colour) const {
        for (const Colour mine : colours)
            if (mine == colour) return true;
        return false;
    }
    bool has_line(int number) const {
        for (const int line : numbers)
            if (line == number) return true;
        return false;
    }

    // Returns the lines a throw names, before any fallback.
    std::vector<int> drawn_lines(const DiceKind& kind, int total) const {
        std::vector<int> drawn;
        for (const int line : numbers)
            if (draws_line(kind, total, line)) drawn.push_back(line);
        return drawn;
    }
    bool draws_line(const DiceKind& kind, int total, int line) const {
        const bool out_of_reach = line > kind.highest() || (line < kind.count && line != 0 && !star_inner);
        return line == total || (star && total == kind.highest() && out_of_reach);
    }
    bool opens_whole_board(const DiceKind& kind, int total) const {
        return double_whole_board && kind.count > 1 && total == kind.highest();
    }
    // Returns whether a throw is valid, not to be repeated.
    bool stands(const DiceKind& kind, int outcome) const {
        const int total = kind.total(outcome);
        return overflow != Overflow::reroll || opens_whole_board(kind, total) || !drawn_lines(kind, total).empty();
    }
    // Throws dice until a throw is valid; valid throws are equally likely.
    int throw_dice(const DiceKind& kind, Rng& rng) const {
        if (overflow != Overflow::reroll) return static_cast<int>(rng.below(static_cast<std::uint32_t>(kind.outcomes())));
        const std::vector<int> thrown = thrown_outcomes(kind);
        return thrown[rng.below(static_cast<std::uint32_t>(thrown.size()))];
    }
    std::vector<int> thrown_outcomes(const DiceKind& kind) const {
        std::vector<int> thrown;
        for (int outcome = 0; outcome < kind.outcomes(); ++outcome)
            if (stands(kind, outcome)) thrown.push_back(outcome);
        return thrown;
    }
};

}  // namespace kernel
