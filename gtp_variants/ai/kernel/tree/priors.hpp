// The virtual games of a new move, and how many of them are won.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "ai/kernel/playouts/playout.hpp"
#include "ai/kernel/playouts/playout_board.hpp"

namespace kernel {

struct Prior {
    double games = 0, won = 0;

    void add(double more, double of_them_won) {
        games += more;
        won += of_them_won;
    }
};

// Set by hand and tuned in matches by benchmarks/strength/matches.
inline constexpr double ONE_STONE = 15;        // games, all won: captures one stone or saves it from atari
inline constexpr double SEVERAL_STONES = 30;   // games, all won: the same for several
inline constexpr double SELF_ATARI = 10;       // games, none won
inline constexpr double PUTS_IN_ATARI = 6;     // games
inline constexpr double PUTS_IN_ATARI_WON = 5; // of these
inline constexpr double SHAPE = 10;            // games, all won
inline constexpr std::array<double, 4> NEAR{0, 24, 22, 8};  // games, by the distance to the last stone
inline constexpr double NEAR_WON = 0.9;        // share of these
inline constexpr double LINE = 10;             // games far from all stones: won on line 3, lost below
inline constexpr double OWN_EYE = 20;          // Alter Igo: games
inline constexpr double OWN_EYE_WON = 2;       // of these

// For Pentalath: points for a move; RUNS_HALF points win half of the virtual games.
inline constexpr std::array<double, 5> OWN_RUN{0.2, 1, 4, 14, 60};    // a run of five with only own stones, by number
inline constexpr std::array<double, 5> THEIR_RUN{0.2, 0.8, 3, 10, 50};
inline constexpr double RUNS_TAKE = 6;         // points for a capture
inline constexpr double RUNS_TAKE_STONE = 4;   // and for each stone
inline constexpr double RUNS_SAVE = 6;         // points
inline constexpr double RUNS_SELF_ATARI = 0.4; // factor
inline constexpr double RUNS_HALF = 20;        // points
inline constexpr double RUNS_GAMES = 10;       // games
inline constexpr double RUNS_LEAST = 0.25;     // share won at no points
inline constexpr double RUNS_MOST = 0.6;       // additional share won at the maximum

template <class B> class Priors {
  public:
    explicit Priors(const PlayoutStart& start, const PlayoutStyle& style) : start_(&start), style_(style) {}

    // Looks at the position of a node, before moves there are asked about.
    void look(const B& board, const PlayoutTurn& turn) requires B::IS_RICH {
        board_ = &board;
        if constexpr (IS_LOCAL) measure(turn.last);
        if constexpr (HAS_EDGE) find_lonely();
    }

    // Returns the virtual games of a legal move.
    Prior of(Vertex v, Colour c) const requires B::IS_RICH {
        Prior prior;
        if constexpr (B::KIND_OF == Kind::pentalath) {
            const double sum = judge_runs(v, c);
            prior.add(RUNS_GAMES, RUNS_GAMES * (RUNS_LEAST + RUNS_MOST * sum / (sum + RUNS_HALF)));
            return prior;
        }
        judge_chains(prior, v, c);
        if constexpr (B::HAS_SHAPES) {
            if (style_.shapes && start_->rules->is_worthy(board_->shape(v))) prior.add(SHAPE, SHAPE);
        }
        if constexpr (HAS_EDGE) {
            const std::uint8_t ring = start_->tables.topology->rings[v];
            if (near_stones_[v] == 0 && ring >= 1 && ring <= 3) prior.add(LINE, ring == 3 ? LINE : 0);
        }
        if constexpr (IS_LOCAL) prior.add(NEAR[distance_[v]], NEAR[distance_[v]] * NEAR_WON);
        if constexpr (B::KIND_OF == Kind::alter_igo)
            if (board_->is_surrounded(v, c)) prior.add(OWN_EYE, OWN_EYE_WON);
        return prior;
    }

  private:
    static constexpr std::uint8_t FARTHEST = 3;
    // Under dice a nearby reply is open only by chance, and players cannot choose their lines.
    static constexpr bool IS_LOCAL = B::KIND_OF == Kind::go || B::KIND_OF == Kind::rosette;
    static constexpr bool HAS_EDGE = B::KIND_OF == Kind::go;

    // The effects of a stone: stones captured, stones saved from atari, and whether it puts any in atari.
    struct Deed {
        int taken = 0, saved = 0;
        bool threatens = false;
    };
    Deed deed_of(Vertex v, Colour c) const {
        const Vertex* near = board_->near_of(v);
        Deed deed;
        for (int i = 0; i < B::DEGREE; ++i) {
            const Colour there = board_->at(near[i]);
            if (there == EMPTY || there == OFF) continue;
            const Vertex chain = board_->chain_of(near[i]);
            bool is_new = !board_->is_immune(chain);
            for (int k = 0; k < i; ++k) is_new &= board_->chain_of(near[k]) != chain;
            if (!is_new) continue;
            const bool is_in_atari = board_->only_liberty(chain) == v;
            if (is_in_atari) (there == c ? deed.saved : deed.taken) += board_->size_of(chain);
            else if (there != c) deed.threatens |= board_->only_liberty_without(chain, v) != NOWHERE;
        }
        return deed;
    }

    void judge_chains(Prior& prior, Vertex v, Colour c) const {
        const auto [taken, saved, threatens] = deed_of(v, c);
        if (taken > 0) prior.add(taken == 1 ? ONE_STONE : SEVERAL_STONES, taken == 1 ? ONE_STONE : SEVERAL_STONES);
        if (board_->is_self_atari(v, c)) prior.add(SELF_ATARI, 0);
        else if (saved > 0) prior.add(saved == 1 ? ONE_STONE : SEVERAL_STONES, saved == 1 ? ONE_STONE : SEVERAL_STONES);
        if (threatens) prior.add(PUTS_IN_ATARI, PUTS_IN_ATARI_WON);
    }

    // For Pentalath: returns the points of a move by its runs of five and adjacent chains.
    double judge_runs(Vertex v, Colour c) const {
        const Topology& topology = *start_->tables.topology;
        double sum = 0;
        for (auto i = topology.fives_from[v]; i < topology.fives_from[v + 1U]; ++i) {
            const unsigned run = board_->window(topology.fives_at[i]);
            const unsigned own = (run >> (4 * c)) & 15U;
            if (run == own << (4 * c)) sum += OWN_RUN[own];
            if (own != 0) continue;
            for (const Colour k : {BLACK, WHITE, RED}) {
                const unsigned theirs = (run >> (4 * k)) & 15U;
                if (k != c && theirs != 0 && run == theirs << (4 * k)) sum += THEIR_RUN[theirs];
            }
            if (run == 0) sum += THEIR_RUN[0];
        }
        const auto [taken, saved, threatens] = deed_of(v, c);
        if (taken > 0) sum += RUNS_TAKE + RUNS_TAKE_STONE * taken;
        if (board_->is_self_atari(v, c)) sum *= RUNS_SELF_ATARI;
        else if (saved > 0) sum += RUNS_SAVE;
        return sum;
    }

    // Measures each point's distance from the last stone, with free steps inside a chain; 0: too far, or no such stone.
    void measure(Vertex last) {
        const int points = start_->tables.points;
        std::fill_n(distance_.begin(), points + 1, std::uint8_t{0});
        if (last == NOWHERE) return;
        count_ = 0;
        reach(last, FARTHEST + 1);
        std::size_t from = 0;
        for (std::uint8_t steps = 1; steps <= FARTHEST; ++steps)
            for (const std::size_t to = count_; from < to; ++from) {
                const Vertex* near = board_->near_of(queue_[from]);
                for (int i = 0; i < B::DEGREE; ++i)
                    if (distance_[near[i]] == 0 && near[i] != points) reach(near[i], steps);
            }
        for (std::size_t i = 0; i < count_; ++i)
            if (distance_[queue_[i]] > FARTHEST) distance_[queue_[i]] = 0;
    }

    void reach(Vertex v, std::uint8_t steps) {
        Vertex member = v;
        do {
            distance_[member] = steps;
            queue_[count_++] = member;
            if (board_->at(v) == EMPTY) return;
            member = board_->next_in_chain(member);
        } while (member != v);
    }

    // Finds the points with no stone within three steps.
    void find_lonely() {
        const int points = start_->tables.points;
        count_ = 0;
        for (int point = 0; point < points; ++point) {
            const auto v = static_cast<Vertex>(point);
            near_stones_[v] = board_->at(v) != EMPTY;
            if (near_stones_[v]) queue_[count_++] = v;
        }
        near_stones_[static_cast<std::size_t>(points)] = 1;
        std::size_t from = 0;
        for (std::uint8_t steps = 1; steps <= FARTHEST; ++steps)
            for (const std::size_t to = count_; from < to; ++from) {
                const Vertex* near = board_->near_of(queue_[from]);
                for (int i = 0; i < B::DEGREE; ++i) {
                    if (near_stones_[near[i]]) continue;
                    near_stones_[near[i]] = 1;
                    queue_[count_++] = near[i];
                }
            }
    }

    const PlayoutStart* start_;
    PlayoutStyle style_;
    const B* board_ = nullptr;
    std::array<std::uint8_t, CAPACITY> distance_{};
    std::array<std::uint8_t, CAPACITY> near_stones_{};
    std::array<Vertex, CAPACITY> queue_;
    std::size_t count_ = 0;
};

}  // namespace kernel
