// Playouts: games to the end by random moves that fill no own eye, optionally with replies to the last moves. Without
// replies `plain/playout.py` plays the same games, with the same generator and order of choices.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "area.hpp"
#include "ai/kernel/belief/should_stop.hpp"
#include "ai/kernel/rules/state.hpp"
#include "playout_board.hpp"
#include "replies.hpp"

namespace kernel {

// The lines a throw opens, as buckets of empty points; if none has room, it falls back to lines before `below`.
struct OpenLines {
    std::vector<int> buckets;
    int below = 0;  // falls back to lines below-1, ..., 0; 0: no fallback
};

// The state of a game at the start of a playout that is not on the board.
struct PlayoutTurn {
    std::size_t next = 0;  // index of the side to move in the order of play
    int passes = 0;
    int passes_left = 0;    // White's in Alter Igo
    std::size_t known = 0;  // number of known draws used up
    int turns = 0;
    Vertex last = NOWHERE, previous = NOWHERE;  // points of the last stones, NOWHERE for other actions
    double komi = 0;          // Go family: the effective one, as `State` has it
    bool has_button = false;  // whether the next pass takes the button

    // Returns whether a pass takes the button.
    bool take_button(Colour mover) {
        if (!has_button) return false;
        has_button = false;
        komi += mover == WHITE ? BUTTON : -BUTTON;
        return true;
    }
    void tell(int move) {
        previous = last;
        last = move < 0 ? NOWHERE : static_cast<Vertex>(move);
    }
};

// The data shared by playouts from one position.
struct PlayoutStart {
    // Without `dice_aware` Aléago is played as ordinary Go.
    explicit PlayoutStart(const State& state, bool dice_aware = true);

    std::shared_ptr<const Rules> rules;
    DiceKind dice;  // the dice in force
    BoardTables tables;
    std::vector<Colour> stones;
    std::vector<Colour> order;  // colours still in the game, from the side to move
    int passes;
    Vertex ko;
    int cap;  // turns after which a playout is stopped
    std::optional<Outcome> outcome;
    int passes_left;  // White's in Alter Igo
    double komi;      // Go family: the effective one
    bool has_button;  // whether the next pass takes the button
    Vertex last;      // point of the last stone, NOWHERE for other actions

    // Aléago
    std::vector<OpenLines> openings;    // by total from the lowest, finally the whole board
    std::vector<std::uint16_t> throws;  // the opening of each valid throw
    std::vector<std::size_t> known;     // openings of known draws

    std::size_t free_opening() const { return openings.size() - 1; }
    template <class Draws> std::vector<std::size_t> openings_of(const Draws& draws) const {
        std::vector<std::size_t> found;
        for (const int draw : draws)
            found.push_back(draw == dice.outcomes() ? free_opening() : static_cast<std::size_t>(dice.total(draw) - dice.count));
        return found;
    }
    PlayoutTurn turn() const { return PlayoutTurn{0, passes, passes_left, 0, 0, last, NOWHERE, komi, has_button}; }

    // For Aléago: returns whether a side may pass although it wants to move. A pass that would end or suspend the game
    // is not allowed: "le deuxième joueur voulant passer est obligé de jouer".
    bool may_pass(int passes) const { return passes + 1 < rules->end_passes; }

