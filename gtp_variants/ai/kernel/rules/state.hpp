// A position of any of the six games and its legal actions, equal to the Python rules event by event.
//
// It moves fast and is copied as a value: chains, liberties and hashes are updated (chain_board.hpp), and earlier
// boards are hashes behind a filter. Playouts need neither superko nor exact liberties and use playout_board.hpp.
#pragma once

#include <algorithm>
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

// Why an action was refused: the first reason that applies.
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
    no_such_action,  // a NotationError in Python
};

struct Outcome {
    Colour winner = EMPTY;  // EMPTY: a draw
    How how = How::score;
    double margin = 0;
};

// The known draws of this turn and the next.
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

// The actions before the last one, the latest first, at most `Position.EARLIER` of the Python rules.
class EarlierActions {
  public:
    static constexpr std::size_t MOST = 4;

    const int* begin() const { return actions_.data(); }
    const int* end() const { return actions_.data() + count_; }
    void push_front(int action) {
        std::copy_backward(actions_.begin(), actions_.end() - 1, actions_.end());
        actions_[0] = action;
        count_ = std::min(count_ + 1, MOST);
    }

  private:
    std::array<int, MOST> actions_{};
    std::size_t count_ = 0;
};

// For Go Fantôme: the referee's announcements of one turn.
struct TurnNews {
    int turn = 0;  // its number; 0 for none, or an unfinished turn
    Colour actor = EMPTY;
    int action = PASS;  // a point, which only the actor knows, or PASS
    int captured = 0;   // stones
    int atari = 0;      // enemy stones said to be in atari
    bool self_atari = false;
    int refusals = 0;  // tries refused in this turn; with `refusal_is_private` only the actor heard of them
};

// For Go Fantôme: the turns of events on a point, as far as one seat heard; 0 means never.
struct PointMemory {
    int placed = 0;   // its own stone there was placed
    int refused = 0;  // its last try there was refused; forgotten when it places or sees a stone, or a capture, there
    int lost = 0;     // its own stone there was captured; forgotten when it places another
    int taken = 0;    // an enemy stone there was captured, as far as shown; forgotten likewise
};

