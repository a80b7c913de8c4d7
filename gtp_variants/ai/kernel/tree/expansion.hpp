// The expansion of a search tree by a node: its moves, their virtual games, and whether the game is decided there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

#include "path_history.hpp"
#include "priors.hpp"
#include "search_root.hpp"
#include "shared_tree.hpp"
#include "superko.hpp"
#include "threats.hpp"
#include "tree_nodes.hpp"

namespace kernel {

// For Pentalath: boards that a search for threats may visit, at the root and at other nodes.
inline constexpr int THREATS_AT_ROOT = 4000;
inline constexpr int THREATS_AT_NODES = 60;

template <Kind KIND, bool RICH> class Expansion {
  public:
    using B = PlayoutBoard<KIND, RICH>;

    struct Move {
        int move;
        std::uint32_t games, won;  // virtual ones, in sixths
        Proof proof;
    };

    // `board` holds the positions, `path` the way to them, `superko` the boards that may not recur.
    Expansion(const SharedTree& shared, const SearchRoot<B>& root, const B& board, PathHistory<B>& path, Superko<B>& superko)
        : shared_(shared),
          root_(root),
          settings_(shared.settings),
          start_(root.start),
          board_(board),
          path_(path),
          superko_(superko),
          priors_(start_, root.style),
          threats_(start_) {}

    // Finds the moves of the position on the board, `depth` moves below the root; avoided ones only if no other is
    // left.
    void expand(const PlayoutTurn& turn, std::size_t depth) {
        depth_ = static_cast<int>(depth);
        is_avoiding_ = depth_ < shared_.deepest[start_.order[turn.next]];
        look(turn);
        if (!is_avoiding_ || !moves_.empty()) return;
        is_avoiding_ = false;
        look(turn);
    }

    const std::vector<Move>& moves() const { return moves_; }

    // Returns the bytes of the node.
    std::size_t size() const { return size_of_node(moves_.size(), room_.size()); }

    // Writes the node into a block.
    Node* settle(std::byte* block) const {
        Node* const node = new (block) Node(head_);
        node->count = static_cast<std::uint32_t>(moves_.size());
        Child* child = node->begin();
        for (const Move& move : moves_) {
            new (child) Child(move.games, move.won, move.move, settings_.rave);
            (child++)->proof = move.proof;
        }
        std::copy(room_.begin(), room_.end(), node->room());
        return node;
    }

  private:
    bool is_root() const { return depth_ == 0; }
    bool is_avoided(int move) const { return is_avoiding_ && shared_.avoids(head_.mover, move, depth_); }

    void look(const PlayoutTurn& turn) {
        head_ = Node{nullptr, 0, start_.order[turn.next], KIND == Kind::pentalath, false, EMPTY};
        moves_.clear();
        room_.clear();
        const Colour mover = head_.mover;
        if constexpr (RICH)
            if (settings_.priors) priors_.look(board_, turn);
        const auto may_place = board_.stones_of(mover) < start_.rules->supply[mover];
        const int points = may_place ? start_.tables.points : 0;
        const auto each = [&](auto wanted) {
            for (int point = 0; point < points; ++point) {
                const auto v = static_cast<Vertex>(point);
                if (board_.at(v) != EMPTY || (is_root() && !root_.legal[v]) || is_avoided(point)) continue;
                if (wanted(v)) add_child(point);
            }
        };
        if constexpr (KIND == Kind::pentalath) {
            if (settings_.tactics && points > 0) add_forced(turn, each);
            if (moves_.empty() && settings_.tactics && root_.has_proofs) add_threat(turn);
            if (moves_.empty() && !head_.is_over) {
                head_.is_whole = true;
                each([&](Vertex v) { return board_.is_legal(v, mover); });
            }
            if (moves_.empty() && !head_.is_over) judge_blocked(turn);
        } else if constexpr (KIND == Kind::alter_igo) {
            each([&](Vertex v) { return !board_.is_eye(v, mover) && !board_.is_lone_suicide(v, mover); });
            const bool may_pass = mover == WHITE && turn.passes_left > 0;
            if (may_pass && !is_avoided(PASS)) add_child(PASS);
            if (moves_.empty()) each([&](Vertex v) { return !board_.is_lone_suicide(v, mover); });
            if (moves_.empty()) end(mover == BLACK ? WHITE : BLACK);
        } else {
            each([&](Vertex v) { return !board_.is_eye(v, mover) && board_.is_legal(v, mover) && !superko_.forbids(v, mover); });
            // A side that may not pass may have to fill an own eye.
            if constexpr (KIND == Kind::aleago)
                if (!start_.may_pass(turn.passes) && !moves_.empty())
                    each([&](Vertex v) {
                        return board_.is_eye(v, mover) && board_.is_legal(v, mover) && !superko_.forbids(v, mover);
                    });
            if (!is_avoided(PASS)) add_child(PASS);
        }
        if (is_avoiding_) head_.is_whole = false;
        if constexpr (KIND == Kind::alter_igo)
            if (root_.knows_draws())
                for (Move& move : moves_)
                    if (path_.would_draw(move.move, turn)) move.proof = Proof::drawn;
        if constexpr (KIND == Kind::aleago)
            for (int bucket = 0; bucket < start_.tables.buckets; ++bucket) room_.push_back(has_room(bucket));
    }

    void add_child(int move, Proof proof = Proof::none) {
        // A pass is rarely right while other moves are left, but often in a search about one chain.
        const bool is_idle = move == PASS && root_.holder == EMPTY;
        Prior prior{settings_.even, is_idle ? settings_.even / 10 : settings_.even / 2};
        if constexpr (RICH)
            if (settings_.priors && move != PASS) {
                const Prior more = priors_.of(static_cast<Vertex>(move), head_.mover);
                prior.add(more.games, more.won);
            }
        moves_.push_back(Move{move, in_sixths(prior.games), in_sixths(prior.won), proof});
    }

    void end(Colour winner) {
        head_.is_over = true;
        head_.winner = winner;
    }

    // For Pentalath: adds the side to move's fives; or, if the next player threatens one, moves that prevent it or
    // capture.
    template <class Each> void add_forced(const PlayoutTurn& turn, Each each) requires(KIND == Kind::pentalath) {
        const Colour mover = head_.mover;
        const Colour next = start_.order[turn.next + 1 == start_.order.size() ? 0 : turn.next + 1];
        if (board_.fours(mover) > 0) each([&](Vertex v) { return board_.makes_five(v, mover) && board_.is_legal(v, mover); });
        if (!moves_.empty()) head_.is_whole = false;
        else if (board_.fours(next) > 0) {
            bool is_threatened = false, is_whole = true;
            for (int place = 0; place < board_.empties(0); ++place) {
                const Vertex v = board_.empty(place);
                if (!board_.makes_five(v, next) || !board_.is_legal(v, next)) continue;
                is_threatened = true;
                is_whole &= board_.stays_legal(v, next);
            }
            if (is_threatened) {
                // All other moves lose at once, except those that make a five illegal.
                head_.is_whole = is_whole;
                each([&](Vertex v) {
                    if (!board_.is_legal(v, mover)) return false;
                    return board_.takes(v, mover) || (board_.makes_five(v, next) && board_.is_legal(v, next));
                });
            }
        }
    }

    // For Pentalath with two players: adds the move that begins a win by threats; below the root the node is won.
    void add_threat(const PlayoutTurn& turn) requires(KIND == Kind::pentalath) {
        const Colour next = start_.order[1 - turn.next];
        const Vertex found = threats_.find(board_, head_.mover, next, is_root() ? THREATS_AT_ROOT : THREATS_AT_NODES);
        if (found == NOWHERE) return;
        if (!is_root()) end(head_.mover);
        else if (!is_avoided(found)) add_child(found, Proof::won);
    }

    // For Pentalath: judges a position without moves.
    void judge_blocked(const PlayoutTurn& turn) {
        const NoMove rule = start_.rules->no_move;
        if (rule == NoMove::pass) add_child(PASS);
        else if (rule == NoMove::loss && start_.rules->colours.size() == 2) end(start_.order[turn.next == 0 ? 1 : 0]);
        else end(EMPTY);
    }

    // For Aléago: returns whether a line has a legal point.
    bool has_room(int bucket) {
        const bool minds_ko = start_.rules->fallback_ko;
        const int begin = board_.begin(bucket);
        for (int k = 0; k < board_.empties(bucket); ++k) {
            const Vertex v = board_.empty(begin + k);
            if (is_root() && root_.legal[v]) return true;
            if (!is_root() && board_.is_legal(v, head_.mover, minds_ko) && !(minds_ko && superko_.forbids(v, head_.mover)))
                return true;
        }
        return false;
    }

    const SharedTree& shared_;
    const SearchRoot<B>& root_;
    const SearchSettings& settings_;
    const PlayoutStart& start_;
    const B& board_;
    PathHistory<B>& path_;
    Superko<B>& superko_;
    Priors<B> priors_;
    struct None {
        explicit None(const PlayoutStart&) {}
    };
    [[no_unique_address]] std::conditional_t<KIND == Kind::pentalath, Threats, None> threats_;
    int depth_ = 0;
    bool is_avoiding_ = false;  // whether avoided moves are left out
    Node head_{};               // the node without its children
    std::vector<Move> moves_;
    std::vector<std::uint8_t> room_;  // Aléago: by line
};

}  // namespace kernel
