// The choice of the next move to search, and the results.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <tuple>

#include "puct.hpp"
#include "puct_nodes.hpp"
#include "random_variables.hpp"

namespace kernel {

namespace {

// Smallest prior whose logarithm is taken.
constexpr double SMALLEST_PRIOR = 1e-30;
// Streams of random numbers for a turn, each with its own generator.
constexpr int FOR_ROOT = 0;
constexpr int FOR_CHOICE = 1;
constexpr int PURPOSES = 2;
// Lower than every score of a move.
constexpr double LOWEST = -1e300;

// Smallest part of the most visits with which a move may be chosen by its value, which may be luck (KataGo's
// minVisitPropForLCB).
constexpr double LEAST_PART = 0.1;

// KataGo's cpuctExplorationBase: visits after which the exploration begins to grow.
constexpr double GROWTH_VISITS = 500;
constexpr double LOG_2 = 0.6931471805599453;

double scaled(double share) { return 2 * share - 1; }

// Returns the index of the highest number, the first of equals.
template <class Numbers> std::size_t most(const Numbers& numbers) {
    return static_cast<std::size_t>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

// Returns the growth of the exploration: the logarithm of (visits + 500) / 500, as KataGo's cpuctExploration. It is
// interpolated between powers of two, to be equal on every machine.
double growth_after(double visits) {
    int exponent = 0;
    const double mantissa = std::frexp((visits + GROWTH_VISITS) / GROWTH_VISITS, &exponent);
    return LOG_2 * (exponent - 2 + 2 * mantissa);
}

std::pair<double, double> mean_and_deviation(double sum, double squares, std::uint32_t count) {
    const double mean = sum / count;
    return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

}  // namespace

// -- which move is next -----------------------------------------------------------------------------------------------

// Returns the move with the highest sum of its value, from -1 to 1, and a bonus by prior and visits (PUCT).
std::uint32_t PuctTree::select(const Node& node) const {
    double visited = 0;
    for (const Edge& edge : node.edges)
        if (edge.visits + edge.in_flight > 0) visited += edge.prior;
    const bool is_noisy = &node == root_ && settings_.noise > 0;
    const double value = utility_of(node);
    const double unvisited = value - (is_noisy ? 0 : settings_.fpu_reduction) * std::sqrt(visited);
    const double scale = exploration_at(node);
    // KataGo's wideRootNoise: flatter priors, and a random bonus for half of the moves.
    const double width = &node == root_ ? settings_.wide_root_noise : 0;
    Rng drawn = Rng::of_playout(settings_.seed, std::uint64_t{node.count} + node.waiting);
    std::uint32_t best = 0;
    double highest = LOWEST;
    bool best_is_lost = true;
    std::uint32_t child = 0;
    for (const Edge& edge : node.edges) {
        const double games = edge.visits + settings_.virtual_loss * edge.in_flight;
        double of_move = games > 0 ? scaled((edge.won - shrinkage(edge.playout_change, edge.visits)) / games) : unvisited;
        if (width > 0 && drawn.random() < 0.5) of_move += width * std::abs(normal(drawn));
        const double prior = width > 0 ? std::pow(edge.prior, 1 / (4 * width + 1)) : edge.prior;
        const double score = of_move + scale * prior / (1 + edge.visits + edge.in_flight);
        const bool loses = has_proofs_ && is_lost(edge, node);
        if (loses == best_is_lost ? score > highest : best_is_lost) {
            best = child;
            highest = score;
            best_is_lost = loses;
        }
        ++child;
    }
    return best;
}

// Returns the mean value of a visited position for its side to play, from -1 to 1, beyond which draws and the score count.
double PuctTree::utility_of(const Node& node) const {
    const double more = node.bonus - shrinkage(node.playout_change, node.count);
    return scaled((node.total[node.seat] + (node.seat == 0 ? more : -more)) / node.count);
}

// Returns the weight of a prior before division by the visits of its move.
double PuctTree::exploration_at(const Node& node) const {
    const double visits = std::max(1.0, static_cast<double>(node.count - 1 + node.waiting));
    return (settings_.exploration + settings_.exploration_growth * growth_after(visits)) * std::sqrt(visits);
}

// Returns the best move due in sequential halving: one whose visits equal the planned number.
std::uint32_t PuctTree::select_by_halving(const Node& node, std::uint64_t playout) {
    if (gumbels_.empty()) plan(node);
    const std::uint32_t considered = considered_[std::min(static_cast<std::size_t>(playout), considered_.size() - 1)];
    const std::vector<double> scores = gumbel_scores(node);
    std::size_t best = node.edges.size();
    for (std::size_t child = 0; child < scores.size(); ++child) {
        if (node.edges[child].visits + node.edges[child].in_flight != considered) continue;
        if (best == node.edges.size() || scores[child] > scores[best]) best = child;
    }
    if (best < node.edges.size()) return static_cast<std::uint32_t>(best);
    const auto fewer = [](const Edge& a, const Edge& b) { return a.visits < b.visits; };
    return static_cast<std::uint32_t>(std::max_element(node.edges.begin(), node.edges.end(), fewer) - node.edges.begin());
}

// Returns the outcome of the dice that was visited least for its odds.
std::uint32_t PuctTree::select_outcome(const Node& node) {
    std::uint32_t best = 0;
    double highest = -1;
    for (std::uint32_t child = 0; child < node.edges.size(); ++child) {
        const Edge& edge = node.edges[child];
        const double score = edge.prior / (1 + edge.visits + edge.in_flight);
        if (score > highest) {
            best = child;
            highest = score;
        }
    }
    return best;
}

// Draws the Gumbel variables of a root, and plans how many visits each playout's move has before.
void PuctTree::plan(const Node& node) {
    Rng drawn = rng(FOR_ROOT);
    for (std::size_t child = 0; child < node.edges.size(); ++child)
        gumbels_.push_back(settings_.gumbel_noise ? gumbel(drawn) : 0);
    std::size_t left = std::min(static_cast<std::size_t>(settings_.gumbel), node.edges.size());
    std::uint64_t halvings = 0;
    while ((std::uint64_t{1} << halvings) < left) ++halvings;
    halvings = std::max<std::uint64_t>(1, halvings);
    std::vector<std::uint32_t> visits(left);
    while (considered_.size() < std::max<std::uint64_t>(1, planned_)) {
        for (std::uint64_t i = std::max<std::uint64_t>(1, planned_ / (halvings * left)); i > 0; --i)
            for (std::size_t child = 0; child < left; ++child) considered_.push_back(visits[child]++);
        left = std::max(std::min<std::size_t>(2, left), left / 2);
    }
}

std::vector<double> PuctTree::gumbel_scores(const Node& node) const {
    std::vector<double> scores = improved_logits(node);
    for (std::size_t child = 0; child < gumbels_.size(); ++child) scores[child] = gumbels_[child] + scores[child];
    return scores;
}

// Returns the logarithms of priors plus weighted values; an unvisited move has the node's mixed value.
std::vector<double> PuctTree::improved_logits(const Node& node) const {
    double weight = 0;
    double weighted = 0;
    std::uint64_t total = 0;
    std::uint32_t highest = 0;
    for (const Edge& edge : node.edges) {
        total += edge.visits;
        highest = std::max(highest, edge.visits);
        if (edge.visits == 0) continue;
        weight += edge.prior;
        weighted += edge.prior * share_of(edge, node);
    }
    const double visits = static_cast<double>(total);
    const double mixed = weight > 0 ? (node.judged + visits * (weighted / weight)) / (1 + visits) : node.judged;
    const double scale = (settings_.visit_offset + static_cast<double>(highest)) * settings_.value_scale;
    std::vector<double> logits;
    for (const Edge& edge : node.edges)
        logits.push_back(std::log(std::max(edge.prior, SMALLEST_PRIOR)) + scale * (edge.visits > 0 ? share_of(edge, node) : mixed));
    return logits;
}

// Stores the evaluator's priors of the root, and mixes noise into those in use.
void PuctTree::prepare_root() {
    root_priors_.clear();
    for (const Edge& edge : root_->edges) root_priors_.push_back(edge.prior);
    const double part = settings_.noise;
    if (part <= 0) return;
    const std::size_t count = root_->edges.size();
    Rng drawn = rng(FOR_ROOT);
    const std::vector<double> noise = dirichlet(drawn, settings_.noise_total / static_cast<double>(count), count);
    for (std::size_t child = 0; child < count; ++child) {
        double& prior = root_->edges[child].prior;
        prior = (1 - part) * prior + part * noise[child];
    }
}

Rng PuctTree::rng(int purpose) const {
    return Rng::of_playout(settings_.seed, static_cast<std::uint64_t>(state_.turn * PURPOSES + purpose));
}

// Returns the side to play's mean value of a move, draws and the score included.
double PuctTree::mean_of(const Edge& edge) const {
    return (edge.won - shrinkage(edge.playout_change, edge.visits)) / edge.visits;
}

// Returns the part of the playouts' effect that does not count yet: one result says little, while the mean of many
// corrects the evaluator.
double PuctTree::shrinkage(double playout_change, double visits) const {
    const double equivalence = settings_.playout_equivalence;
    return equivalence > 0 ? playout_change * equivalence / (visits + equivalence) : 0;
}

// -- results ----------------------------------------------------------------------------------------------------------

// Returns the root with odds 1; before a throw, the nodes under every throw with their odds.
std::vector<PuctTree::Root> PuctTree::roots() const {
    std::vector<Root> found;
    std::vector<Root> nodes{{root_, 1.0}};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto [node, odds] = nodes[i];
        if (!node || !node->is_known) continue;
        if (!node->is_chance) found.push_back(nodes[i]);
        else
            for (const Edge& edge : node->edges) nodes.push_back({edge.below, odds * edge.prior});
    }
    return found;
}

PuctResult PuctTree::result() const {
    PuctResult found;
    const std::size_t colours = state_.rules->colours.size();
    const std::vector<Root> all = roots();
    const double change = shrinkage(root_->playout_change, root_->count);
    for (std::size_t seat = 0; seat < colours; ++seat) {
        const double won = root_->total[seat] - (seat == 0 ? change : -change);
        found.values.push_back(root_->count && !all.empty() ? won / root_->count : 0);
    }
    if (all.empty()) return found;
    if (is_proved()) {
        for (std::size_t seat = 0; seat < colours; ++seat) found.values[seat] = exact_value(*root_).shares[seat];
        if (root_->proof != EMPTY) found.proved = root_->proof == static_cast<std::int8_t>(colour_of(*root_)) ? 1 : -1;
    }
    found.playouts = playouts_;
    found.turns = turns_;
    std::vector<int> slots(mask_.size(), -1);
    std::vector<double> won, leads, squares;
    std::vector<std::uint32_t> tried;
    std::vector<std::vector<const Edge*>> lines;
    for (const Root& root : all) {
        for (const Edge& edge : root.node->edges) {
            int& slot = slots[static_cast<std::size_t>(state_.rules->index_of(edge.move))];
            if (slot < 0) {
                slot = static_cast<int>(found.visits.size());
                found.visits.emplace_back(edge.move, 0);
                for (auto* const sums : {&won, &leads, &squares}) sums->push_back(0);
                tried.push_back(0);
                lines.emplace_back();
            }
            const auto at = static_cast<std::size_t>(slot);
            found.visits[at].second += edge.visits;
            won[at] += won_by(edge, root.node->seat);
            if (edge.visits > 0) {
                const double times = edge.below->is_over ? edge.visits : 1;
                leads[at] += times * edge.below->lead;
                squares[at] += times * edge.below->square;
            }
            // Keep each move's line under the throw where it was visited most.
            if (edge.visits <= tried[at]) continue;
            tried[at] = edge.visits;
            lines[at] = line_from(edge);
        }
    }
    found.action = choose(found.visits, all);
    found.principal_variation = {found.action};
    for (std::size_t at = 0; at < lines.size(); ++at) {
        const auto& [move, visits] = found.visits[at];
        if (visits == 0) continue;
        found.shares.emplace_back(move, won[at] / visits);
        if (all[0].node == root_) {
            const Edge& edge = *lines[at].front();
            found.utilities.emplace_back(move, std::pair{scaled(share_of(edge, *root_)), scaled(bound_of(edge, *root_))});
        }
        if (has_scores_) found.scores.emplace_back(move, mean_and_deviation(leads[at], squares[at], visits));
        std::vector<int> line;
        std::vector<std::uint32_t> line_visits;
        for (const Edge* const edge : lines[at]) {
            line.push_back(edge->move);
            line_visits.push_back(edge->visits);
        }
        if (move == found.action) found.principal_variation = line;
        found.lines.emplace_back(move, std::move(line));
        found.line_visits.emplace_back(move, std::move(line_visits));
    }
    if (has_scores_ && root_->count > 0)
        std::tie(found.score.emplace(), found.score_stdev) = mean_and_deviation(root_->lead, root_->square, root_->count);
    if (all[0].node == root_ && root_->count > 0) found.utility = utility_of(*root_);
    found.priors = by_move(all, false);
    found.policy = by_move(all, true);
    if (owners_) found.owners.emplace_back(std::nullopt, owners_);
    for (std::size_t index = 0; index < owners_after_.size(); ++index)
        if (owners_after_[index])
            found.owners.emplace_back(state_.rules->action_of(static_cast<int>(index)), owners_after_[index]);
    return found;
}

// Returns the side to play's share for a move, without draws and the score.
double PuctTree::won_by(const Edge& edge, std::size_t seat) const {
    if (!(has_scores_ || has_draws_) || edge.visits == 0) return edge.won;
    return edge.below->total[seat] * (edge.below->is_over ? edge.visits : 1) - shrinkage(edge.playout_change, edge.visits);
}

std::pair<std::uint32_t, std::uint32_t> PuctTree::most_visits() const {
    std::uint32_t best = 0, second = 0;
    for (const Edge& edge : root_->edges) {
        second = std::max(second, std::min(best, edge.visits));
        best = std::max(best, edge.visits);
    }
    return {best, second};
}

// Returns a move and the most visited ones after it, under the most visited throws.
std::vector<const PuctTree::Edge*> PuctTree::line_from(const Edge& edge) {
    std::vector<const Edge*> line{&edge};
    const auto fewer = [](const Edge& a, const Edge& b) { return a.visits < b.visits; };
    for (const Node* node = edge.below; node && !node->edges.empty();) {
        const auto best = std::max_element(node->edges.begin(), node->edges.end(), fewer);
        if (best->visits == 0) break;
        if (!node->is_chance) line.push_back(&*best);
        node = best->below;
    }
    return line;
}

// Returns the move to play: a winning one, else of those that do not lose the one with the highest lower bound, or one
// drawn by visits. Under several throws, or if every move loses, the most visited.
int PuctTree::choose(const std::vector<std::pair<int, std::uint32_t>>& visits, const std::vector<Root>& roots) const {
    std::vector<std::uint32_t> counts;
    for (const auto& [move, count] : visits) counts.push_back(count);
    bool is_hopeless = false;
    if (roots.size() == 1 && has_proofs_) {
        const Node& node = *roots[0].node;
        const auto wins = std::find_if(node.edges.begin(), node.edges.end(), [&](const Edge& edge) { return is_won(edge, node); });
        if (wins != node.edges.end()) return wins->move;
        // If every move loses, the most visited one resists longest.
        is_hopeless = std::all_of(node.edges.begin(), node.edges.end(), [&](const Edge& edge) { return is_lost(edge, node); });
        for (std::size_t child = 0; child < counts.size() && !is_hopeless; ++child)
            if (is_lost(node.edges[child], node)) counts[child] = 0;
    }
    const std::uint32_t highest = counts[most(counts)];
    if (roots.size() > 1) return visits[most(counts)].first;
    if (settings_.temperature > 0 && highest > 0) return draw_by_visits(visits, counts);
    const Node& node = *roots[0].node;
    const bool is_bounded = settings_.lcb_weight > 0 && settings_.gumbel <= 0 && highest > 0 && !is_hopeless;
    std::vector<double> scores;
    if (settings_.gumbel > 0) scores = gumbel_scores(node);
    else
        for (const Edge& edge : node.edges) scores.push_back(is_bounded && edge.visits > 0 ? bound_of(edge, node) : edge.prior);
    const double enough = is_bounded ? LEAST_PART * highest : highest;
    for (std::size_t child = 0; child < scores.size(); ++child)
        if (counts[child] < enough || (counts[child] == 0 && has_proofs_ && is_lost(node.edges[child], node)))
            scores[child] = LOWEST;
    return visits[most(scores)].first;
}

// Returns the lower bound of a visited move's value for the side to play, draws and the score included.
double PuctTree::bound_of(const Edge& edge, const Node& node) const {
    const bool is_proved = has_proofs_ && edge.below->proof != Node::NOT_PROVED;
    if (edge.below->is_over || is_proved) {
        const Value value = exact_value(*edge.below);
        return value.shares[node.seat] + (node.seat == 0 ? bonus(value) : -bonus(value));
    }
    return mean_of(edge) - settings_.lcb_weight / std::sqrt(static_cast<double>(edge.visits));
}

int PuctTree::draw_by_visits(const std::vector<std::pair<int, std::uint32_t>>& visits,
                             const std::vector<std::uint32_t>& counts) const {
    const std::uint32_t highest = counts[most(counts)];
    std::vector<double> weights;
    double total = 0;
    for (const std::uint32_t count : counts) {
        weights.push_back(std::pow(static_cast<double>(count) / highest, 1 / settings_.temperature));
        total += weights.back();
    }
    double left = rng(FOR_CHOICE).random() * total;
    std::size_t chosen = 0;
    for (std::size_t child = 0; child < weights.size(); ++child) {
        if (weights[child] > 0) chosen = child;
        left -= weights[child];
        if (left < 0) break;
    }
    return visits[chosen].first;
}

// Returns the policy a network should learn: visits, or priors improved by values (Gumbel).
std::vector<double> PuctTree::policy_of(const Node& node) const {
    std::vector<double> policy;
    if (has_proofs_ && node.proof == static_cast<std::int8_t>(colour_of(node))) {
        for (const Edge& edge : node.edges) policy.push_back(is_won(edge, node) ? 1 : 0);
        const double winners = std::accumulate(policy.begin(), policy.end(), 0.0);
        for (double& each : policy) each /= winners;
        return policy;
    }
    if (settings_.gumbel <= 0 || &node != root_) {
        policy = visits_without_noise(node);
        const double total = std::accumulate(policy.begin(), policy.end(), 0.0);
        for (std::size_t child = 0; child < policy.size(); ++child)
            policy[child] = total > 0 ? policy[child] / total : node.edges[child].prior;
        return policy;
    }
    policy = improved_logits(node);
    const double highest = policy[most(policy)];
    double total = 0;
    for (double& each : policy) total += each = std::exp(each - highest);
    for (double& each : policy) each /= total;
    return policy;
}

// Returns the visits of the moves. At a root with noise, all but the most visited are reduced to what values and priors
// without noise would give ("policy target pruning", Wu, "Accelerating Self-Play Learning in Go", 2019).
std::vector<double> PuctTree::visits_without_noise(const Node& node) const {
    std::vector<double> visits;
    for (const Edge& edge : node.edges) visits.push_back(edge.visits);
    if (&node != root_ || settings_.noise <= 0 || visits.empty()) return visits;
    const std::size_t best = most(visits);
    if (visits[best] == 0) return visits;
    const double scale = exploration_at(node);
    const double highest = scaled(share_of(node.edges[best], node)) + scale * root_priors_[best] / (1 + visits[best]);
    for (std::size_t child = 0; child < visits.size(); ++child) {
        if (child == best || visits[child] == 0) continue;
        const double behind = highest - scaled(share_of(node.edges[child], node));
        if (behind > 0) visits[child] = std::clamp(scale * root_priors_[child] / behind - 1, 0.0, visits[child]);
    }
    return visits;
}

// Returns the evaluator's priors, or the policy, averaged over the searched throws by their odds.
std::vector<std::pair<int, double>> PuctTree::by_move(const std::vector<Root>& roots, bool of_policy) const {
    std::vector<std::pair<int, double>> found;
    std::vector<int> slots(mask_.size(), -1);
    double weight = 0;
    for (const auto& [node, odds] : roots) {
        weight += odds;
        std::vector<double> numbers;
        if (of_policy) numbers = policy_of(*node);
        else if (node == root_) numbers = root_priors_;
        else
            for (const Edge& edge : node->edges) numbers.push_back(edge.prior);
        for (std::size_t child = 0; child < numbers.size(); ++child) {
            const int move = node->edges[child].move;
            int& slot = slots[static_cast<std::size_t>(state_.rules->index_of(move))];
            if (slot < 0) {
                slot = static_cast<int>(found.size());
                found.emplace_back(move, 0.0);
            }
            found[static_cast<std::size_t>(slot)].second += odds * numbers[child];
        }
    }
    for (auto& [move, number] : found) number /= weight;
    return found;
}

}  // namespace kernel
