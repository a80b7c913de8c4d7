// The growth of the tree: leaves, their values, and the steps from move to move. puct_choice.cpp chooses moves.
#include "puct.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <utility>

#include "forced_moves.hpp"
#include "puct_nodes.hpp"
#include "random_variables.hpp"

namespace kernel {

namespace {

// KataGo's scoreUtility: a lead of this many times the root of the number of points is large.
constexpr double SCORE_SCALE = 0.75;

// Visits after which better priors are requested, if available; for the root at once, unless fewer playouts follow.
// With eight symmetries this takes a twentieth of the time of 2,000 playouts.
constexpr std::uint32_t ASKED_AGAIN_AFTER = 64;

// Share of the memory for nodes and edges. The rest is for gaps between them, waiting leaves and evaluators.
constexpr double USABLE = 0.98;

// Returns the totals of known draws; 0 for a turn without dice.
std::vector<int> throws_of(const State& state) {
    std::vector<int> totals;
    for (const int draw : state.draws) totals.push_back(draw == state.dice.outcomes() ? 0 : state.dice.total(draw));
    return totals;
}

// Returns each colour's share at an end, in turn order; a draw is shared by those still in the game.
std::array<double, 3> shares_of(const State& state, Colour winner) {
    std::array<double, 3> shares{};
    const std::vector<Colour>& colours = state.rules->colours;
    const double staying = static_cast<double>(colours.size() - state.out.size());
    for (std::size_t seat = 0; seat < colours.size(); ++seat) {
        if (winner == EMPTY) shares[seat] = state.is_out(colours[seat]) ? 0 : 1 / staying;
        else shares[seat] = colours[seat] == winner ? 1 : 0;
    }
    return shares;
}

}  // namespace

std::shared_ptr<const OwnerSums> OwnerSums::add(const OwnerSums* before, const float* owners, std::size_t points) {
    const auto after = before ? std::make_shared<OwnerSums>(*before) : std::make_shared<OwnerSums>();
    ++after->count;
    after->sums.resize(points);
    after->squares.resize(points);
    for (std::size_t point = 0; point < points; ++point) {
        const double owner{owners[point]};
        after->sums[point] += owner;
        after->squares[point] += owner * owner;
    }
    return after;
}

std::vector<double> OwnerSums::means() const {
    std::vector<double> means;
    for (const double sum : sums) means.push_back(sum / static_cast<double>(count));
    return means;
}

PuctTree::PuctTree(const State& root, const PuctSettings& settings, const std::vector<Avoided>& avoided)
    : settings_(settings), avoided_(avoided), state_(root), nodes_(std::make_unique<NodeStore>()),
      mask_(static_cast<std::size_t>(root.rules->policy_size())) {
    // Scored games are never proved, and dice leave nothing to prove.
    has_proofs_ = settings.proofs && !root.rules->is_go_family();
    has_circles_ = has_proofs_ && root.rules->repetition != Repetition::none;
    go_on(root, nullptr);
}

PuctTree::~PuctTree() = default;

// -- from move to move ------------------------------------------------------------------------------------------------

void PuctTree::go_on(const State& root, const std::vector<int>* moves) {
    discard();
    Node* known = nullptr;
    if (moves && root_ && settings_.noise <= 0 && settings_.gumbel <= 0)
        find(*root_, state_, *moves, 0, throws_of(root), known);
    state_ = State(root);
    if (!known || !known->is_known || known->is_over) {
        make_root(root);
    } else if (known != root_) {
        try {
            cut_off(*known);
            drop(*std::exchange(root_, known));
        } catch (...) {
            // Without memory for the walk nothing is kept.
            make_root(root);
            throw;
        }
    }
    nodes_->pack(root_);
    root_priors_.clear();
    for (const Edge& edge : root_->edges) root_priors_.push_back(edge.prior);
    has_scores_ = has_scores_ && root_->is_known;
    has_draws_ = has_draws_ && root_->is_known;
    if (has_scores_ && root_->count > 0) centre_ = root_->lead / root_->count;
    owners_ = nullptr;
    owners_after_.clear();
    begin(0);
}

// Finds the node reached by `moves`, whatever was thrown in between; the most visited of several.
void PuctTree::find(Node& node, const State& state, const std::vector<int>& moves, std::size_t next,
                    const std::vector<int>& wanted, Node*& best) const {
    const bool is_there = next == moves.size();
    if (is_there && throws_of(state) == wanted && (!best || node.count > best->count)) best = &node;
    if (is_there && !node.is_chance) return;
    for (const Edge& edge : node.edges) {
        if (!edge.below || !(node.is_chance || edge.move == moves[next])) continue;
        State after = state;
        if (after.play(edge.move) == Refusal::none) find(*edge.below, after, moves, node.is_chance ? next : next + 1, wanted, best);
    }
}

// Takes a node below the root out of the tree.
void PuctTree::cut_off(const Node& wanted) {
    std::vector<Node*> left{root_};
    while (!left.empty()) {
        Node* const node = left.back();
        left.pop_back();
        for (Edge& edge : node->edges) {
            if (edge.below == &wanted) {
                edge.below = nullptr;
                return;
            }
            if (edge.below) left.push_back(edge.below);
        }
    }
    throw std::logic_error("a node that is not in the tree");
}

// Frees a node and all below it without deep recursion.
void PuctTree::drop(Node& first) {
    std::vector<Node*> left{&first};
    while (!left.empty()) {
        Node* const node = left.back();
        left.pop_back();
        for (const Edge& edge : node->edges)
            if (edge.below) left.push_back(edge.below);
        nodes_->drop(*node);
    }
}

// -- collect leaves, bring their values back --------------------------------------------------------------------------

void PuctTree::begin(std::uint64_t playouts) {
    planned_ = playouts;
    playouts_ = turns_ = 0;
    gumbels_.clear();
    considered_.clear();
}

int PuctTree::collect(Leaves& leaves, int most, std::uint64_t playouts, int first, LeafWriter& writer) {
    std::vector<Path> blocked;
    std::uint64_t begun = 0;
    State state = state_;
    for (int i = 0; i < 2 * most && static_cast<int>(leaves.size()) < most && begun < playouts; ++i) {
        state = state_;
        Path path;
        Node& node = *descend(state, path, begun, writer.knows_more());
        if (node.is_over || (has_proofs_ && node.proof != Node::NOT_PROVED && !path.empty())) {
            update_path(path, node, exact_value(node));
            if (has_proofs_) prove(path);
            ++begun;
        } else if (node.is_known) {
            ask_again(leaves, node, path, state, first + static_cast<int>(leaves.size()), writer);
        } else if (node.is_asked) {
            blocked.push_back(std::move(path));
            if (blocked.back().empty() || settings_.gumbel > 0) break;
        } else {
            begun += length(path) > 0;
            ask(leaves, node, path, state, first + static_cast<int>(leaves.size()), writer);
        }
    }
    for (const Path& path : blocked) leave(path);
    return static_cast<int>(leaves.size());
}

// Gives the shares of players that have left the game to the others; an evaluator may not know of them.
void PuctTree::share_among_players(Value& value) const {
    const std::vector<Colour>& colours = state_.rules->colours;
    double total = 0;
    std::size_t players = 0;
    for (std::size_t seat = 0; seat < colours.size(); ++seat) {
        if (state_.is_out(colours[seat])) {
            value.shares[seat] = 0;
        } else {
            total += value.shares[seat];
            ++players;
        }
    }
    for (std::size_t seat = 0; seat < colours.size(); ++seat)
        if (!state_.is_out(colours[seat]))
            value.shares[seat] = total > 0 ? value.shares[seat] / total : 1.0 / static_cast<double>(players);
}

void PuctTree::update(Leaves& leaves, const float* priors, const float* values, const LeafDetails* details,
                      bool may_grow) {
    for (std::size_t row = 0; row < leaves.size(); ++row) {
        const Asked& asked = leaves[row];
        const float* const of_moves = priors + row * actions();
        if (asked.is_again) {
            replace_priors(asked, of_moves);
            continue;
        }
        const Value value = read_value(asked, values + row * colours(), details ? details + row : nullptr);
        bring_back(asked, of_moves, value, may_grow);
    }
    leaves.clear();
}

// Replaces a node's priors after a second evaluation; its values stay.
void PuctTree::replace_priors(const Asked& asked, const float* priors) {
    set_priors(*asked.node, priors);
    if (asked.node == root_) prepare_root();
    leave(asked.path);
}

// Reads the evaluation of a leaf and counts the owners of its points.
PuctTree::Value PuctTree::read_value(const Asked& asked, const float* shares, const LeafDetails* details) {
    Value value;
    std::copy_n(shares, colours(), value.shares.begin());
    if (!state_.out.empty()) share_among_players(value);
    if (!details) return value;
    value.draw = details->draw;
    value.playout_change = details->playout_change;
    has_draws_ = true;
    if (!details->has_score) return value;
    value.lead = details->lead;
    value.square = details->lead * details->lead + details->spread * details->spread;
    if (details->owners) add_owners(asked.path, details->owners);
    if (!has_scores_ && asked.node == root_) centre_ = value.lead;
    has_scores_ = true;
    return value;
}

// Gives a leaf its moves, if there is room for them, and backs up its value.
void PuctTree::bring_back(const Asked& asked, const float* priors, const Value& value, bool may_grow) {
    Node& node = *asked.node;
    node.is_asked = false;
    node.judged = value.shares[node.seat];
    const bool is_root = &node == root_;
    if (node.is_chance) {
        // The priors of throws are their odds.
        node.is_known = true;
    } else if (may_grow || is_root || !is_full()) {
        grow(node, asked.moves);
        set_priors(node, priors);
        if (is_root) prepare_root();
    }
    update_path(asked.path, node, value);
}

// Drops the moves of nodes whose visits have fewer than `least` binary digits, and all below them. Chance nodes keep
// their throws as long as a move leads to them.
void PuctTree::prune() {
    constexpr std::size_t NEVER = 33;  // more digits than visits have
    // A node, and the depths of pruning that remove it and its moves.
    struct Place {
        Node* node;
        std::size_t own, moves;
    };
    const auto walk = [this](auto act) {
        std::vector<Place> left{{root_, NEVER, NEVER}};
        while (!left.empty()) {
            const Place place = left.back();
            left.pop_back();
            if (!act(place)) continue;
            for (const Edge& edge : place.node->edges) {
                if (!edge.below) continue;
                const std::size_t digits = edge.in_flight > 0 ? NEVER : static_cast<std::size_t>(std::bit_width(edge.visits));
                left.push_back({edge.below, place.moves, edge.below->is_chance ? place.moves : std::min(place.moves, digits)});
            }
        }
    };
    std::array<std::uint64_t, NEVER + 1> bytes{};
    walk([&bytes](const Place& place) {
        bytes[place.own] += NodeStore::NODE_BYTES;
        bytes[place.moves] += NodeStore::bytes_of(place.node->edges.size());
        return true;
    });
    std::size_t least = 0;
    std::uint64_t kept = nodes_->bytes();
    for (; least < NEVER && static_cast<double>(kept) > most_bytes() / 2; ++least) kept -= bytes[least];
    walk([this, least](const Place& place) {
        if (place.moves >= least) return true;
        for (const Edge& edge : place.node->edges)
            if (edge.below) drop(*edge.below);
        nodes_->drop_edges(*place.node);
        place.node->is_known = place.node->is_asked_again = false;
        return false;
    });
    nodes_->pack_edges();
}

// Gives a node its moves.
void PuctTree::grow(Node& node, const std::vector<int>& moves) {
    nodes_->add_edges(node, moves.size());
    for (std::size_t child = 0; child < moves.size(); ++child) new (&node.edges[child]) Edge(moves[child]);
}

// Sets the evaluator's priors on the moves of a node.
void PuctTree::set_priors(Node& node, const float* priors) const {
    node.is_known = true;
    double total = 0;
    for (Edge& edge : node.edges) {
        edge.prior = double{priors[state_.rules->index_of(edge.move)]};
        total += edge.prior;
    }
    for (Edge& edge : node.edges) edge.prior = total > 0 ? edge.prior / total : 1 / static_cast<double>(node.edges.size());
}

void PuctTree::discard(Leaves& leaves) {
    for (Asked& asked : leaves) {
        (asked.is_again ? asked.node->is_asked_again : asked.node->is_asked) = false;
        leave(asked.path);
    }
    leaves.clear();
}

// Returns whether a second evaluation of a node's priors is worthwhile.
bool PuctTree::deserves_more(const Node& node) const {
    if (node.is_asked_again || node.is_chance || node.edges.size() < 2) return false;
    const bool is_long = planned_ == 0 || planned_ >= ASKED_AGAIN_AFTER;
    return node.count >= (&node == root_ && is_long ? 1 : ASKED_AGAIN_AFTER);
}

std::uint64_t PuctTree::playouts_of(const Leaves& leaves) {
    return static_cast<std::uint64_t>(
        std::count_if(leaves.begin(), leaves.end(), [](const Asked& asked) { return !asked.is_again && length(asked.path) > 0; }));
}

// Descends from the root to a leaf, an end, or a node to be evaluated again; `state` follows.
PuctTree::Node* PuctTree::descend(State& state, Path& path, std::uint64_t begun, bool asks_again) {
    Node* node = root_;
    std::vector<SeenPosition> seen;
    if (has_circles_) closes_circle(state, seen);
    while (!node->is_over && node->is_known && (path.empty() || node->proof == Node::NOT_PROVED)) {
        if (asks_again && deserves_more(*node)) break;
        std::uint32_t child = 0;
        if (node->is_chance) child = select_outcome(*node);
        else if (node == root_ && settings_.gumbel > 0) child = select_by_halving(*node, playouts_ + begun);
        else child = select(*node);
        Edge& edge = node->edges[child];
        ++edge.in_flight;
        ++node->waiting;
        path.emplace_back(node, child);
        if (state.play(edge.move) != Refusal::none) throw std::logic_error("a move of the tree is not legal");
        const bool is_circle = has_circles_ && closes_circle(state, seen);
        if (!edge.below) {
            // A throw never ends a game; dice may be thrown after an end at the root that players can still undo.
            Node& below = nodes_->make();
            edge.below = &below;
            set_up(below, state, !node->is_chance, is_circle);
        }
        node = edge.below;
    }
    return node;
}

// Records a position and returns whether it was on the path before. A player with better than a draw leaves a circle.
bool PuctTree::closes_circle(const State& state, std::vector<SeenPosition>& seen) {
    const SeenPosition now{state.hash(), state.mover, state.passes_left};
    const bool is_known = std::find(seen.begin(), seen.end(), now) != seen.end();
    seen.push_back(now);
    return is_known;
}

// A throw at the root offers no choice: its results are looked at at once.
void PuctTree::make_root(const State& state) {
    nodes_->clear();
    root_ = &nodes_->make();
    set_up(*root_, state, false);
    root_->is_known |= root_->is_chance;
}

// Sets the known facts of a new node's position.
void PuctTree::set_up(Node& node, const State& state, bool may_be_over, bool is_circle) {
    const auto& colours = state.rules->colours;
    node.seat = static_cast<std::uint8_t>(std::find(colours.begin(), colours.end(), state.mover) - colours.begin());
    std::optional<Outcome> outcome = may_be_over ? state.outcome() : std::nullopt;
    if (!outcome && is_circle) outcome = Outcome{EMPTY, How::repetition, 0};
    if (!outcome) {
        if (state.to_play() == CHANCE) set_up_chance(node, state);
        return;
    }
    node.is_over = true;
    node.proof = static_cast<std::int8_t>(outcome->winner);
    if (outcome->winner != EMPTY && colours.size() == 2) {
        node.lead = outcome->winner == colours[0] ? outcome->margin : -outcome->margin;
        node.square = node.lead * node.lead;
    }
    node.total = shares_of(state, outcome->winner);
}

// Throws with the same total are one outcome.
void PuctTree::set_up_chance(Node& node, const State& state) {
    const std::vector<int> thrown = state.rules->thrown_outcomes(state.dice);
    const double odds = 1 / static_cast<double>(thrown.size());
    std::vector<int> totals, outcomes;
    std::vector<double> priors;
    for (const int outcome_number : thrown) {
        const int total = state.dice.total(outcome_number);
        const auto same = std::find(totals.begin(), totals.end(), total);
        if (same == totals.end()) {
            totals.push_back(total);
            outcomes.push_back(outcome_number);
            priors.push_back(odds);
        } else {
            priors[static_cast<std::size_t>(same - totals.begin())] += odds;
        }
    }
    grow(node, outcomes);
    for (std::size_t child = 0; child < priors.size(); ++child) node.edges[child].prior = priors[child];
    node.is_chance = true;
    node.is_known = !settings_.chance_values;
}

void PuctTree::mark_legal(const State& state) {
    for (const int move : state.legal()) mask_[static_cast<std::size_t>(state.rules->index_of(move))] = 1;
}

// Returns the moves of a leaf: those of the mask, without avoided ones if others are left.
std::vector<int> PuctTree::moves_of(Node& node, const Path& path, const State& state) {
    std::vector<int> moves;
    moves.reserve(mask_.size());
    const Rules& rules = *state.rules;
    mark_legal(state);
    const std::uint64_t depth = length(path);
    const auto is_avoided = [&](int move) {
        return std::any_of(avoided_.begin(), avoided_.end(), [&](const Avoided& each) {
            return each.colour == state.mover && each.move == move && depth < static_cast<std::uint64_t>(std::max(0, each.depth));
        });
    };
    const ForcedMoves forced = settings_.tactics ? find_forced_moves(state, mask_.data()) : ForcedMoves{};
    const auto is_forced = [&](int move) {
        return forced.points.empty() || move < 0 || std::find(forced.points.begin(), forced.points.end(), move) != forced.points.end();
    };
    for (const bool looks_at_all : {false, true}) {
        bool leaves_out = false;
        for (std::size_t index = 0; index < mask_.size(); ++index) {
            const int move = rules.action_of(static_cast<int>(index));
            if (!mask_[index] || !is_forced(move)) continue;
            if (looks_at_all || !is_avoided(move)) moves.push_back(move);
            else leaves_out = true;
        }
        node.is_whole = forced.is_all && !leaves_out;
        if (!moves.empty()) break;
    }
    return moves;
}

// Writes a leaf for the evaluator.
void PuctTree::ask(Leaves& leaves, Node& node, const Path& path, const State& state, int row, LeafWriter& writer) {
    std::fill(mask_.begin(), mask_.end(), std::uint8_t{0});
    std::vector<int> moves;
    if (!node.is_chance) moves = moves_of(node, path, state);
    writer.write(row, state, mask_.data());
    node.is_asked = true;
    leaves.push_back({&node, path, std::move(moves), false});
}

// The same for a node with moves; others continue below it in the meantime.
void PuctTree::ask_again(Leaves& leaves, Node& node, const Path& path, const State& state, int row, LeafWriter& writer) {
    std::fill(mask_.begin(), mask_.end(), std::uint8_t{0});
    mark_legal(state);
    writer.write_again(row, state, mask_.data());
    node.is_asked_again = true;
    leaves.push_back({&node, path, {}, true});
}

void PuctTree::update_path(const Path& path, Node& leaf, const Value& value) {
    const std::size_t colours = state_.rules->colours.size();
    const double worth = bonus(value);
    leave(path);
    const auto add = [&value, colours, worth](Node& node) {
        ++node.count;
        for (std::size_t seat = 0; seat < colours; ++seat) node.total[seat] += value.shares[seat];
        node.lead += value.lead;
        node.square += value.square;
        node.bonus += worth;
        node.playout_change += value.playout_change;
    };
    if (!leaf.is_over) add(leaf);
    for (const auto& [node, child] : path) {
        Edge& edge = node->edges[child];
        ++edge.visits;
        edge.won += value.shares[node->seat] + (node->seat == 0 ? worth : -worth);
        edge.playout_change += static_cast<float>(node->seat == 0 ? value.playout_change : -value.playout_change);
        add(*node);
    }
    const std::uint64_t turns = length(path);
    turns_ += turns;
    playouts_ += turns > 0;
}

// Ends of the game are left out: dead stones would count as alive there.
void PuctTree::add_owners(const Path& path, const float* owners) {
    const auto points = static_cast<std::size_t>(state_.rules->topology.points);
    owners_ = OwnerSums::add(owners_.get(), owners, points);
    const auto step = std::find_if(path.begin(), path.end(), [](const auto& each) { return !each.first->is_chance; });
    if (step == path.end()) return;
    owners_after_.resize(mask_.size());
    const int move = step->first->edges[step->second].move;
    auto& after = owners_after_[static_cast<std::size_t>(state_.rules->index_of(move))];
    after = OwnerSums::add(after.get(), owners, points);
}

// Returns the value of draws and of a lead for the first of two colours, beyond its share. A lead is worth little, so
// that it decides only between equal moves. x / (1 + |x|) approximates the arc tangent of KataGo's score utility and is
// the same on every machine.
double PuctTree::bonus(const Value& value) const {
    const double draws = has_draws_ && counts_draws() ? (settings_.draw_value - 0.5) * value.draw : 0;
    if (!has_scores_ || settings_.score_weight <= 0) return draws;
    const double x = (value.lead - centre_) / (SCORE_SCALE * std::sqrt(static_cast<double>(state_.rules->topology.points)));
    return draws + settings_.score_weight / 2 * x / (1 + std::abs(x));
}

// Removes the virtual losses of a descent.
void PuctTree::leave(const Path& path) {
    for (const auto& [node, child] : path) {
        --node->edges[child].in_flight;
        --node->waiting;
    }
}

// Returns the number of moves, without throws.
std::uint64_t PuctTree::length(const Path& path) {
    return static_cast<std::uint64_t>(std::count_if(path.begin(), path.end(), [](const auto& step) { return !step.first->is_chance; }));
}

Colour PuctTree::colour_of(const Node& node) const { return state_.rules->colours[node.seat]; }

// Returns the value of an end of the game or of a proved node.
PuctTree::Value PuctTree::exact_value(const Node& node) const {
    const double draw = node.proof == EMPTY ? 1 : 0;
    if (node.is_over) return {node.total, node.lead, node.square, draw};
    Value value;
    value.shares = shares_of(state_, static_cast<Colour>(node.proof));
    value.draw = draw;
    return value;
}

// Propagates a proof up the path.
void PuctTree::prove(const Path& path) const {
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
        if (step->first->proof == Node::NOT_PROVED) prove(*step->first);
        if (step->first->proof == Node::NOT_PROVED) return;
    }
}