// The key of a board for repetition; `maker` left it to the other side (Go family), or is to move (others).
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
    // For Go Fantôme: the number of finished turns whose news are kept.
    static constexpr int REMEMBERED = 16;

    // Makes the starting position.
    explicit State(std::shared_ptr<const Rules> rules);
    State(std::shared_ptr<const Rules> rules, const std::vector<Colour>& stones, int to_play);

    // -- the facts, as `Position` has them
    std::shared_ptr<const Rules> rules;
    Colour mover = BLACK;
    int turn = 1;
    int passes = 0;
    std::optional<Event> last;
    EarlierActions earlier;
    PointSet captured;
    std::array<int, 4> taken{};
    std::vector<Event> out;
    std::optional<Outcome> ended;
    Hash before;              // Go family: the stones before the last move
    PointSet dead;            // Go family: points agreed to be dead
    bool settled = false;     // Go family
    double komi;              // Go family: points that White receives in this game, with those for handicap stones
    Colour button = EMPTY;    // Go family: who took the button
    PointSet tried;           // Go Fantôme: points refused in this turn
    PointSet seen;            // Go Fantôme: points shown to the other side
    int tries = 0;            // Go Fantôme: tries, refused ones and passes included
    DiceKind dice;            // Aléago
    Draws draws;              // Aléago
    std::array<int, 2> casts{};  // Aléago
    bool final = false;       // Aléago
    int passes_left = 0;      // White's in Alter Igo

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
    // For the Go family: returns White's points besides its area, as `GoFamily.effective_komi` in the Python rules.
    double effective_komi() const;
    // Returns whether the next pass takes the button.
    bool has_button() const { return rules->button && button == EMPTY; }
    std::array<int, 4> area() const;
    // Returns the owner of each point, by a stone or by surrounding it; EMPTY for none. Dead stones are removed.
    std::vector<Colour> owners() const;

    // Returns whether a player has left the game.
    bool is_out(int actor) const;

    // Writes the possible tries of the side to move by policy index, one byte each, 0 or 1; none before a throw.
    void mask(std::uint8_t* out) const;
    // The same without tries that the referee of Go Fantôme would refuse.
    void legal_mask(std::uint8_t* out) const;
    std::vector<int> actions() const;
    std::vector<int> legal() const;
    // Returns where the mover may place a stone by capture, suicide, supply and repetition, whatever was drawn.
    PointSet legal_points() const { return legal_points(board_.empty_points(), true); }
    // Returns whether at most repetition forbids the mover a stone on an empty point.
    bool fits(int point) const {
        return has_supply() && (board_.has_empty_neighbour(point) || takes(point) || stands(point) || is_sacrifice(point));
    }
    // Returns how often the board after a legal stone of the mover has occurred.
    int occurrences_after(int point) const;
    // Returns the lines open under the draw in force; nullopt if every legal point is open.
    std::optional<std::vector<int>> open_lines() const;

    // Carries out an action, or returns why not and changes nothing.
    Refusal play(int action, int actor = WHOEVER);

    // Adds a board to the history: the stones, then a colour where the rules distinguish sides.
    void remember(const std::vector<std::uint8_t>& key, int count);
    void forget() {
        history_.clear();
        left_ = {};
    }
    // Sets the last event of a position whose past is unknown.
    void set_last(const std::optional<Event>& event);
    // Returns how often the board has occurred, this time included.
    int occurrences() const { return history_.count(repetition_key(*rules, hash(), mover)); }
    // Returns the points that stones of a colour may have left since an earlier board.
    const PointSet& left(Colour colour) const { return left_[colour]; }
    // Returns the point forbidden by the simple ko, or -1.
    int ko() const;

    // -- Go Fantôme: the news of a seat
    // The news of a turn: `back` 1 is the one before this, up to REMEMBERED; 0 this one, with no more than refusals.
    const TurnNews& news(int back) const { return back ? news_[slot(turns_ - back)] : news_now_; }
    const PointMemory& memory(Colour seat, int point) const { return memories_[seat_slot(seat, point)]; }
    // Returns the number of enemy stones that the seat does not see.
    int hidden(Colour seat) const;
    // Returns the passes in a row as far as the seat heard, since private tries may have parted them. More than end the
    // game are returned only if it is surely over.
    int passes_heard(Colour seat) const {
        const std::uint32_t open = passes_heard_[seat] & open_passes();
        return open ? std::bit_width(open) - 1 : rules->end_passes + 1;
    }
    // Returns the tries of both sides that the seat heard of, accepted ones and passes included.
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
    bool is_sacrifice(int point) const;
    Hash after_sacrifice(int point) const;
    Hash after_placing(int point, bool takes) const;
    PointSet taking_points() const;
    PointSet suspects(bool by_repetition) const;
    template <class Found> void find_legal(const PointSet& among, bool by_repetition, Found found) const;
    PointSet legal_points(const PointSet& among, bool by_repetition) const;
    bool has_legal(const PointSet& among, bool by_repetition) const;
    PointSet open_legal_points() const;

    // Returns whether only the board before the last move must not recur.
    bool compares_last_board() const {
        return rules->repetition == Repetition::simple || rules->repetition == Repetition::draw;
    }
    bool is_repeated(const Hash& board) const;
    void see(Colour maker, bool by_placing);

    void set_stone(int point);
    void take(ChainBoard::ChainNumber chain);
    void take_enemies(int point);
    void take_down(int actor, int action);
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
    // Bits of `passes_heard_`: numbers of passes that do not end the game, and that do not end it for good.
    std::uint32_t few_passes() const { return (1U << rules->end_passes) - 1; }
    std::uint32_t open_passes() const { return (2U << rules->end_passes) - 1; }
    void hear_parting();
    void hear_turn(bool is_pass);
    void hear_turn_to();
    bool is_own_atari_new(int point) const;
    void begin();

    ChainBoard board_;
    BoardHistory history_;
    std::array<PointSet, 4> left_{};  // for each colour, points its stones may have left since an earlier board
    int turns_ = 0;  // stones, passes and swaps since the start, or since `set_last`
    TurnNews news_now_;
    std::array<TurnNews, REMEMBERED> news_{};
    std::array<int, 3> refusals_{};      // Go Fantôme: by colour
    std::array<std::uint32_t, 3> passes_heard_{1, 1, 1};  // Go Fantôme: by seat; bit n: n passes in a row are possible
    std::vector<PointMemory> memories_;  // Go Fantôme: by seat and point
};

}  // namespace kernel
