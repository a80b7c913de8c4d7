// A position of any of the six games and what may happen in it: the same as the Python rules, event by event.
//
// It moves fast and is copied as a value, without looking at the past: chains, liberties and hashes are kept up to date
// (chain_board.hpp), boards that were seen are hashes behind a filter. Playouts, which need neither superko nor
// liberties, run on the boards of playout_board.hpp.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "actions.hpp"
#include "board_history.hpp"
#include "chain_board.hpp"
#include "hash.hpp"
#include "rules.hpp"

namespace kernel {

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

struct Outcome {
    Colour winner = EMPTY;  // EMPTY: a draw
    How how = How::score;
    double margin = 0;
};

// The draws of this turn and the next, as far as they are known.
class Draws {
  public:
    int size() const { return count_; }
    int operator[](int slot) const { return numbers_[static_cast<std::size_t>(slot)]; }
    const int* begin() const { return numbers_.data(); }
    const int* end() const { return numbers_.data() + count_; }
    void push_back(int outcome) { numbers_.at(static_cast<std::size_t>(count_++)) = outcome; }
    void pop_front() {
        if (count_ == 0) return;
        numbers_[0] = numbers_[1];
        --count_;
    }
    void resize(int count) { count_ = count < count_ ? count : count_; }

  private:
    std::array<int, 2> numbers_{};
    int count_ = 0;
};

// Go Fantôme: what the referee said of one turn.
struct TurnNews {
    int turn = 0;  // its number; 0 if it is not over, or there was none
    Colour actor = EMPTY;
    int action = PASS;  // a point, which only the actor knows, or PASS
    int captured = 0;   // stones
    int atari = 0;      // enemy stones said to be in atari
    bool self_atari = false;
    int refusals = 0;  // tries refused in this turn; with `refusal_is_private` only the actor heard of them
};

// Go Fantôme: in which turns something happened on a point, as far as one seat was told; 0 is never.
struct PointMemory {
    int placed = 0;   // the stone of its own that stands there
    int refused = 0;  // its last try was refused; forgotten when a stone of its own, another or a capture is seen there
    int lost = 0;     // a stone of its own was taken from there; forgotten when it places another
    int taken = 0;    // an enemy stone was taken from there, as far as it was shown; forgotten likewise
};

// The key under which a board is remembered; `maker` left it to the other side (Go family), or is to move (others).
inline Hash repetition_key(const Rules& rules, const Hash& board, Colour maker) {
    switch (rules.repetition) {
        case Repetition::ssk: return board ^ ZOBRIST.side(rules.other(maker));
        case Repetition::nssk:
        case Repetition::situation: return board ^ ZOBRIST.side(maker);
        default: return board;
    }
}

class State {
  public:
    // Go Fantôme: the news of so many turns are remembered, those that are over.
    static constexpr int REMEMBERED = 16;

    // The start.
    explicit State(std::shared_ptr<const Rules> rules);
    State(std::shared_ptr<const Rules> rules, const std::vector<Colour>& stones, int to_play);

    // -- the facts, as `Position` has them
    std::shared_ptr<const Rules> rules;
    Colour mover = BLACK;
    int turn = 1;
    int passes = 0;
    std::optional<Event> last;
    PointSet captured;
    std::array<int, 4> taken{};
    std::vector<Event> out;
    std::optional<Outcome> ended;
    Hash before;              // Go family: the stones before the last move
    PointSet dead;            // Go family: points agreed to be dead
    bool settled = false;     // Go family
    PointSet tried;           // Go Fantôme: points refused in this turn
    PointSet seen;            // Go Fantôme: points whose stone was shown to the other side
    int tries = 0;            // Go Fantôme: refused ones and passes among them
    DiceKind dice;            // Aléago
    Draws draws;              // Aléago
    std::array<int, 2> casts{};  // Aléago
    bool final = false;       // Aléago
    int passes_left = 0;      // Alter Igo, White's

    const ChainBoard& board() const { return board_; }
    Colour at(int point) const { return board_.at(point); }
    const Hash& hash() const { return board_.hash(); }
    const BoardHistory& history() const { return history_; }

    int to_play() const;
    bool is_over() const;
    bool suspended() const;
    bool is_final() const { return is_over() && !suspended(); }
    std::optional<Outcome> outcome() const;
    Outcome standing() const;
    std::array<int, 4> area() const;
    // Whose stone stands on each point, or whose stones alone surround it; EMPTY for nobody's. Dead stones are not there.
    std::vector<Colour> owners() const;

    // Whether somebody has left the game.
    bool is_out(int actor) const;

    // What the side to play may try, by policy index, one byte each: 0 or 1. Nothing while the dice are to be thrown.
    void mask(std::uint8_t* out) const;
    // The same without tries that the referee of Go Fantôme would refuse.
    void legal_mask(std::uint8_t* out) const;
    std::vector<int> actions() const;
    std::vector<int> legal() const;
    // Where the mover may place a stone as far as capture, suicide, supply and repetition go, whatever was drawn.
    PointSet legal_points() const { return legal_points(board_.empty_points(), true); }
    // Whether nothing but repetition may forbid the mover a stone on an empty point.
    bool fits(int point) const {
        return has_supply() && (board_.has_empty_neighbour(point) || takes(point) || stands(point));
    }
    // How often the board that a stone of the mover makes was seen before, of an empty point where one may be placed.
    int occurrences_after(int point) const;
    // Lines open under the draw in force; nullopt if every legal point is.
    std::optional<std::vector<int>> open_lines() const;

