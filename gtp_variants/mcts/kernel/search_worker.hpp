// One thread at work on a search tree: it descends, plays on at random, and counts the result in the nodes it passed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "playout.hpp"
#include "priors.hpp"
#include "threats.hpp"
#include "tree.hpp"
#include "tree_nodes.hpp"
#include "with_kind.hpp"

namespace kernel {

// Pentalath: boards that a search for threats may look at, at the root and at other nodes.
inline constexpr int THREATS_AT_ROOT = 4000;
inline constexpr int THREATS_AT_NODES = 60;
// Part of the bonus of seldom tried moves that even a move has which always or never won.
inline constexpr double CERTAIN = 0.05;
inline constexpr double MEBIBYTE = 1 << 20;

// Where a search begins.
template <class B> struct SearchRoot {
    SearchRoot(const State& state, bool dice_aware)
        : start(state, dice_aware),
          board(board_at<B>(start)),
          legal(static_cast<std::size_t>(start.tables.points), 0),
          history(state.history()) {
        // Aléago: on every line, for the dice may be thrown again.
        if constexpr (B::HAS_BUCKETS) {
            state.legal_points().each([this](int point) { legal[static_cast<std::size_t>(point)] = 1; });
        } else {
            for (const int action : state.legal())
                if (action >= 0) legal[static_cast<std::size_t>(action)] = 1;
        }
    }

    PlayoutStart start;
    std::unique_ptr<B> board;
    std::vector<std::uint8_t> legal;
    BoardHistory history;
};

// What playouts came to in points.
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

// What a move was given before it was tried, in sixths.
struct VirtualGames {
    std::uint32_t games, won;
};

// What the threads of a search share. The root's block lies in memory of its own.
struct SharedTree {
    SharedTree(const SearchSettings& given, std::size_t lines, const std::vector<Avoided>& avoided, int aim)
        : settings(given),
          most(static_cast<std::size_t>(given.memory_mb * MEBIBYTE)),
          target(aim < 0 ? NOWHERE : static_cast<Vertex>(aim)),
          arena(lines) {
        for (const Avoided& each : avoided) {
            if (each.colour >= until.size() || each.move < PASS) continue;
            std::vector<int>& depths = until[each.colour];
            const auto place = static_cast<std::size_t>(each.move + 1);
            if (depths.size() <= place) depths.resize(place + 1, 0);
            depths[place] = std::max(depths[place], each.depth);
            deepest[each.colour] = std::max(deepest[each.colour], each.depth);
        }
    }

    // Whether a colour is not to look at a move, so many moves from the root.
    bool avoids(Colour mover, int move, int depth) const {
        const std::vector<int>& depths = until[mover];
        const auto place = static_cast<std::size_t>(move + 1);
        return place < depths.size() && depth < depths[place];
    }

    Node& root() { return *reinterpret_cast<Node*>(root_block.get()); }
    const Node& root() const { return *reinterpret_cast<const Node*>(root_block.get()); }
    bool is_full() const { return arena.used() + root_bytes >= most; }
    // Whether there are nodes beside the root that could make room.
    bool can_prune() const { return is_full() && arena.used() > 0; }
    // Gives back half of what the nodes below the root may take. No thread may be at work.
    void prune() { arena.prune(root(), (most - std::min(most, root_bytes)) / 2); }

    SearchSettings settings;
    std::size_t most;  // bytes
    Vertex target;     // whose stone's fate is all that counts, NOWHERE: the game's result counts
    std::array<std::vector<int>, 4> until;  // for each colour and move + 1: to which depth it is avoided
    std::array<int, 4> deepest{};           // for each colour, the deepest of those
    Arena arena;
    std::unique_ptr<std::byte[]> root_block;
    std::size_t root_bytes = 0;
    std::vector<VirtualGames> root_priors;  // of the root's moves, in their order
    Relaxed<std::uint32_t> root_visits = 0;
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
          style_{settings_.tactics, settings_.atari, settings_.shapes, true},
          priors_(start_, style_),
          threats_(start_),
          has_proofs_(settings_.proofs && KNOWS_PROOFS && start_.order.size() == 2),
          board_(std::make_unique<B>(start_.tables)),
          after_(KIND == Kind::alter_igo ? std::make_unique<B>(start_.tables) : nullptr),
          holder_(shared.target == NOWHERE ? EMPTY : root.board->at(shared.target)),
          owner_(static_cast<std::size_t>(start_.tables.points) + 1, EMPTY),
          owned_(IS_AREA ? start_.tables.points : 0, 0) {}