// Proves a node. It is won if one of its moves wins. Once all moves are proved it has the value of the best. With three
// colours all must agree, since a loser may choose the winner.
void PuctTree::prove(Node& node) const {
    if (node.is_chance) return;
    const Colour mover = colour_of(node);
    std::int8_t best = Node::NOT_PROVED;
    bool is_whole = node.is_whole, has_draw = false, is_same = true;
    for (const Edge& edge : node.edges) {
        const std::int8_t proof = edge.below ? edge.below->proof : Node::NOT_PROVED;
        if (proof == mover) {
            node.proof = proof;
            return;
        }
        is_whole &= proof != Node::NOT_PROVED;
        has_draw |= proof == EMPTY;
        is_same &= best == Node::NOT_PROVED || best == proof;
        best = proof;
    }
    if (!is_whole) return;
    if (is_same) node.proof = best;
    else if (has_draw && colours() == 2) node.proof = EMPTY;
}

// Returns whether a move is a proved win.
bool PuctTree::is_won(const Edge& edge, const Node& node) const {
    return edge.below && edge.below->proof == static_cast<std::int8_t>(colour_of(node));
}

// Returns whether a move is a proved loss.
bool PuctTree::is_lost(const Edge& edge, const Node& node) const {
    return edge.below && edge.below->proof > EMPTY && edge.below->proof != static_cast<std::int8_t>(colour_of(node));
}

// Returns the share of the side to play for a visited move.
double PuctTree::share_of(const Edge& edge, const Node& node) const {
    if (has_proofs_ && edge.below->proof != Node::NOT_PROVED) return exact_value(*edge.below).shares[node.seat];
    return mean_of(edge);
}

bool PuctTree::is_proved() const { return has_proofs_ && root_->proof != Node::NOT_PROVED; }

bool PuctTree::is_decided() const { return !root_->is_chance && root_->is_known && root_->edges.size() == 1; }

double PuctTree::most_bytes() const { return USABLE * settings_.memory_mb * MEBIBYTE; }

bool PuctTree::is_full() const { return static_cast<double>(nodes_->bytes()) >= most_bytes(); }

}  // namespace kernel