    // Returns the index of the opening of the throw that is due.
    std::size_t draw(PlayoutTurn& turn, Rng& rng) const {
        if (turn.known < known.size()) return known[turn.known++];
        if (order[turn.next] == rules->free_player) return free_opening();
        return throws[rng.below(static_cast<std::uint32_t>(throws.size()))];
    }
};

struct PlayoutEnd {
    Colour winner = EMPTY;  // EMPTY: a draw
    int turns = 0;
    double margin = 0;  // Black's lead in the Go family, with komi
};

// Codes in a playout's record: points, PASS, DRAW less the index of an opening, and finally ENDED less the winner.
inline constexpr int DRAW = -1000;
inline constexpr int ENDED = -100;

struct Silent {
    void operator()(int) const {}
};
struct Recording {
    std::vector<int>* turns;
    void operator()(int turn) const { turns->push_back(turn); }
};

template <Kind KIND, bool RICH, class Trace> class Playout {
  public:
    using B = PlayoutBoard<KIND, RICH>;

    // Starts from the board at some turn of the game. Only rich boards reply.
    Playout(const PlayoutStart& start, B& board, Rng rng, Trace trace, const PlayoutTurn& turn, const PlayoutStyle& style = {})
        : start_(start), board_(board), rng_(rng), trace_(trace), turn_(turn), style_(style),
          replies_(replies_of(*start.rules, board, style)) {}
    Playout(const PlayoutStart& start, B& board, Rng rng, Trace trace, const PlayoutStyle& style = {})
        : Playout(start, board, rng, trace, start.turn(), style) {}

    PlayoutEnd run() {
        if constexpr (KIND == Kind::alter_igo) return run_alter_igo();
        else if constexpr (KIND == Kind::pentalath) return run_pentalath();
        else return run_go_family();
    }

    // For the Go family: returns whether this number of passes in a row ends the game. Under dice a pass may only mean
    // that one throw's lines had no move. There it takes two passes for each line, or that neither side wants any
    // point, which is slow to check and so checked at every fourth pass.
    bool is_ended_by(int passes) {
        if constexpr (KIND != Kind::aleago) return passes >= 2;
        else return passes >= std::max(2, 2 * (board_.tables().buckets - 1)) || (passes % 4 == 0 && is_exhausted());
    }

    // For the Go family: Black's lead by area, and the winner by that.
    double margin();
    static Colour winner_by(double margin) {
        // The rules round margins to millionths.
        constexpr double NOTHING = 5e-7;
        return margin > NOTHING ? BLACK : margin < -NOTHING ? WHITE : EMPTY;
    }

  private:
    static constexpr int NONE = -1;
    struct None {};

    static auto replies_of(const Rules& rules, const B& board, const PlayoutStyle& style) {
        if constexpr (RICH) return Replies<B>(rules, board, style);
        else return None{};
    }

    // Returns the index of a uniformly random empty point of a bucket that `wanted` accepts, or NONE.
    template <class Wanted> int pick(int bucket, Wanted wanted) {
        const int begin = board_.begin(bucket);
        int left = board_.empties(bucket);
        while (left > 0) {
            const int place = begin + static_cast<int>(rng_.below(static_cast<std::uint32_t>(left)));
            if (wanted(board_.empty(place))) return place;
            // Move the refused point behind the candidates.
            board_.swap(place, begin + --left);
        }
        return NONE;
    }

    bool may_place(Colour c) const { return board_.stones_of(c) < start_.rules->supply[c]; }

    PlayoutEnd run_go_family() {
        int passes = turn_.passes;
        int turns = turn_.turns;
        const int cap = start_.cap;
        while (turns < cap) {
            const Colour c = start_.order[turn_.next];
            int place = NONE;
            if constexpr (KIND == Kind::aleago) place = throw_dice(c, !style_.obliged || start_.may_pass(passes));
            else if (may_place(c)) place = choose(c);
            turn_.next = 1 - turn_.next;
            ++turns;
            if (place == NONE) {
                trace_(PASS);
                tell(PASS);
                board_.set_ko(NOWHERE);
                if (!turn_.take_button(c) && is_ended_by(++passes)) break;
            } else {
                trace_(board_.empty(place));
                tell(board_.empty(place));
                board_.play_at(place, c);
                passes = 0;
            }
        }
        const double lead = margin();
        return PlayoutEnd{winner_by(lead), turns, lead};
    }

    void tell(int move) {
        if constexpr (RICH) turn_.tell(move);
    }

    bool is_wanted(Vertex v, Colour c) const { return !board_.is_eye(v, c) && board_.is_legal(v, c); }

    // Returns the index of a point to reply at, or NONE.
    int reply(Colour c, const std::vector<int>* open = nullptr) {
        if constexpr (RICH) {
            const Vertex v = replies_.choose(c, turn_.last, turn_.previous, open, rng_);
            if (v != NOWHERE) return board_.place_of(v);
        }
        return NONE;
    }

    bool refuses(Vertex v, Colour c, int& refusals) {
        if constexpr (RICH) return replies_.refuses(v, c, refusals, rng_);
        return false;
    }

    // Returns the index of the point to play on, or NONE to pass.
    int choose(Colour c) {
        const int place = reply(c);
        if (place != NONE) return place;
        int refusals = 0;
        return pick(0, [&](Vertex u) { return is_wanted(u, c) && !refuses(u, c, refusals); });
    }

    // Throws the dice and returns the index of a point on open lines, or NONE to pass.
    int throw_dice(Colour c, bool may_pass) {
        const std::size_t drawn = start_.draw(turn_, rng_);
        trace_(DRAW - static_cast<int>(drawn));
        return choose_on(start_.openings[drawn], c, may_pass);
    }

    // Returns the index of a point on the lines of an opening, or NONE to pass. Fallback depends on legal moves, not on
    // wanted ones. A side that may not pass plays any legal point if it wants one on some line.
    int choose_on(const OpenLines& opening, Colour c, bool may_pass) {
        int place = reply(c, &opening.buckets);
        if (place != NONE) return place;
        int refusals = 0;
        const auto wanted = [&](Vertex u) { return is_wanted(u, c) && !refuses(u, c, refusals); };
        place = pick_among(opening.buckets, wanted);
        if (place != NONE) return place;
        const auto legal = [&](Vertex u) { return board_.is_legal(u, c); };
        for (const int bucket : opening.buckets)
            if (has_room(bucket, c)) return may_pass || !has_wanted(c) ? NONE : pick_among(opening.buckets, legal);
        for (int bucket = opening.below - 1; bucket >= 0; --bucket) {
            const int below = pick(bucket, wanted);
            if (below != NONE) return below;
            if (has_room(bucket, c)) return may_pass || !has_wanted(c) ? NONE : pick(bucket, legal);
        }
        return NONE;
    }

    // Picks as pick() from several buckets.
    template <class Wanted> int pick_among(const std::vector<int>& buckets, Wanted wanted) {
        if (buckets.size() == 1) return pick(buckets[0], wanted);
        left_.clear();
        int all = 0;
        for (const int bucket : buckets) {
            left_.push_back(board_.empties(bucket));
            all += left_.back();
        }
        while (all > 0) {
            int k = static_cast<int>(rng_.below(static_cast<std::uint32_t>(all)));
            std::size_t i = 0;
            while (k >= left_[i]) k -= left_[i++];
            const int begin = board_.begin(buckets[i]);
            if (wanted(board_.empty(begin + k))) return begin + k;
            board_.swap(begin + k, begin + --left_[i]);
            --all;
        }
        return NONE;
    }

    bool has_room(int bucket, Colour c) {
        const int begin = board_.begin(bucket);
        for (int k = 0; k < board_.empties(bucket); ++k)
            if (board_.is_legal(board_.empty(begin + k), c, start_.rules->fallback_ko)) return true;
        return false;
    }

    // Returns whether a side wants to play on any line.
    bool has_wanted(Colour c) const {
        const int lines = board_.tables().buckets - (start_.rules->free_player == EMPTY ? 1 : 0);
        for (int bucket = 0; bucket < lines; ++bucket)
            for (int k = 0; k < board_.empties(bucket); ++k)
                if (is_wanted(board_.empty(board_.begin(bucket) + k), c)) return true;
        return false;
    }

    bool is_exhausted() const { return !has_wanted(BLACK) && !has_wanted(WHITE); }

    PlayoutEnd run_alter_igo() {
        Colour c = start_.order[turn_.next];
        int turns = turn_.turns;
        int passes_left = turn_.passes_left;
        while (turns < start_.cap) {
            int place = reply(c);
            int refusals = 0;
            if (place == NONE)
                place = pick(0, [&](Vertex u) {
                    return !board_.is_eye(u, c) && !board_.is_lone_suicide(u, c) && !refuses(u, c, refusals);
                });
            const Colour other = c == BLACK ? WHITE : BLACK;
            ++turns;
            if (place == NONE && c == WHITE && passes_left > 0) {
                --passes_left;
                trace_(PASS);
                tell(PASS);
                c = other;
                continue;
            }
            if (place == NONE) place = pick(0, [&](Vertex u) { return !board_.is_lone_suicide(u, c); });
            if (place == NONE) {
                trace_(board_.empty(pick(0, [](Vertex) { return true; })));
                return PlayoutEnd{other, turns};
            }
            trace_(board_.empty(place));
            tell(board_.empty(place));
            board_.play_at(place, c);
            c = other;
        }
        return PlayoutEnd{EMPTY, turns};
    }

    PlayoutEnd run_pentalath() {
        std::size_t index = turn_.next;
        int passes = turn_.passes;
        int turns = turn_.turns;
        const auto everybody = start_.order.size();
        while (turns < start_.cap) {
            const Colour c = start_.order[index];
            index = index + 1 == everybody ? 0 : index + 1;
            int place = NONE;
            if (may_place(c)) {
                if constexpr (RICH)
                    if (style_.tactics) place = forced(c, start_.order[index]);
                if (place == NONE) place = pick(0, [&](Vertex u) { return board_.is_legal(u, c); });
            }
            if (place == NONE) {
                const NoMove rule = start_.rules->no_move;
                if (rule == NoMove::loss && start_.rules->colours.size() == 2) return PlayoutEnd{start_.order[index], turns};
                if (rule != NoMove::pass) break;
                trace_(PASS);
                ++turns;
                if (++passes >= static_cast<int>(everybody)) break;
                continue;
            }
            ++turns;
            trace_(board_.empty(place));
            board_.play_at(place, c);
            if (board_.has_five()) return PlayoutEnd{c, turns};
            passes = 0;
        }
        return PlayoutEnd{EMPTY, turns};
    }

    // For Pentalath: returns the index of an own five, else of the next player's, or NONE.
    int forced(Colour c, Colour next) const requires RICH {
        for (const Colour maker : {c, next}) {
            if (board_.fours(maker) == 0) continue;
            for (int place = 0; place < board_.empties(0); ++place) {
                const Vertex v = board_.empty(place);
                if (board_.makes_five(v, maker) && board_.is_legal(v, maker) && board_.is_legal(v, c)) return place;
            }
        }
        return NONE;
    }

    const PlayoutStart& start_;
    B& board_;
    Rng rng_;
    Trace trace_;
    PlayoutTurn turn_;
    PlayoutStyle style_;
    [[no_unique_address]] std::conditional_t<RICH, Replies<B>, None> replies_;
    std::vector<int> left_;
};

template <Kind KIND, bool RICH, class Trace> double Playout<KIND, RICH, Trace>::margin() {
    std::array<int, 4> owned{};
    bool has_regions = false;
    for (int bucket = 0; bucket < board_.tables().buckets; ++bucket)
        for (int k = 0; k < board_.empties(bucket); ++k) {
            const Vertex v = board_.empty(board_.begin(bucket) + k);
            has_regions |= board_.has_empty_neighbour(v);
            ++owned[owner_of_eye(board_, v)];
        }
    // Regions of several points remain only if a game was stopped.
    if (has_regions) {
        owned.fill(0);
        each_region(board_, [&owned](Colour owner, const std::vector<Vertex>& region) {
            owned[owner] += static_cast<int>(region.size());
        });
    }
    return owned[BLACK] + board_.stones_of(BLACK) - owned[WHITE] - board_.stones_of(WHITE) - turn_.komi;
}

struct PlayoutCounts {
    std::vector<std::uint64_t> wins;  // by colour in turn order
    std::uint64_t draws = 0;
    std::uint64_t turns = 0;
};

// Runs playouts number first to first + n - 1 of a seed. `should_stop` is polled every few hundredths of a second in
// the calling thread; once it returns true no further playouts start.
PlayoutCounts run_playouts(const PlayoutStart& start, std::uint64_t first, std::uint64_t n, std::uint64_t seed, int threads,
                           const ShouldStop& should_stop);

// Returns the turns of one playout.
std::vector<int> trace_playout(const PlayoutStart& start, std::uint64_t seed, std::uint64_t index, const PlayoutStyle& style);

// Plays one playout on a rich board and returns the first fault of its data, or "".
std::string check_playout_board(const PlayoutStart& start, std::uint64_t seed, std::uint64_t index, const PlayoutStyle& style);

}  // namespace kernel