    void begin() {
        shares_.fill(0);
        turns_ = done_ = 0;
    }
    double shares_of(Colour colour) const { return shares_[colour]; }
    // The Go family, over all playouts from this root: how many, and in how many more each point was Black's than White's.
    std::uint64_t counted() const { return counted_; }
    const std::vector<std::int64_t>& owned() const { return owned_; }
    // The Go family: of each move of the root, since it is the root; empty before the first playout.
    const std::vector<ScoreTally>& scores() const { return scores_; }
    std::uint64_t turns() const { return turns_; }
    std::uint64_t done() const { return done_; }

    bool has_proofs() const { return has_proofs_; }
    bool knows_draws() const { return KIND == Kind::alter_igo && has_proofs_; }

    static bool all_lost(const Node& node) {
        if (!node.is_whole) return false;
        return std::all_of(node.begin(), node.end(), [](const Child& child) { return child.proof == Proof::lost; });
    }

    // Makes the root, with what another node of the same position has found. The block of that node is left as it is.
    void make_root(const Node* known) {
        board_->copy_from(*root_.board);
        const PlayoutTurn turn = start_.turn();
        begin_path(turn);
        const Node head = expand(turn, true);
        const std::size_t bytes = size_of_node(fresh_.size(), lines());
        std::unique_ptr<std::byte[]> block(new std::byte[bytes]);
        Node& node = *settle(block.get(), head);
        shared_.root_priors.clear();
        for (const Move& move : fresh_) shared_.root_priors.push_back(VirtualGames{move.games, move.won});
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
            // Counted before its result is known, so that other threads look elsewhere in the meantime.
            visits = child.visits + 1;
            child.visits = visits;
            child.games += GAME;
            if (child.proof == Proof::won) {
                winner = node->mover;
                is_over = true;
                break;
            }
            is_over = step(turn, child.move, winner);
            if (knows_draws() && is_over != (child.proof == Proof::drawn)) child.proof = is_over ? Proof::drawn : Proof::none;
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
            Playout<KIND, RICH, Recording> playout(start_, *board_, rng, Recording{&moves_}, turn, style_);
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
            if (holder_ == EMPTY) count_score();
        }
        update(winner, turn.next, is_over);
    }

  private:
    static constexpr bool KNOWS_PROOFS = KIND == Kind::pentalath || KIND == Kind::alter_igo;
    // Whether area decides.
    static constexpr bool IS_AREA = KIND != Kind::alter_igo && KIND != Kind::pentalath;

    struct Step {
        Node* node;
        Child* child;
    };
    struct Move {
        int move;
        std::uint32_t games, won;  // virtual ones, in sixths
        Proof proof;
    };
    // A position on the way, by its stones; Alter Igo: whose turn it is, and how often White may still pass.
    struct SeenPosition {
        Hash stones;
        Colour mover;
        int passes_left;

        bool operator==(const SeenPosition&) const = default;
    };

    // Aléago: the lines that are open in this turn; null elsewhere.
    const OpenLines* throw_dice(PlayoutTurn& turn, Rng& rng) const {
        if constexpr (KIND == Kind::aleago) return &start_.openings[start_.draw(turn, rng)];
        return nullptr;
    }

    // Carries out a move of the tree; whether the game is over, and who has won then.
    bool step(PlayoutTurn& turn, int move, Colour& winner) {
        const Colour mover = start_.order[turn.next];
        turn.next = turn.next + 1 == start_.order.size() ? 0 : turn.next + 1;
        ++turn.turns;
        turn.tell(move);
        if (move == PASS) {
            ++turn.passes;
            if constexpr (KIND == Kind::alter_igo) {
                --turn.passes_left;
                return false;
            }
            board_->set_ko(NOWHERE);
            if constexpr (KIND == Kind::pentalath) {
                return turn.passes >= static_cast<int>(start_.order.size());
            }
            Playout<KIND, RICH, Silent> judge(start_, *board_, Rng(0), Silent{}, turn);
            if (!judge.is_ended_by(turn.passes)) return false;
            margin_ = judge.margin();
            winner = verdict(judge.winner_by(margin_));
            return true;
        }
        turn.passes = 0;
        board_->play(static_cast<Vertex>(move), mover);
        if constexpr (KIND == Kind::pentalath) {
            if (!board_->has_five()) return false;
            winner = mover;
            return true;
        }
        if constexpr (KIND == Kind::alter_igo) return is_repeated(turn);
        if constexpr (IS_AREA) return holder_ != EMPTY && is_settled(mover, winner);
        return false;
    }