    // Carries out an action, or says why not and leaves the state as it was.
    Refusal play(int action, int actor = WHOEVER);

    // Adds a board to the history: the stones, and behind them a colour where the rules tell sides apart.
    void remember(const std::vector<std::uint8_t>& key, int count);
    void forget() {
        history_.clear();
        left_ = {};
    }
    // What happened last, of a position whose past is not known.
    void set_last(const std::optional<Event>& event);
    // How often the board was seen, this time among them.
    int occurrences() const { return history_.count(repetition_key(*rules, hash(), mover)); }
    // Points that a stone of a colour may have left since a board was seen.
    const PointSet& left(Colour colour) const { return left_[colour]; }
    // The point the simple ko forbids to the side to move, -1 if there is none.
    int ko() const;

    // -- Go Fantôme: what a seat was told
    // The news of a turn: `back` 1 is the one before this, up to REMEMBERED; 0 this one, with no more than refusals.
    const TurnNews& news(int back) const { return back ? news_[slot(turns_ - back)] : news_now_; }
    const PointMemory& memory(Colour seat, int point) const { return memories_[seat_slot(seat, point)]; }
    // Opponent's stones on the board that the seat does not see.
    int hidden(Colour seat) const;
    // How many passes in a row there were, as far as the seat heard: private tries may have parted them. More than end
    // the game only if it is over for sure.
    int passes_heard(Colour seat) const {
        const std::uint32_t open = passes_heard_[seat] & open_passes();
        return open ? std::bit_width(open) - 1 : rules->end_passes + 1;
    }
    // Tries of both sides that the seat heard of, accepted ones and passes among them.
    int tries_heard(Colour seat) const {
        return tries - (rules->refusal_is_private ? refusals_[rules->other(seat)] : 0);
    }

  private:
    const Topology& topology() const { return rules->topology; }
    static std::size_t slot(int number) { return static_cast<std::size_t>(number) % REMEMBERED; }
    std::size_t seat_slot(Colour seat, int point) const {
        return static_cast<std::size_t>((seat - 1) * board_.points() + point);
    }
    Refusal expect_turn(int actor) const;
    Colour after(Colour colour) const;
    bool has_supply() const { return board_.stones(mover) < rules->supply[mover]; }

    // -- whether a stone of the mover may be placed on an empty point
    bool takes(int point) const;
    bool stands(int point) const;
    Hash after_placing(int point, bool takes) const;
    PointSet taking_points() const;
    PointSet suspects(bool by_repetition) const;
    template <class Found> void find_legal(const PointSet& among, bool by_repetition, Found found) const;
    PointSet legal_points(const PointSet& among, bool by_repetition) const;
    bool has_legal(const PointSet& among, bool by_repetition) const;
    PointSet open_legal_points() const;

    // Whether only the board before the last move must not come again.
    bool compares_last_board() const {
        return rules->repetition == Repetition::simple || rules->repetition == Repetition::draw;
    }
    bool is_repeated(const Hash& board) const;
    void see(Colour maker, bool by_placing);

    void set_stone(int point);
    void take(ChainBoard::ChainNumber chain);
    void take_enemies(int point);
    void finish_turn(int action);
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
    PointSet drawn_points(int total) const;
    bool is_open(int point) const;
    Colour owner(int slot) const { return slot ? rules->other(mover) : mover; }

    bool may_swap() const;
    bool may_pass() const;
    bool is_blocked() const;
    bool has_five(int point) const;
    void judge();
    bool is_closed() const;
    void refuse(int point);
    void announce(int point, bool is_new_atari);
    void finish_news(int action);
    // As bits of `passes_heard_`: numbers of passes that do not end the game, and those that do not end it for good.
    std::uint32_t few_passes() const { return (1U << rules->end_passes) - 1; }
    std::uint32_t open_passes() const { return (2U << rules->end_passes) - 1; }
    void hear_parting();
    void hear_turn(bool is_pass);
    void hear_turn_to();
    bool is_own_atari_new(int point) const;
    void begin();

    ChainBoard board_;
    BoardHistory history_;
    std::array<PointSet, 4> left_{};  // of each colour: points that a stone of it may have left since a board was seen
    int turns_ = 0;  // stones, passes and swaps since the start, or since `set_last`
    TurnNews news_now_;
    std::array<TurnNews, REMEMBERED> news_{};
    std::array<int, 3> refusals_{};      // Go Fantôme: of each colour
    std::array<std::uint32_t, 3> passes_heard_{1, 1, 1};  // Go Fantôme: of each seat; bit n for n in a row that may be
    std::vector<PointMemory> memories_;  // Go Fantôme: of each seat and point
};

}  // namespace kernel
