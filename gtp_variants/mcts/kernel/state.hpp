// A position of any of the six games and what may happen in it: the same as the Python rules, event by event.
// Simplicity before speed: tree searches start from it, playouts run on the boards of playout_board.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hash.hpp"
#include "rules.hpp"

namespace kernel {

inline constexpr int CHANCE = 0;
// Kinds of actions, as in rules.py; 0 and more are points, or outcomes of the dice.
inline constexpr int PASS = -1, SWAP = -2, RESIGN = -3, RESUME = -4, SET_DICE = -5, MARK_DEAD = -6, SETTLE = -7,
                     TURN = -8, FLAG = -9, FORFEIT = -10;
inline constexpr int WHOEVER = -1;  // as an actor: the side to play

enum class How : std::uint8_t { score, resign, time, forfeit, five, suicide, repetition, blocked };

// Why an action was not carried out; the first that applies.
enum class Refusal : std::uint8_t {
    none,
    game_over,
    not_your_turn,
    no_pass,
    no_swap,
    off_board,
    occupied,
    supply,
    suicide,
    repetition,
    line,
    no_such_action,  // what Python calls a NotationError
};

struct Event {
    int actor = CHANCE;
    int action = PASS;
};

struct Outcome {
    Colour winner = EMPTY;  // EMPTY: a draw
    How how = How::score;
    double margin = 0;
};

using Stones = std::vector<Colour>;
using Points = std::vector<Vertex>;

struct Placement {
    bool is_legal = false;
    Points captured;  // ascending
};

class State {
  public:
    State(std::shared_ptr<const Rules> rules, Stones stones, int to_play);

    // -- the facts, as `Position` has them
    std::shared_ptr<const Rules> rules;
    Stones stones;
    Colour mover = BLACK;
    int turn = 1;
    int passes = 0;
    std::optional<Event> last;
    Points captured;
    std::array<int, 4> taken{};
    std::vector<Event> out;
    std::optional<Outcome> ended;
    std::unordered_map<Hash, int, HashOfHash> history;
    Hash before;                       // Go family: the stones before the last move
    std::vector<std::uint8_t> dead;    // Go family: 1 on points agreed to be dead
    bool settled = false;              // Go family
    std::vector<std::uint8_t> tried;   // Go Fantôme: 1 on points refused in this turn
    std::vector<std::uint8_t> seen;    // Go Fantôme: 1 on points whose stone was shown to the other side
    int tries = 0;                     // Go Fantôme: refused ones and passes among them
    DiceKind dice;                     // Aléago
    std::vector<int> draws;            // Aléago
    std::array<int, 2> casts{};        // Aléago
    bool final = false;                // Aléago
    int passes_left = 0;               // Alter Igo, White's

    int to_play() const;
    bool is_over() const;
    bool suspended() const;
    bool is_final() const { return is_over() && !suspended(); }
    std::optional<Outcome> outcome() const;
    Outcome standing() const;
    std::vector<int> area() const;

    std::vector<int> actions() const;
    std::vector<int> legal() const;
    Points legal_points() const;
    // Lines open under the draw in force; nullopt if every legal point is.
    std::optional<std::vector<int>> open_lines() const;

    // Carries out an action, or says why not and leaves the state as it was.
    Refusal play(int action, int actor = WHOEVER);

    // Adds a board to the history: the stones, and behind them a colour where the rules tell sides apart.
    void remember(const std::vector<std::uint8_t>& key, int count);
    Hash hash() const;
    int occurrences() const;
    // The point the simple ko forbids to the side to move, -1 if there is none.
    int ko() const;

  private:
    const Topology& topology() const { return rules->topology; }
    Refusal expect_turn(int actor) const;
    Colour after(Colour colour) const;
    bool is_out(int actor) const;
    bool has_supply() const;
    bool has_rosette(const Points& members) const;
    bool breathless(const Stones& on, int start, Points& members) const;
    Placement place(int point) const;
    bool may_place(int point, bool by_repetition = true) const;
    void settle_captures(int point, const Points& gone);

    bool is_repeated(const Hash& board) const;
    Hash after_placing(int point, const Points& gone) const;
    Hash key_of(const Hash& board, Colour maker) const;
    void see(Colour maker, bool by_placing);

    Refusal put(int point);
    Refusal put_go(int point);
    Refusal put_alter_igo(int point);
    Refusal put_pentalath(int point);
    Refusal pass_turn();
    Refusal swap_colours();
    Refusal leave(int action, int actor);
    Refusal turn_to(int colour);
    Refusal resume();
    Refusal settle();
    Refusal mark_dead(int point);
    Refusal throw_dice(int outcome);
    Refusal set_dice(int code);

    void fill_free();
    void advance();
    bool has_room(const std::vector<int>& on_lines, bool by_repetition = true) const;
    Colour owner(std::size_t slot) const { return slot ? rules->other(mover) : mover; }

    bool may_swap() const;
    bool may_pass() const;
    bool is_blocked() const;
    void judge();
    Points removed(int point) const;
    void clear_marks();
    bool is_closed() const;
    void refuse(std::size_t point);
    void begin();
};

}  // namespace kernel