    // Whether the target is gone, or the mover's board was on the way before: `winner` is who has won then.
    bool is_settled(Colour mover, Colour& winner) {
        winner = start_.rules->other(holder_);
        if (board_->at(shared_.target) != holder_) return true;
        const SeenPosition now{hash_of_stones(), EMPTY, 0};
        const bool is_repeated = std::find(seen_.begin(), seen_.end(), now) != seen_.end();
        seen_.push_back(now);
        if (is_repeated) winner = start_.rules->other(mover);
        return is_repeated;
    }

    Hash hash_of_stones() const {
        Hash sum{};
        for (int point = 0; point < start_.tables.points; ++point) {
            const auto v = static_cast<Vertex>(point);
            if (board_->at(v) != EMPTY) sum ^= ZOBRIST.stone(v, board_->at(v));
        }
        return sum;
    }

    // Who has won where the game is over: whom the score names, or by the target.
    Colour verdict(Colour by_score) const {
        if (holder_ == EMPTY) return by_score;
        return board_->at(shared_.target) == holder_ ? holder_ : start_.rules->other(holder_);
    }

    // The root is the first position of every way.
    void begin_path(const PlayoutTurn& turn) {
        seen_.clear();
        if constexpr (KIND == Kind::alter_igo) seen_.push_back(seen_position(turn));
        if constexpr (IS_AREA)
            if (holder_ != EMPTY) seen_.push_back(SeenPosition{hash_of_stones(), EMPTY, 0});
    }

    // Alter Igo: whether the position that a move has led to is a draw.
    bool is_repeated(const PlayoutTurn& turn) requires(KIND == Kind::alter_igo) {
        const SeenPosition now = seen_position(turn);
        const bool drawn = is_drawn(now);
        seen_.push_back(now);
        return drawn;
    }

    // By the rules, or because the game has gone in a circle since the root.
    bool is_drawn(const SeenPosition& now) const requires(KIND == Kind::alter_igo) {
        // Whoever has better than a draw leaves a circle: nothing on it is worth more to who closes it.
        if (knows_draws() && std::find(seen_.begin(), seen_.end(), now) != seen_.end()) return true;
        const Hash key = key_of(now);
        // The root is one of the history.
        const auto again = std::count_if(seen_.begin() + 1, seen_.end(), [&](const SeenPosition& seen) { return key_of(seen) == key; });
        const auto before = root_.history.count(key) + again;
        return before + 1 >= start_.rules->repeat_count;
    }

    // Alter Igo: whether a move of the side to play, no lone suicide, would be a draw at once.
    bool would_draw(int move, const PlayoutTurn& turn) requires(KIND == Kind::alter_igo) {
        if (move == PASS) return false;
        const auto v = static_cast<Vertex>(move);
        const Colour mover = start_.order[turn.next];
        SeenPosition next{board_->hash() ^ ZOBRIST.stone(v, mover), mover == BLACK ? WHITE : BLACK, turn.passes_left};
        if (board_->takes(v, mover) || !board_->is_legal(v, mover)) {
            after_->copy_from(*board_);
            after_->play(v, mover);
            next.stones = after_->hash();
        }
        return is_drawn(next);
    }

    SeenPosition seen_position(const PlayoutTurn& turn) const requires(KIND == Kind::alter_igo) {
        return SeenPosition{board_->hash(), start_.order[turn.next], turn.passes_left};
    }

    // What the rules compare of it.
    Hash key_of(const SeenPosition& seen_position) const {
        return start_.rules->repetition == Repetition::situation ? seen_position.stones ^ ZOBRIST.side(seen_position.mover) : seen_position.stones;
    }

    // -- the tree ------------------------------------------------------------------------------------------------------

