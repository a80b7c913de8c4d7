#include "tree.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>

#include "kinds.hpp"

namespace kernel {

namespace {

constexpr std::uint64_t BETWEEN_LOOKS = 16;  // playouts between two looks at the clock
constexpr auto BETWEEN_ASKING = std::chrono::milliseconds(20);
constexpr std::int32_t NO_NODE = -1;

enum class Proof : std::uint8_t { none, won, lost };  // for who moves there

struct Child {
    double games, won;            // with the virtual ones
    double later_games, later_won;  // of playouts in which the move came later, with the virtual ones
    std::int32_t node;
    std::int16_t move;  // a point or PASS
    Proof proof;
};

struct Node {
    std::size_t first;  // of its children
    int count;
    Colour mover;
    bool is_whole;    // whether the children are all the moves there are
    bool is_over;     // nobody can move: `winner` has won, EMPTY is a draw
    Colour winner;
    std::size_t room;  // Aléago: where its flags begin, one for each line that has a legal point
};

template <Kind KIND> class Tree {
  public:
    // Alter Igo needs the hash, Pentalath the fours.
    static constexpr bool RICH = KIND == Kind::alter_igo || KIND == Kind::pentalath;
    using B = Board<KIND, RICH>;

    Tree(const State& root, const Settings& settings)
        : settings_(settings),
          start_(root),
          before_(board_at<B>(start_)),
          board_(std::make_unique<B>(start_.ground)),
          legal_(static_cast<std::size_t>(start_.ground.points), 0),
          owner_(static_cast<std::size_t>(start_.ground.points) + 1, EMPTY),
          history_(root.history) {
        for (const Vertex point : root.legal_points()) legal_[point] = 1;
        if (KIND != Kind::pentalath && KIND != Kind::alter_igo) settings_.proofs = false;
        if (start_.order.size() != 2) settings_.proofs = false;
        board_->copy_from(*before_);
        expand(start_.moment(), true);
    }

    Found run(const std::function<bool()>& ask) {
        const auto begun = std::chrono::steady_clock::now();
        auto asked = begun;
        std::uint64_t done = 0;
        while (settings_.playouts == 0 || done < settings_.playouts) {
            simulate(done++);
            if (is_decided()) break;
            if (done % BETWEEN_LOOKS != 0) continue;
            const auto now = std::chrono::steady_clock::now();
            if (settings_.seconds > 0 && std::chrono::duration<double>(now - begun).count() >= settings_.seconds) break;
            if (now - asked > BETWEEN_ASKING) {
                if (!ask()) break;
                asked = now;
            }
        }
        return found(done);
    }

  private:
    struct Step {
        std::int32_t node;
        std::size_t child;
    };

    // -- one playout ---------------------------------------------------------------------------------------------------

    void simulate(std::uint64_t index) {
        board_->copy_from(*before_);
        Rng rng = Rng::of_playout(settings_.seed, index);
        Moment moment = start_.moment();
        path_.clear();
        moves_.clear();
        seen_.clear();
        std::int32_t node = 0;
        Colour winner = EMPTY;
        bool is_over = false;
        while (true) {
            const Node& here = nodes_[static_cast<std::size_t>(node)];
            if (here.is_over) {
                winner = here.winner;
                is_over = true;
                break;
            }
            const std::size_t index_of_child = select(here, throw_dice(moment, rng));
            path_.push_back(Step{node, index_of_child});
            const Child& child = children_[index_of_child];
            is_over = step(moment, child.move, winner);
            if (is_over) break;
            if (child.node != NO_NODE) {
                node = child.node;
                continue;
            }
            if (visits_of(child) + 1 >= settings_.expand_at && children_.size() < settings_.most_children) {
                const std::int32_t made = expand(moment, false);
                children_[index_of_child].node = made;
                const Node& leaf = nodes_[static_cast<std::size_t>(made)];
                if (leaf.is_over) {
                    winner = leaf.winner;
                    is_over = true;
                }
            }
            break;
        }
        if (!is_over) {
            Playout<KIND, RICH, Recording> playout(start_, *board_, rng, Recording{&moves_}, moment, settings_.tactics);
            const Ending ending = playout.run();
            winner = ending.winner;
            turns_ += static_cast<std::uint64_t>(ending.turns);
        } else {
            turns_ += static_cast<std::uint64_t>(moment.turns);
        }
        update(winner, moment.next, is_over);
    }

    // Aléago: the lines that are open in this turn; null elsewhere.
    const Opening* throw_dice(Moment& moment, Rng& rng) const {
        if constexpr (KIND == Kind::aleago) return &start_.openings[start_.draw(moment, rng)];
        return nullptr;
    }

    // Carries out a move of the tree; whether the game is over, and who has won then.
    bool step(Moment& moment, int move, Colour& winner) {
        const Colour mover = start_.order[moment.next];
        moment.next = moment.next + 1 == start_.order.size() ? 0 : moment.next + 1;
        ++moment.turns;
        if (move == PASS) {
            ++moment.passes;
            if constexpr (KIND == Kind::alter_igo) {
                --moment.passes_left;
                return false;
            }
            board_->set_ko(NOWHERE);
            if constexpr (KIND == Kind::pentalath) {
                return moment.passes >= static_cast<int>(start_.order.size());
            }
            Playout<KIND, RICH, Silent> judge(start_, *board_, Rng(0), Silent{}, moment);
            if (!judge.is_ended_by(moment.passes)) return false;
            winner = judge.winner();
            return true;
        }
        moment.passes = 0;
        board_->play(static_cast<Vertex>(move), mover);
        if constexpr (KIND == Kind::pentalath) {
            if (!board_->has_five()) return false;
            winner = mover;
            return true;
        }
        if constexpr (KIND == Kind::alter_igo) return is_repeated(start_.order[moment.next]);
        return false;
    }

    // Alter Igo: whether the board has now occurred so often that the game is drawn.
    bool is_repeated(Colour mover) requires(KIND == Kind::alter_igo) {
        const bool tells_sides = start_.rules->repetition == Repetition::situation;
        const Hash key = tells_sides ? board_->hash() ^ ZOBRIST.side(mover) : board_->hash();
        const auto found = history_.find(key);
        const auto before = (found == history_.end() ? 0 : found->second) + std::count(seen_.begin(), seen_.end(), key);
        seen_.push_back(key);
        return before + 1 >= start_.rules->repeat_count;
    }

    // -- the tree ------------------------------------------------------------------------------------------------------

    double visits_of(const Child& child) const { return child.games - settings_.even; }

    // Makes a node of the position on the board: its number.
    std::int32_t expand(const Moment& moment, bool is_root) {
        Node node{children_.size(), 0, start_.order[moment.next], KIND == Kind::pentalath, false, EMPTY, room_.size()};
        const Colour mover = node.mover;
        const auto may_place = board_->stones_of(mover) < start_.rules->supply;
        const int points = may_place ? start_.ground.points : 0;
        const auto each = [&](auto wanted) {
            for (int point = 0; point < points; ++point) {
                const auto v = static_cast<Vertex>(point);
                if (board_->at(v) == EMPTY && (!is_root || legal_[v]) && wanted(v)) add_child(point);
            }
        };
        if constexpr (KIND == Kind::pentalath) {
            if (settings_.tactics && points > 0) add_forced(node, moment, each);
            if (children_.size() == node.first) each([&](Vertex v) { return board_->is_legal(v, mover); });
            if (children_.size() == node.first) judge_blocked(node, moment);
        } else if constexpr (KIND == Kind::alter_igo) {
            each([&](Vertex v) { return !board_->is_eye(v, mover) && !board_->is_lone_suicide(v, mover); });
            const bool may_pass = mover == WHITE && moment.passes_left > 0;
            if (may_pass) add_child(PASS);
            if (children_.size() == node.first) each([&](Vertex v) { return !board_->is_lone_suicide(v, mover); });
            if (children_.size() == node.first) end(node, mover == BLACK ? WHITE : BLACK);
        } else {
            each([&](Vertex v) { return !board_->is_eye(v, mover) && board_->is_legal(v, mover); });
            add_child(PASS);
        }
        if constexpr (KIND == Kind::aleago)
            for (int bucket = 0; bucket < start_.ground.buckets; ++bucket) room_.push_back(has_room(bucket, mover, is_root));
        node.count = static_cast<int>(children_.size() - node.first);
        nodes_.push_back(node);
        return static_cast<std::int32_t>(nodes_.size() - 1);
    }

    void add_child(int move) {
        const double even = settings_.even;
        // A pass is rarely right while there is anything to play.
        const double won = move == PASS ? even / 10 : even / 2;
        children_.push_back(Child{even, won, even, won, NO_NODE, static_cast<std::int16_t>(move), Proof::none});
    }

    static void end(Node& node, Colour winner) {
        node.is_over = true;
        node.winner = winner;
    }

    // Pentalath: the fives of the side to move; or, if the next player threatens one, what prevents it or takes stones.
    template <class Each> void add_forced(Node& node, const Moment& moment, Each each) requires(KIND == Kind::pentalath) {
        const Colour mover = node.mover;
        const Colour next = start_.order[moment.next + 1 == start_.order.size() ? 0 : moment.next + 1];
        if (board_->fours(mover) > 0) each([&](Vertex v) { return board_->makes_five(v, mover) && board_->is_legal(v, mover); });
        if (children_.size() == node.first && board_->fours(next) > 0) {
            bool is_threatened = false;
            for (int place = 0; place < board_->empties(0) && !is_threatened; ++place) {
                const Vertex v = board_->empty(place);
                is_threatened = board_->makes_five(v, next) && board_->is_legal(v, next);
            }
            if (is_threatened)
                each([&](Vertex v) {
                    if (!board_->is_legal(v, mover)) return false;
                    return board_->takes(v, mover) || (board_->makes_five(v, next) && board_->is_legal(v, next));
                });
        }
        node.is_whole = children_.size() == node.first;
    }

    // Pentalath: nobody to move has a move.
    void judge_blocked(Node& node, const Moment& moment) {
        const NoMove rule = start_.rules->no_move;
        if (rule == NoMove::pass) add_child(PASS);
        else if (rule == NoMove::loss && start_.rules->colours.size() == 2)
            end(node, start_.order[moment.next == 0 ? 1 : 0]);
        else end(node, EMPTY);
    }

    bool has_room(int bucket, Colour mover, bool is_root) const {
        const int begin = board_->begin(bucket);
        for (int k = 0; k < board_->empties(bucket); ++k) {
            const Vertex v = board_->empty(begin + k);
            if (is_root ? legal_[v] : board_->is_legal(v, mover, start_.rules->fallback_ko)) return true;
        }
        return false;
    }

    // The child to go on with. Under a throw only the moves on the lines it opens may be chosen.
    std::size_t select(const Node& node, const Opening* opening) {
        if constexpr (KIND == Kind::aleago) open_buckets(node, *opening);
        double total = 0;
        if (settings_.exploration > 0)
            for (int k = 0; k < node.count; ++k) total += children_[node.first + static_cast<std::size_t>(k)].games;
        const double bonus = settings_.exploration > 0 ? settings_.exploration * std::sqrt(std::log(total + 1)) : 0;
        std::size_t best = node.first + static_cast<std::size_t>(node.count) - 1;
        double highest = -1;
        bool best_is_lost = true;
        for (std::size_t index = node.first; index < node.first + static_cast<std::size_t>(node.count); ++index) {
            const Child& child = children_[index];
            if constexpr (KIND == Kind::aleago)
                if (child.move != PASS && !open_[start_.ground.bucket_of[static_cast<std::size_t>(child.move)]]) continue;
            if (child.proof == Proof::won) return index;
            const bool is_lost = child.proof == Proof::lost;
            if (is_lost && !best_is_lost) continue;
            const double value = value_of(child, bonus);
            if (value > highest || (best_is_lost && !is_lost)) {
                highest = value;
                best = index;
                best_is_lost = is_lost;
            }
        }
        return best;
    }

    double value_of(const Child& child, double bonus) const {
        if (child.games == 0) return settings_.first_play + bonus;
        double value = child.won / child.games;
        if (settings_.rave && child.later_games > 0) {
            const double later = child.later_games, games = child.games;
            const double weight = later / (later + games + games * later / settings_.equivalence);
            value = (1 - weight) * value + weight * (child.later_won / later);
        }
        return bonus > 0 ? value + bonus / std::sqrt(child.games) : value;
    }

    // The lines on which a stone may be placed: those of the throw, or the first one below that has room.
    void open_buckets(const Node& node, const Opening& opening) {
        open_.assign(static_cast<std::size_t>(start_.ground.buckets), 0);
        bool has_any = false;
        for (const int bucket : opening.buckets) has_any |= room_[node.room + static_cast<std::size_t>(bucket)] != 0;
        if (has_any) {
            for (const int bucket : opening.buckets) open_[static_cast<std::size_t>(bucket)] = 1;
            return;
        }
        for (int bucket = opening.below - 1; bucket >= 0; --bucket)
            if (room_[node.room + static_cast<std::size_t>(bucket)]) {
                open_[static_cast<std::size_t>(bucket)] = 1;
                return;
            }
    }

    // -- what a playout told -------------------------------------------------------------------------------------------

    double share(Colour winner, Colour colour) const {
        if (winner == EMPTY) return 1.0 / static_cast<double>(start_.order.size());
        return winner == colour ? 1 : 0;
    }

    void update(Colour winner, std::size_t next, bool is_over) {
        for (const Colour colour : start_.order) shares_[colour] += share(winner, colour);
        if (settings_.rave) tell_later(next);
        for (std::size_t depth = path_.size(); depth-- > 0;) {
            const Node& node = nodes_[static_cast<std::size_t>(path_[depth].node)];
            Child& child = children_[path_[depth].child];
            const double gained = share(winner, node.mover);
            child.games += 1;
            child.won += gained;
            if (!settings_.rave) continue;
            // From here on, the first to play on a point is whoever moved there now.
            if (child.move >= 0) owner_[static_cast<std::size_t>(child.move)] = node.mover;
            for (std::size_t index = node.first; index < node.first + static_cast<std::size_t>(node.count); ++index) {
                Child& other = children_[index];
                if (other.move < 0 || owner_[static_cast<std::size_t>(other.move)] != node.mover) continue;
                other.later_games += 1;
                other.later_won += gained;
            }
        }
        if (settings_.proofs && is_over && !path_.empty()) prove(winner);
    }

    // Who was the first to play on each point in the playout; `next` is whose turn it was when it began.
    void tell_later(std::size_t next) {
        std::fill(owner_.begin(), owner_.end(), EMPTY);
        colours_.clear();
        for (const int move : moves_) {
            if (move <= ENDED) continue;
            colours_.push_back(std::pair{move, start_.order[next]});
            next = next + 1 == start_.order.size() ? 0 : next + 1;
        }
        for (std::size_t i = colours_.size(); i-- > 0;)
            if (colours_[i].first >= 0) owner_[static_cast<std::size_t>(colours_[i].first)] = colours_[i].second;
    }

    // Carries a game that is over up the tree, as far as it decides nodes. A draw decides nothing.
    void prove(Colour winner) {
        if (winner == EMPTY) return;
        for (std::size_t depth = path_.size(); depth-- > 0;) {
            const Node& node = nodes_[static_cast<std::size_t>(path_[depth].node)];
            Child& child = children_[path_[depth].child];
            child.proof = winner == node.mover ? Proof::won : Proof::lost;
            if (child.proof == Proof::won) {
                winner = node.mover;
                continue;
            }
            // A lost move loses the node only if every move was looked at.
            if (!all_lost(node)) return;
        }
    }

    bool all_lost(const Node& node) const {
        if (!node.is_whole) return false;
        for (std::size_t index = node.first; index < node.first + static_cast<std::size_t>(node.count); ++index)
            if (children_[index].proof != Proof::lost) return false;
        return true;
    }

    bool is_decided() const {
        const Node& root = nodes_[0];
        if (root.is_over || root.count <= 1) return true;
        if (!settings_.proofs) return false;
        for (std::size_t index = root.first; index < root.first + static_cast<std::size_t>(root.count); ++index)
            if (children_[index].proof == Proof::won) return true;
        return all_lost(root);
    }

    // -- the answer ----------------------------------------------------------------------------------------------------

    // The child that is visited most, a won one before all, a lost one only if there is no other; NONE without children.
    std::size_t best_of(const Node& node) const {
        std::size_t best = node.first;
        for (std::size_t index = node.first; index < node.first + static_cast<std::size_t>(node.count); ++index) {
            const Child &a = children_[index], &b = children_[best];
            const int rank_a = rank(a), rank_b = rank(b);
            if (rank_a > rank_b || (rank_a == rank_b && a.games > b.games)) best = index;
        }
        return best;
    }

    static int rank(const Child& child) { return child.proof == Proof::won ? 2 : child.proof == Proof::lost ? 0 : 1; }

    Found found(std::uint64_t done) const {
        Found answer;
        answer.playouts = done;
        answer.turns = turns_;
        for (const Colour colour : start_.rules->colours)
            answer.values.push_back(done ? shares_[colour] / static_cast<double>(done) : 0);
        const Node* node = &nodes_[0];
        for (std::size_t index = node->first; index < node->first + static_cast<std::size_t>(node->count); ++index)
            answer.visits.emplace_back(children_[index].move, static_cast<std::uint64_t>(visits_of(children_[index])));
        while (node->count > 0) {
            const Child& best = children_[best_of(*node)];
            if (node != &nodes_[0] && visits_of(best) < 1) break;
            answer.principal.push_back(best.move);
            if (best.node == NO_NODE) break;
            node = &nodes_[static_cast<std::size_t>(best.node)];
        }
        if (!answer.principal.empty()) answer.action = answer.principal[0];
        return answer;
    }

    Settings settings_;
    Start start_;
    std::unique_ptr<B> before_, board_;
    std::vector<std::uint8_t> legal_;
    std::vector<Node> nodes_;
    std::vector<Child> children_;
    std::vector<std::uint8_t> room_;
    std::vector<std::uint8_t> open_;
    std::vector<Step> path_;
    std::vector<int> moves_;
    std::vector<std::pair<int, Colour>> colours_;
    std::vector<Colour> owner_;
    std::vector<Hash> seen_;
    std::array<double, 4> shares_{};
    std::uint64_t turns_ = 0;
    std::unordered_map<Hash, int, HashOfHash> history_;
};

}  // namespace

Found search(const State& root, const Settings& settings, const std::function<bool()>& ask) {
    if (root.is_final()) return Found{};
    return with_kind(root.rules->game, [&](auto kind) { return Tree<decltype(kind)::value>(root, settings).run(ask); });
}

}  // namespace kernel
