// The tree that grows: leaves, their values, the way from move to move. The choices are in puct_choice.cpp.
#include "puct.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "puct_nodes.hpp"
#include "random_variables.hpp"

namespace kernel {

namespace {

// The totals of the draws that are known; 0 for one without dice.
std::vector<int> throws_of(const State& state) {
    std::vector<int> totals;
    for (const int draw : state.draws) totals.push_back(draw == state.dice.outcomes() ? 0 : state.dice.total(draw));
    return totals;
}

}  // namespace

PuctTree::PuctTree(const State& root, const PuctSettings& settings, const std::vector<Avoided>& avoided)
    : settings_(settings), avoided_(avoided), state_(root), mask_(static_cast<std::size_t>(root.rules->policy_size())) {
    go_on(root, nullptr);
}

PuctTree::~PuctTree() { drop(std::move(root_)); }

// -- from move to move ------------------------------------------------------------------------------------------------

void PuctTree::go_on(const State& root, const std::vector<int>* moves) {
    Node* known = nullptr;
    if (moves && root_ && settings_.noise <= 0 && settings_.gumbel <= 0)
        find(*root_, state_, *moves, 0, throws_of(root), known);
    NodePointer next = known && known->is_known && !known->is_over ? detach(*known) : make_node(root, false);
    drop(std::move(root_));
    root_ = std::move(next);
    state_ = root;
    root_priors_.clear();
    for (const Edge& edge : root_->edges) root_priors_.push_back(edge.prior);
    bytes_ = bytes_below(*root_);
    begin(0);
}

// Looks for the node so many moves below another, whatever was thrown in between; of several, the most visited.
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

// Takes a node out of the tree.
PuctTree::NodePointer PuctTree::detach(Node& wanted) {
    if (root_.get() == &wanted) return std::move(root_);
    std::vector<Node*> left{root_.get()};
    while (!left.empty()) {
        Node* const node = left.back();
        left.pop_back();
        for (Edge& edge : node->edges) {
            if (edge.below.get() == &wanted) return std::move(edge.below);
            if (edge.below) left.push_back(edge.below.get());
        }
    }
    throw std::logic_error("a node that is not in the tree");
}

// Gives back the memory, without a recursion as deep as the tree.
void PuctTree::drop(NodePointer node) {
    std::vector<NodePointer> left;
    if (node) left.push_back(std::move(node));
    while (!left.empty()) {
        const NodePointer last = std::move(left.back());
        left.pop_back();
        for (Edge& edge : last->edges)
            if (edge.below) left.push_back(std::move(edge.below));
    }
}

std::uint64_t PuctTree::bytes_below(const Node& root) const {
    std::uint64_t bytes = 0;
    std::vector<const Node*> left{&root};
    while (!left.empty()) {
        const Node* const node = left.back();
        left.pop_back();
        bytes += node->bytes();
        for (const Edge& edge : node->edges)
            if (edge.below) left.push_back(edge.below.get());
    }
    return bytes;
}

// -- collect leaves, bring their values back --------------------------------------------------------------------------

void PuctTree::begin(std::uint64_t playouts) {
    planned_ = playouts;
    playouts_ = turns_ = 0;
    gumbels_.clear();
    considered_.clear();
}

int PuctTree::collect(int most, std::uint64_t playouts, int first, LeafWriter& writer) {
    std::vector<Path> blocked;
    std::uint64_t begun = 0;
    State state = state_;
    for (int i = 0; i < 2 * most && static_cast<int>(asked_.size()) < most && begun < playouts; ++i) {
        state = state_;
        Path path;
        Node& node = *descend(state, path, begun);
        if (node.is_over) {
            update_path(path, node, node.total.data());
            ++begun;
        } else if (node.is_asked) {
            blocked.push_back(std::move(path));
            if (blocked.back().empty() || settings_.gumbel > 0) break;
        } else {
            begun += length(path) > 0;
            ask(node, path, state, first + static_cast<int>(asked_.size()), writer);
        }
    }
    for (const Path& path : blocked) leave(path);
    return static_cast<int>(asked_.size());
}

void PuctTree::update(const float* priors, const float* values) {
    const std::size_t actions = mask_.size();
    const std::size_t colours = state_.rules->colours.size();
    for (Asked& asked : asked_) {
        Node& node = *asked.node;
        std::array<double, 3> shares{};
        std::copy_n(values, colours, shares.begin());
        node.is_asked = false;
        node.is_known = true;
        node.judged = shares[node.seat];
        double total = 0;
        for (Edge& edge : node.edges) {
            edge.prior = double{priors[state_.rules->index_of(edge.move)]};
            total += edge.prior;
        }
        for (Edge& edge : node.edges) edge.prior = total > 0 ? edge.prior / total : 1 / static_cast<double>(node.edges.size());
        if (&node == root_.get()) prepare_root();
        bytes_ += Node::BYTES_A_MOVE * node.edges.size();
        update_path(asked.path, node, shares.data());
        priors += actions;
        values += colours;
    }
    asked_.clear();
}

void PuctTree::discard() {
    for (Asked& asked : asked_) {
        asked.node->is_asked = false;
        asked.node->edges.clear();
        leave(asked.path);
    }
    asked_.clear();
}

// From the root to a leaf or an end; `state` is the root's, then the leaf's.
PuctTree::Node* PuctTree::descend(State& state, Path& path, std::uint64_t begun) {
    Node* node = root_.get();
    while (!node->is_over && node->is_known) {
        std::uint32_t child = 0;
        if (node->is_chance) child = select_outcome(*node);
        else if (node == root_.get() && settings_.gumbel > 0) child = select_by_halving(*node, playouts_ + begun);
        else child = select(*node);
        Edge& edge = node->edges[child];
        ++edge.in_flight;
        ++node->waiting;
        path.emplace_back(node, child);
        if (state.play(edge.move) != Refusal::none) throw std::logic_error("a move of the tree is not legal");
        if (!edge.below) {
            // Dice end no game: they are only thrown after an end at a root from where it may be taken up again.
            edge.below = make_node(state, !node->is_chance);
            bytes_ += edge.below->bytes();
        }
        node = edge.below.get();
    }
    return node;
}

PuctTree::NodePointer PuctTree::make_node(const State& state, bool may_be_over) const {
    auto node = std::make_unique<Node>();
    const auto& colours = state.rules->colours;
    node->seat = static_cast<std::uint8_t>(std::find(colours.begin(), colours.end(), state.mover) - colours.begin());
    const std::optional<Outcome> outcome = may_be_over ? state.outcome() : std::nullopt;
    if (outcome) {
        node->is_over = true;
        const double staying = static_cast<double>(colours.size() - state.out.size());
        for (std::size_t seat = 0; seat < colours.size(); ++seat) {
            const bool is_gone = std::any_of(state.out.begin(), state.out.end(),
                                             [&](const Event& event) { return event.actor == colours[seat]; });
            if (outcome->winner == EMPTY) node->total[seat] = is_gone ? 0 : 1 / staying;
            else node->total[seat] = colours[seat] == outcome->winner ? 1 : 0;
        }
        return node;
    }
    if (state.to_play() != CHANCE) return node;
    node->is_chance = node->is_known = true;
    const std::vector<int> thrown = state.rules->thrown_outcomes(state.dice);
    const double odds = 1 / static_cast<double>(thrown.size());
    std::vector<int> totals;
    for (const int outcome_number : thrown) {
        const int total = state.dice.total(outcome_number);
        const auto same = std::find(totals.begin(), totals.end(), total);
        if (same == totals.end()) {
            totals.push_back(total);
            node->edges.emplace_back(outcome_number).prior = odds;
        } else {
            node->edges[static_cast<std::size_t>(same - totals.begin())].prior += odds;
        }
    }
    return node;
}

// Has a leaf written; its moves are those of the mask, without those that are avoided as long as there are others.
void PuctTree::ask(Node& node, const Path& path, const State& state, int row, LeafWriter& writer) {
    const Rules& rules = *state.rules;
    std::fill(mask_.begin(), mask_.end(), std::uint8_t{0});
    for (const int move : state.legal()) mask_[static_cast<std::size_t>(rules.index_of(move))] = 1;
    const std::uint64_t depth = length(path);
    const auto is_avoided = [&](int move) {
        return std::any_of(avoided_.begin(), avoided_.end(), [&](const Avoided& each) {
            return each.colour == state.mover && each.move == move && depth < static_cast<std::uint64_t>(std::max(0, each.depth));
        });
    };
    for (const bool looks_at_all : {false, true}) {
        for (std::size_t index = 0; index < mask_.size(); ++index) {
            const int move = rules.action_of(static_cast<int>(index));
            if (mask_[index] && (looks_at_all || !is_avoided(move))) node.edges.emplace_back(move);
        }
        if (!node.edges.empty()) break;
    }
    writer.write(row, state, mask_.data());
    node.is_asked = true;
    asked_.push_back({&node, path});
}

void PuctTree::update_path(const Path& path, Node& leaf, const double* shares) {
    const std::size_t colours = state_.rules->colours.size();
    leave(path);
    const auto add = [shares, colours](Node& node) {
        ++node.count;
        for (std::size_t seat = 0; seat < colours; ++seat) node.total[seat] += shares[seat];
    };
    if (!leaf.is_over) add(leaf);
    for (const auto& [node, child] : path) {
        Edge& edge = node->edges[child];
        ++edge.visits;
        edge.won += shares[node->seat];
        add(*node);
    }
    const std::uint64_t turns = length(path);
    turns_ += turns;
    playouts_ += turns > 0;
}

// Ends the virtual losses of a descent.
void PuctTree::leave(const Path& path) {
    for (const auto& [node, child] : path) {
        --node->edges[child].in_flight;
        --node->waiting;
    }
}

// How many moves, throws not counted.
std::uint64_t PuctTree::length(const Path& path) {
    return static_cast<std::uint64_t>(std::count_if(path.begin(), path.end(), [](const auto& step) { return !step.first->is_chance; }));
}

bool PuctTree::is_decided() const { return !root_->is_chance && root_->is_known && root_->edges.size() == 1; }

bool PuctTree::is_full() const { return static_cast<double>(bytes_) >= settings_.memory_mb * 0x1p20; }

void run_search(PuctTree& tree, Evaluator& evaluator, std::uint64_t playouts) {
    std::vector<float> priors;
    std::vector<float> values;
    tree.begin(playouts);
    while (tree.playouts() < playouts && !tree.is_decided() && !tree.is_full()) {
        const int rows = tree.collect(evaluator.batch(), playouts - tree.playouts(), 0, evaluator);
        if (rows == 0) continue;
        priors.resize(static_cast<std::size_t>(rows) * tree.actions());
        values.resize(static_cast<std::size_t>(rows) * tree.colours());
        evaluator.evaluate(rows, priors.data(), values.data());
        tree.update(priors.data(), values.data());
    }
}

}  // namespace kernel