    void copy_known(Node& node, const Node& known) {
        std::vector<const Child*> found(static_cast<std::size_t>(start_.tables.points) + 1, nullptr);
        for (const Child& child : known) found[static_cast<std::size_t>(child.move + 1)] = &child;
        // Under a known throw the moves on other lines are not to be had: what was found of them counts no more.
        if constexpr (KIND == Kind::aleago)
            if (!start_.known.empty()) open_moves(node, start_.openings[start_.known[0]], start_.may_pass(start_.passes));
        for (Child& child : node) {
            const Child* const before = found[static_cast<std::size_t>(child.move + 1)];
            bool is_to_be_had = before != nullptr;
            if constexpr (KIND == Kind::aleago) is_to_be_had &= start_.known.empty() || is_open(child.move);
            if (!is_to_be_had) continue;
            const Proof proof = child.proof;
            new (&child) Child(*before);
            // What is a draw may be none any more, and the other way round.
            if (child.proof != Proof::won && child.proof != Proof::lost) child.proof = proof;
        }
    }

    // Gives a leaf children; null if another thread does, or if there is no memory.
    Node* grow(Child& child, const PlayoutTurn& turn) {
        Node* expected = nullptr;
        if (!child.node.compare_exchange_strong(expected, BEING_MADE, std::memory_order_relaxed)) return nullptr;
        const Node head = expand(turn, false);
        std::byte* const block = shared_.arena.take(size_of_node(fresh_.size(), lines()));
        Node* const made = block ? settle(block, head) : nullptr;
        child.node.store(made, std::memory_order_release);
        return made;
    }

    // How many flags a node has.
    std::size_t lines() const { return KIND == Kind::aleago ? static_cast<std::size_t>(start_.tables.buckets) : 0; }

    // Writes what `expand` found into a block.
    Node* settle(std::byte* block, Node head) {
        head.count = static_cast<std::uint32_t>(fresh_.size());
        Node* const node = new (block) Node(head);
        Child* child = node->begin();
        for (const Move& move : fresh_) {
            new (child) Child(move.games, move.won, move.move, settings_.rave);
            (child++)->proof = move.proof;
        }
        std::copy(room_.begin(), room_.end(), node->room());
        return node;
    }

    // Looks for the moves of the position on the board: the node without its children, which are then in `fresh_`.
    // Where nothing but avoided moves is left, they are looked at all the same.
    Node expand(const PlayoutTurn& turn, bool is_root) {
        depth_ = is_root ? 0 : static_cast<int>(path_.size());
        is_avoiding_ = depth_ < shared_.deepest[start_.order[turn.next]];
        const Node node = look(turn, is_root);
        if (!is_avoiding_ || !fresh_.empty()) return node;
        is_avoiding_ = false;
        return look(turn, is_root);
    }

    bool is_avoided(int move, Colour mover) const { return is_avoiding_ && shared_.avoids(mover, move, depth_); }

    Node look(const PlayoutTurn& turn, bool is_root) {
        Node node{nullptr, 0, start_.order[turn.next], KIND == Kind::pentalath, false, EMPTY};
        fresh_.clear();
        room_.clear();
        const Colour mover = node.mover;
        if constexpr (RICH)
            if (settings_.priors) priors_.look(*board_, turn);
        const auto may_place = board_->stones_of(mover) < start_.rules->supply[mover];
        const int points = may_place ? start_.tables.points : 0;
        const auto each = [&](auto wanted) {
            for (int point = 0; point < points; ++point) {
                const auto v = static_cast<Vertex>(point);
                if (board_->at(v) != EMPTY || (is_root && !root_.legal[v]) || is_avoided(point, mover)) continue;
                if (wanted(v)) add_child(point, mover);
            }
        };
        if constexpr (KIND == Kind::pentalath) {
            if (settings_.tactics && points > 0) add_forced(node, turn, each);
            if (fresh_.empty() && settings_.tactics && has_proofs_) add_threat(node, turn, is_root);
            if (fresh_.empty() && !node.is_over) {
                node.is_whole = true;
                each([&](Vertex v) { return board_->is_legal(v, mover); });
            }
            if (fresh_.empty() && !node.is_over) judge_blocked(node, turn);
        } else if constexpr (KIND == Kind::alter_igo) {
            each([&](Vertex v) { return !board_->is_eye(v, mover) && !board_->is_lone_suicide(v, mover); });
            const bool may_pass = mover == WHITE && turn.passes_left > 0;
            if (may_pass && !is_avoided(PASS, mover)) add_child(PASS, mover);
            if (fresh_.empty()) each([&](Vertex v) { return !board_->is_lone_suicide(v, mover); });
            if (fresh_.empty()) end(node, mover == BLACK ? WHITE : BLACK);
        } else {
            each([&](Vertex v) { return !board_->is_eye(v, mover) && board_->is_legal(v, mover); });
            // Who may not pass may have to fill an own eye.
            if constexpr (KIND == Kind::aleago)
                if (!start_.may_pass(turn.passes) && !fresh_.empty())
                    each([&](Vertex v) { return board_->is_eye(v, mover) && board_->is_legal(v, mover); });
            if (!is_avoided(PASS, mover)) add_child(PASS, mover);
        }
        if (is_avoiding_) node.is_whole = false;
        if constexpr (KIND == Kind::alter_igo)
            if (knows_draws())
                for (Move& move : fresh_)
                    if (would_draw(move.move, turn)) move.proof = Proof::drawn;
        if constexpr (KIND == Kind::aleago)
            for (int bucket = 0; bucket < start_.tables.buckets; ++bucket) room_.push_back(has_room(bucket, mover, is_root));
        return node;
    }

