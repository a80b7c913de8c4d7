// One thread of a tree search: it descends, plays on at random, and backs up the result.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "expansion.hpp"
#include "ai/kernel/playouts/playout.hpp"
#include "path_history.hpp"
#include "search_root.hpp"
#include "shared_tree.hpp"
#include "superko.hpp"
#include "tree.hpp"
#include "tree_nodes.hpp"

namespace kernel {

// Minimum part of the exploration bonus, for moves that always or never won.
inline constexpr double CERTAIN = 0.05;

// The scores of playouts, in points.
struct ScoreTally {
    std::uint64_t count = 0;
    double sum = 0, squares = 0;

    void add(double margin) {
        ++count;
        sum += margin;
        squares += margin * margin;
    }
    void add(const ScoreTally& other) {
        count += other.count;
        sum += other.sum;
        squares += other.squares;
    }
    Score score() const {
        const double mean = sum / static_cast<double>(count);
        return Score{mean, std::sqrt(std::max(0.0, squares / static_cast<double>(count) - mean * mean))};
    }
};

// One thread at work on the tree.
template <Kind KIND, bool RICH> class Worker {
  public:
    using B = PlayoutBoard<KIND, RICH>;

    Worker(SharedTree& shared, const SearchRoot<B>& root)
        : shared_(shared),
          root_(root),
          settings_(shared.settings),
          start_(root.start),
          a_later_game_(1 / (GAME * settings_.equivalence)),
          board_(std::make_unique<B>(start_.tables)),
          history_(root, *board_),
          superko_(root, *board_),
          expansion_(shared, root, *board_, history_, superko_),
          owner_(static_cast<std::size_t>(start_.tables.points) + 1, EMPTY),
          owned_(IS_AREA ? start_.tables.points : 0, 0) {}

    void begin() {
        shares_.fill(0);
        turns_ = done_ = 0;
    }
    double shares_of(Colour colour) const { return shares_[colour]; }
    // For the Go family, over all playouts from this root: their number, and for each point how many more ended as
    // Black's.
    std::uint64_t counted() const { return counted_; }
    const std::vector<std::int64_t>& owned() const { return owned_; }
    // For the Go family: the scores of each root move since it became the root; empty before the first playout.
    const std::vector<ScoreTally>& scores() const { return scores_; }
    std::uint64_t turns() const { return turns_; }
    std::uint64_t done() const { return done_; }

    static bool all_lost(const Node& node) {
        if (!node.is_whole) return false;
        return std::all_of(node.begin(), node.end(), [](const Child& child) { return child.proof == Proof::lost; });
    }

    // Makes the root, with the results of another node of the same position, whose block is unchanged.
    void make_root(const Node* known) {
        board_->copy_from(*root_.board);
        const PlayoutTurn turn = start_.turn();
        begin_path(turn);
        expansion_.expand(turn, 0);
        const std::size_t bytes = expansion_.size();
        std::unique_ptr<std::byte[]> block(new std::byte[bytes]);
        Node& node = *expansion_.settle(block.get());
        shared_.root_priors.clear();
        for (const auto& move : expansion_.moves()) shared_.root_priors.push_back(VirtualGames{move.games, move.won});
        if (known) copy_known(node, *known);
        std::uint32_t visits = 0;
        for (const Child& child : node) visits += child.visits;
        shared_.root_visits = visits;
        shared_.root_block = std::move(block);
        shared_.root_bytes = bytes;
    }

    // -- one playout ---------------------------------------------------------------------------------------------------

    void simulate(std::uint64_t index) {
        ++done_;
        board_->copy_from(*root_.board);
        Rng rng = Rng::of_playout(settings_.seed, index);
        PlayoutTurn turn = start_.turn();
        path_.clear();
        moves_.clear();
        begin_path(turn);
        Node* node = &shared_.root();
        std::uint32_t visits = shared_.root_visits;
        shared_.root_visits = visits + 1;
        Colour winner = EMPTY;
        bool is_over = false;
        while (true) {
            if (node->is_over) {
                winner = node->winner;
                is_over = true;
                break;
            }
            Child& child = *select(*node, visits, throw_dice(turn, rng), turn.passes);
            path_.push_back(Step{node, &child});
            // Counted before the result is known, so that other threads look elsewhere meanwhile.
            visits = child.visits + 1;
            child.visits = visits;
            child.games += GAME;
            if (child.proof == Proof::won) {
                winner = node->mover;
                is_over = true;
                break;
            }
            is_over = step(turn, child.move, winner);
            if (root_.knows_draws() && is_over != (child.proof == Proof::drawn)) child.proof = is_over ? Proof::drawn : Proof::none;
            if (is_over) break;
            if (Node* const below = child.below()) {
                node = below;
                continue;
            }
            if (static_cast<int>(visits) >= settings_.expand_at && !shared_.is_full()) {
                const Node* const leaf = grow(child, turn);
                if (leaf && leaf->is_over) {
                    winner = leaf->winner;
                    is_over = true;
                }
            }
            break;
        }
        if (!is_over) {
            Playout<KIND, RICH, Recording> playout(start_, *board_, rng, Recording{&moves_}, turn, root_.style);
            const PlayoutEnd ending = playout.run();
            winner = verdict(ending.winner);
            margin_ = ending.margin;
            turns_ += static_cast<std::uint64_t>(ending.turns);
        } else {
            turns_ += static_cast<std::uint64_t>(turn.turns);
        }
        if constexpr (IS_AREA) {
            count_owners(*board_, owned_);
            ++counted_;
            if (root_.holder == EMPTY) count_score();
        }
        update(winner, turn.next, is_over);
    }

  private:
    // Whether area decides.
    static constexpr bool IS_AREA = KIND != Kind::alter_igo && KIND != Kind::pentalath;

    struct Step {
        Node* node;
        Child* child;
    };

    // For Aléago: returns the lines open in this turn; null elsewhere.
    const OpenLines* throw_dice(PlayoutTurn& turn, Rng& rng) const {
        if constexpr (KIND == Kind::aleago) return &start_.openings[start_.draw(turn, rng)];
        return nullptr;
    }

    // Carries out a move of the tree; returns whether the game is over, and sets `winner`.
    bool step(PlayoutTurn& turn, int move, Colour& winner) {
        const Colour mover = start_.order[turn.next];
        turn.next = turn.next + 1 == start_.order.size() ? 0 : turn.next + 1;
        ++turn.turns;
        turn.tell(move);
        if (move == PASS) {
            const bool is_counted = !turn.take_button(mover);
            turn.passes += is_counted;
            if constexpr (KIND == Kind::alter_igo) {
                --turn.passes_left;
                return false;
            }
            board_->set_ko(NOWHERE);
            superko_.pass(mover);
            if constexpr (KIND == Kind::pentalath) {
                return turn.passes >= static_cast<int>(start_.order.size());
            }
            Playout<KIND, RICH, Silent> judge(start_, *board_, Rng(0), Silent{}, turn);
            if (!is_counted || !judge.is_ended_by(turn.passes)) return false;
            margin_ = judge.margin();
            winner = verdict(judge.winner_by(margin_));
            return true;
        }
        turn.passes = 0;
        // In a playout the sides place stones in turn, so that there each costs a point of territory as often.
        if (start_.rules->counts_territory) turn.komi += mover == BLACK ? 1 : -1;
        const int taken = board_->play(static_cast<Vertex>(move), mover);
        superko_.place(static_cast<Vertex>(move), mover, taken);
        if constexpr (KIND == Kind::pentalath) {
            if (!board_->has_five()) return false;
            winner = mover;
            return true;
        }
        if constexpr (KIND == Kind::alter_igo) return history_.reaches_draw(turn);
        if constexpr (IS_AREA) return root_.holder != EMPTY && is_settled(turn, mover, winner);
        return false;
    }

    // Returns whether the target is captured or the mover repeated a board, and sets `winner`.
    bool is_settled(const PlayoutTurn& turn, Colour mover, Colour& winner) {
        winner = start_.rules->other(root_.holder);
        if (board_->at(shared_.target) != root_.holder) return true;
        if (!history_.closes_circle(turn)) return false;
        winner = start_.rules->other(mover);
        return true;
    }

    // Returns the winner of a finished game, by the score or by the target.
    Colour verdict(Colour by_score) const {
        if (root_.holder == EMPTY) return by_score;
        return board_->at(shared_.target) == root_.holder ? root_.holder : start_.rules->other(root_.holder);
    }

    // Starts a path; the root is the first of its positions that count for repetition.
    void begin_path(const PlayoutTurn& turn) {
        superko_.begin();
        if (KIND == Kind::alter_igo || root_.holder != EMPTY) history_.begin(turn);
    }

    // -- the tree ------------------------------------------------------------------------------------------------------

    void copy_known(Node& node, const Node& known) {
        std::vector<const Child*> found(static_cast<std::size_t>(start_.tables.points) + 1, nullptr);
        for (const Child& child : known) found[static_cast<std::size_t>(child.move + 1)] = &child;
        // Under a known throw moves on other lines are impossible; their results no longer count.
        if constexpr (KIND == Kind::aleago)
            if (!start_.known.empty()) open_moves(node, start_.openings[start_.known[0]], start_.may_pass(start_.passes));
        for (Child& child : node) {
            const Child* const before = found[static_cast<std::size_t>(child.move + 1)];
            bool is_to_be_had = before != nullptr;
            if constexpr (KIND == Kind::aleago) is_to_be_had &= start_.known.empty() || is_open(child.move);
            if (!is_to_be_had) continue;
            const Proof proof = child.proof;
            new (&child) Child(*before);
            // A draw may no longer be one at another root, and vice versa.
            if (child.proof != Proof::won && child.proof != Proof::lost) child.proof = proof;
        }
    }

    // Gives a leaf children; returns null if another thread does, or without memory.
    Node* grow(Child& child, const PlayoutTurn& turn) {
        Node* expected = nullptr;
        if (!child.node.compare_exchange_strong(expected, BEING_MADE, std::memory_order_relaxed)) return nullptr;
        expansion_.expand(turn, path_.size());
        std::byte* const block = shared_.arena.take(expansion_.size());
        Node* const made = block ? expansion_.settle(block) : nullptr;
        child.node.store(made, std::memory_order_release);
        return made;
    }

    // Returns the child with the highest value among the moves open under a throw. A pass that is not free is open only
    // if the lines have no other move.
    Child* select(Node& node, std::uint32_t visits, const OpenLines* opening, int passes) {
        if constexpr (KIND == Kind::aleago) open_moves(node, *opening, start_.may_pass(passes));
        // Wins credited to each move; they grow with the node's visits, so that no move is given up for good.
        const double bonus = GAME * settings_.exploration * std::sqrt(static_cast<double>(visits));
        const double a_later_game = a_later_game_;
        Child* best = node.end() - 1;
        double highest = -1;
        bool best_is_lost = true;
        for (Child& child : node) {
            if constexpr (KIND == Kind::aleago)
                if (!is_open(child.move)) continue;
            // The share of wins, own and later ones combined with one division.
            const double later = child.later_games;
            const double weight = 1 + later * a_later_game;
            const double games = child.games;
            const double of_all = 1 / (games * weight + later);
            const double won = (child.won * weight + child.later_won) * of_all;
            // If all moves win, or all lose, exploring them one by one is pointless.
            double value = won + bonus * (weight * of_all) * (4 * won * (1 - won) + CERTAIN);
            if (games == 0) value = settings_.first_play + bonus;
            bool is_lost = false;
            if constexpr (SearchRoot<B>::KNOWS_PROOFS) {
                const Proof proof = child.proof;
                if (proof == Proof::won) return &child;
                is_lost = proof == Proof::lost;
                if (proof == Proof::drawn) value = share(EMPTY, EMPTY);
            }
            if (is_lost == best_is_lost ? value > highest : best_is_lost) {
                highest = value;
                best = &child;
                best_is_lost = is_lost;
            }
        }
        return best;
    }

    bool is_open(int move) const {
        return move == PASS ? may_pass_ : open_[start_.tables.bucket_of[static_cast<std::size_t>(move)]] != 0;
    }

    // Marks the lines on which a stone may be placed: the throw's own, or the first lower one with room.
    void open_moves(const Node& node, const OpenLines& opening, bool may_pass) {
        may_pass_ = may_pass;
        open_.assign(static_cast<std::size_t>(start_.tables.buckets), 0);
        bool has_any = false;
        for (const int bucket : opening.buckets) has_any |= node.room()[bucket] != 0;
        if (has_any) {
            for (const int bucket : opening.buckets) open_[static_cast<std::size_t>(bucket)] = 1;
            return;
        }
        for (int bucket = opening.below - 1; bucket >= 0; --bucket)
            if (node.room()[bucket]) {
                open_[static_cast<std::size_t>(bucket)] = 1;
                return;
            }
    }

    // -- the result of a playout -------------------------------------------------------------------------------------------

    double share(Colour winner, Colour colour) const {
        if (winner == EMPTY) return 1.0 / static_cast<double>(start_.order.size());
        return winner == colour ? 1 : 0;
    }

    std::uint32_t sixths(Colour winner, Colour colour) const {
        if (winner == EMPTY) return GAME / static_cast<std::uint32_t>(start_.order.size());
        return winner == colour ? GAME : 0;
    }

    void update(Colour winner, std::size_t next, bool is_over) {
        for (const Colour colour : start_.order) shares_[colour] += share(winner, colour);
        if (settings_.rave) find_first_on_each_point(next);
        for (std::size_t depth = path_.size(); depth-- > 0;) {
            Node& node = *path_[depth].node;
            Child& child = *path_[depth].child;
            const std::uint32_t gained = sixths(winner, node.mover);
            child.won += gained;
            if (!settings_.rave) continue;
            // Seen from this node, its mover is the first to play on the move's point.
            if (child.move >= 0) owner_[static_cast<std::size_t>(child.move) + 1] = node.mover;
            // Branch-free, since the owner of the point is unpredictable.
            const Colour mover = node.mover;
            const Colour* const owner = owner_.data() + 1;
            for (Child& other : node) {
                const std::uint32_t counts = owner[other.move] == mover;
                other.later_games += counts * GAME;
                other.later_won += counts * gained;
            }
        }
        if (root_.has_proofs && is_over && !path_.empty()) prove(winner);
    }

    void count_score() {
        if (path_.empty()) return;
        const Node& root = *path_[0].node;
        if (scores_.empty()) scores_.resize(root.count);
        scores_[static_cast<std::size_t>(path_[0].child - root.begin())].add(margin_);
    }

    // Finds who first played on each point in the playout; `next` was to move when it began.
    void find_first_on_each_point(std::size_t next) {
        std::fill(owner_.begin(), owner_.end(), EMPTY);
        colours_.clear();
        for (const int move : moves_) {
            if (move <= ENDED) continue;
            colours_.push_back(std::pair{move, start_.order[next]});
            next = next + 1 == start_.order.size() ? 0 : next + 1;
        }
        for (std::size_t i = colours_.size(); i-- > 0;)
            if (colours_[i].first >= 0) owner_[static_cast<std::size_t>(colours_[i].first) + 1] = colours_[i].second;
    }

    // Propagates a finished game up the tree as far as it proves nodes. A draw proves nothing.
    void prove(Colour winner) {
        if (winner == EMPTY) return;
        for (std::size_t depth = path_.size(); depth-- > 0;) {
            const Node& node = *path_[depth].node;
            Child& child = *path_[depth].child;
            child.proof = winner == node.mover ? Proof::won : Proof::lost;
            if (child.proof == Proof::won) {
                winner = node.mover;
                continue;
            }
            // A lost move loses the node only if every move was looked at.
            if (!all_lost(node)) return;
        }
    }

    SharedTree& shared_;
    const SearchRoot<B>& root_;
    const SearchSettings& settings_;
    const PlayoutStart& start_;
    double a_later_game_;  // weight of a sixth of a later game against a move's own games
    std::unique_ptr<B> board_;
    PathHistory<B> history_;
    Superko<B> superko_;
    Expansion<KIND, RICH> expansion_;
    std::vector<std::uint8_t> open_;
    bool may_pass_ = true;  // Aléago: in this turn
    std::vector<Step> path_;
    std::vector<int> moves_;
    std::vector<std::pair<int, Colour>> colours_;
    std::vector<Colour> owner_;  // for PASS, nobody; then for each point
    std::vector<std::int64_t> owned_;
    std::uint64_t counted_ = 0;
    std::array<double, 4> shares_{};
    std::vector<ScoreTally> scores_;
    double margin_ = 0;  // of the current playout
    std::uint64_t turns_ = 0;
    std::uint64_t done_ = 0;
};

}  // namespace kernel