    void add_child(int move, Colour mover, Proof proof = Proof::none) {
        // A pass is rarely right while there is anything to play, but often where a chain is all there is.
        const bool is_idle = move == PASS && holder_ == EMPTY;
        Prior prior{settings_.even, is_idle ? settings_.even / 10 : settings_.even / 2};
        if constexpr (RICH)
            if (settings_.priors && move != PASS) {
                const Prior more = priors_.of(static_cast<Vertex>(move), mover);
                prior.add(more.games, more.won);
            }
        fresh_.push_back(Move{move, in_sixths(prior.games), in_sixths(prior.won), proof});
    }

    static void end(Node& node, Colour winner) {
        node.is_over = true;
        node.winner = winner;
    }

    // Pentalath: the fives of the side to move; or, if the next player threatens one, what prevents it or takes stones.
    template <class Each> void add_forced(Node& node, const PlayoutTurn& turn, Each each) requires(KIND == Kind::pentalath) {
        const Colour mover = node.mover;
        const Colour next = start_.order[turn.next + 1 == start_.order.size() ? 0 : turn.next + 1];
        if (board_->fours(mover) > 0) each([&](Vertex v) { return board_->makes_five(v, mover) && board_->is_legal(v, mover); });
        if (!fresh_.empty()) node.is_whole = false;
        else if (board_->fours(next) > 0) {
            bool is_threatened = false, is_whole = true;
            for (int place = 0; place < board_->empties(0); ++place) {
                const Vertex v = board_->empty(place);
                if (!board_->makes_five(v, next) || !board_->is_legal(v, next)) continue;
                is_threatened = true;
                is_whole &= board_->stays_legal(v, next);
            }
            if (is_threatened) {
                // What else there is loses at once, but for stones that make a five illegal.
                node.is_whole = is_whole;
                each([&](Vertex v) {
                    if (!board_->is_legal(v, mover)) return false;
                    return board_->takes(v, mover) || (board_->makes_five(v, next) && board_->is_legal(v, next));
                });
            }
        }
    }

    // Pentalath between two: the move that begins a win by threats; below the root the node is won.
    void add_threat(Node& node, const PlayoutTurn& turn, bool is_root) requires(KIND == Kind::pentalath) {
        const Colour next = start_.order[1 - turn.next];
        const Vertex found = threats_.find(*board_, node.mover, next, is_root ? THREATS_AT_ROOT : THREATS_AT_NODES);
        if (found == NOWHERE) return;
        if (!is_root) end(node, node.mover);
        else if (!is_avoided(found, node.mover)) add_child(found, node.mover, Proof::won);
    }

    // Pentalath: nobody to move has a move.
    void judge_blocked(Node& node, const PlayoutTurn& turn) {
        const NoMove rule = start_.rules->no_move;
        if (rule == NoMove::pass) add_child(PASS, node.mover);
        else if (rule == NoMove::loss && start_.rules->colours.size() == 2)
            end(node, start_.order[turn.next == 0 ? 1 : 0]);
        else end(node, EMPTY);
    }

    bool has_room(int bucket, Colour mover, bool is_root) const {
        const int begin = board_->begin(bucket);
        for (int k = 0; k < board_->empties(bucket); ++k) {
            const Vertex v = board_->empty(begin + k);
            if (is_root ? root_.legal[v] : board_->is_legal(v, mover, start_.rules->fallback_ko)) return true;
        }
        return false;
    }

    // The child to go on with from a node that was visited so often. Under a throw only the moves on the lines it opens
    // may be chosen, and a pass that is not free only if they have none.
    Child* select(Node& node, std::uint32_t visits, const OpenLines* opening, int passes) {
        if constexpr (KIND == Kind::aleago) open_moves(node, *opening, start_.may_pass(passes));
        // Games won that each move gets: they grow with the visits of the node, so that none is given up for good.
        const double bonus = GAME * settings_.exploration * std::sqrt(static_cast<double>(visits));
        const double a_later_game = a_later_game_;
        Child* best = node.end() - 1;
        double highest = -1;
        bool best_is_lost = true;
        for (Child& child : node) {
            if constexpr (KIND == Kind::aleago)
                if (!is_open(child.move)) continue;
            // The share of games won, of the own ones and of those in which the move came later, with one division.
            const double later = child.later_games;
            const double weight = 1 + later * a_later_game;
            const double games = child.games;
            const double of_all = 1 / (games * weight + later);
            const double won = (child.won * weight + child.later_won) * of_all;
            // What is won or lost by all moves is no reason to look at one after the other.
            double value = won + bonus * (weight * of_all) * (4 * won * (1 - won) + CERTAIN);
            if (games == 0) value = settings_.first_play + bonus;
            bool is_lost = false;
            if constexpr (KNOWS_PROOFS) {
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

    // The lines on which a stone may be placed: those of the throw, or the first one below that has room.
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
            // From here on, the first to play on a point is whoever moved there now.
            if (child.move >= 0) owner_[static_cast<std::size_t>(child.move) + 1] = node.mover;
            // Without a branch: whose point it became is a coin toss.
            const Colour mover = node.mover;
            const Colour* const owner = owner_.data() + 1;
            for (Child& other : node) {
                const std::uint32_t counts = owner[other.move] == mover;
                other.later_games += counts * GAME;
                other.later_won += counts * gained;
            }
        }
        if (has_proofs_ && is_over && !path_.empty()) prove(winner);
    }

    void count_score() {
        if (path_.empty()) return;
        const Node& root = *path_[0].node;
        if (scores_.empty()) scores_.resize(root.count);
        scores_[static_cast<std::size_t>(path_[0].child - root.begin())].add(margin_);
    }

    // Who was the first to play on each point in the playout; `next` is whose turn it was when it began.
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

    // Carries a game that is over up the tree, as far as it decides nodes. A draw decides nothing.
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
    double a_later_game_;  // so much a sixth of a later game adds to the weight of the own ones
    PlayoutStyle style_;
    Priors<B> priors_;
    struct None {
        explicit None(const PlayoutStart&) {}
    };
    [[no_unique_address]] std::conditional_t<KIND == Kind::pentalath, Threats, None> threats_;
    bool has_proofs_;
    std::unique_ptr<B> board_, after_;
    int depth_ = 0;       // of the node that is looked at
    bool is_avoiding_ = false;  // whether avoided moves are left out of the node that is looked at
    std::vector<Move> fresh_;
    std::vector<std::uint8_t> room_;
    std::vector<std::uint8_t> open_;
    bool may_pass_ = true;  // Aléago: in this turn
    std::vector<Step> path_;
    std::vector<int> moves_;
    std::vector<std::pair<int, Colour>> colours_;
    Colour holder_;  // of the target, EMPTY: there is none
    std::vector<Colour> owner_;  // of PASS, nobody, then of each point
    std::vector<std::int64_t> owned_;
    std::uint64_t counted_ = 0;
    std::vector<SeenPosition> seen_;
    std::array<double, 4> shares_{};
    std::vector<ScoreTally> scores_;
    double margin_ = 0;  // of the playout at hand
    std::uint64_t turns_ = 0;
    std::uint64_t done_ = 0;
};

}  // namespace kernel
