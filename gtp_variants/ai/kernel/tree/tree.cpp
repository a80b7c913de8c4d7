// The search tree of one game: the threads that search it, the end of a search, and its results.
#include "tree.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>

#include "ai/kernel/playouts/with_kind.hpp"
#include "ai/kernel/threads/clock.hpp"
#include "ai/kernel/threads/parallel.hpp"
#include "ai/kernel/threads/ponderer.hpp"
#include "search_limits.hpp"
#include "search_root.hpp"
#include "search_worker.hpp"
#include "shared_tree.hpp"
#include "tree_nodes.hpp"

namespace kernel {

namespace {

constexpr std::uint64_t BETWEEN_LOOKS = 16;  // playouts between two checks of the clock

template <Kind KIND, bool RICH> class SearchTree final : public TreeSearch {
  public:
    SearchTree(const State& root, const SearchSettings& settings, const std::vector<Avoided>& avoided, int target)
        : shared_(settings, KIND == Kind::aleago ? root.rules->numbers.size() + 1 : 0, avoided, target) {
        SearchTree::go_on(root, nullptr);
    }
    SearchTree(const SearchTree&) = delete;
    SearchTree& operator=(const SearchTree&) = delete;
    ~SearchTree() override { SearchTree::stop(); }

    void go_on(const State& root, const std::vector<int>* moves) override {
        stop();
        auto base = std::make_unique<SearchRoot<B>>(root, shared_.settings, shared_.target);
        const Node* known = moves ? find(*moves) : nullptr;
        // With two known throws, results under all the others mislead.
        if (base->start.known.size() > 1) known = nullptr;
        workers_.clear();
        base_ = std::move(base);
        for (int i = 0; i < std::max(1, shared_.settings.threads); ++i)
            workers_.push_back(std::make_unique<Worker<KIND, RICH>>(shared_, *base_));
        workers_[0]->make_root(known);
        if (known) shared_.arena.keep_below(shared_.root());
        else shared_.arena.clear();
    }

    SearchResult think(const SearchLimits& limits, const ShouldStop& should_stop) override {
        stop();
        must_stop_ = false;
        return run(limits, should_stop);
    }

    SearchResult so_far() override { return make_result(next_ - first_, 1); }

    void ponder() override {
        stop();
        must_stop_ = false;
        ponderer_.start([this] { run(SearchLimits{}, nullptr); });
    }

    void stop() override {
        must_stop_ = true;
        ponderer_.join();
    }

    bool is_pondering() const override { return ponderer_.is_running(); }

  private:
    using B = typename Worker<KIND, RICH>::B;

    // Returns the node after `moves`, or null.
    const Node* find(const std::vector<int>& moves) {
        const Node* node = &shared_.root();
        for (const int move : moves) {
            const Child* const child = std::find_if(node->begin(), node->end(), [move](const Child& c) { return c.move == move; });
            node = child == node->end() ? nullptr : child->below();
            if (!node) return nullptr;
        }
        return node;
    }

    SearchResult run(const SearchLimits& limits, const ShouldStop& should_stop) {
        first_ = next_;
        for (const auto& worker : workers_) worker->begin();
        const auto clock = limits.cpu_time ? thread_seconds : wall_seconds;
        const double begin_s = clock();
        double asked = wall_seconds();
        const auto must_end = [&] {
            if (has_enough(limits, next_ - first_, limits.seconds > 0 ? clock() - begin_s : 0)) return true;
            if (!should_stop || wall_seconds() - asked < ASK_EVERY_S) return false;
            if (should_stop()) return true;
            asked = wall_seconds();
            return false;
        };
        while (search_until_full(limits, must_end)) shared_.prune();
        return make_result(next_ - first_, workers_.size());
    }

    // Searches with all threads; returns whether they stopped only because the memory is used up. The calling thread
    // checks the clock.
    bool search_until_full(const SearchLimits& limits, const ShouldStop& must_end) {
        is_full_ = false;
        const auto search = [&](std::size_t thread) {
            Worker<KIND, RICH>& worker = *workers_[thread];
            if (thread > 0) {
                while (simulate(worker, limits)) {
                }
                return;
            }
            bool is_ended = false;
            while (!is_ended && simulate(worker, limits))
                is_ended = worker.done() % BETWEEN_LOOKS == 0 && must_end();
            // The last thread may have run out of memory before the playouts were done.
            is_ended |= !is_full_;
            if (is_ended) must_stop_ = true;
        };
        run_in_parallel(workers_.size(), search, [this] { must_stop_ = true; });
        std::uint64_t done = 0;
        for (const auto& each : workers_) done += each->done();
        next_ = first_ + done;
        return !must_stop_;
    }

    // Makes one playout; returns false if there is nothing more to do.
    bool simulate(Worker<KIND, RICH>& worker, const SearchLimits& limits) {
        if (must_stop_.load(std::memory_order_relaxed)) return false;
        if (limits.playouts > 0 && next_.load(std::memory_order_relaxed) - first_ >= limits.playouts) return false;
        // Pondering ends when the memory is full.
        if (is_full_.load(std::memory_order_relaxed) || (limits.has_any() && shared_.can_prune())) {
            is_full_ = true;
            return false;
        }
        const std::uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
        if (limits.playouts > 0 && index - first_ >= limits.playouts) return false;
        worker.simulate(index);
        if (is_decided(limits, index + 1 - first_) || shared_.root_visits >= MOST_VISITS) must_stop_ = true;
        return true;
    }

    bool is_decided(const SearchLimits& limits, std::uint64_t done) {
        const Node& root = shared_.root();
        // A single move needs no search, but its value may be wanted.
        if (root.is_over || (root.count <= 1 && limits.stop_early && limits.has_any() && done >= ONLY_MOVE)) return true;
        return root_proof() != 0;
    }

    // Returns 1 for a proved win of the side to play, -1 for a proved loss.
    int root_proof() {
        const Node& root = shared_.root();
        if (!base_->has_proofs) return 0;
        if (root.is_over) return root.winner == EMPTY ? 0 : root.winner == root.mover ? 1 : -1;
        if (std::any_of(root.begin(), root.end(), [](const Child& child) { return child.proof == Proof::won; })) return 1;
        return Worker<KIND, RICH>::all_lost(root) ? -1 : 0;
    }

    bool has_enough(const SearchLimits& limits, std::uint64_t done, double took_s) {
        if (!limits.has_any()) return shared_.is_full();
        double best = 0, second = 0;
        for (const Child& child : shared_.root()) {
            if (child.proof == Proof::lost) continue;
            const double visits = child.visits;
            second = std::max(second, std::min(best, visits));
            best = std::max(best, visits);
        }
        return is_enough(limits, best, second, done, took_s);
    }

    // -- the reply ----------------------------------------------------------------------------------------------------

    // Returns the child to play: a won one, else the most visited that is not lost, else the most visited.
    static const Child& best_of(const Node& node) {
        const Child* best = node.begin();
        for (const Child& child : node) {
            const int rank_a = rank(child), rank_b = rank(*best);
            if (rank_a > rank_b || (rank_a == rank_b && child.visits > best->visits)) best = &child;
        }
        return *best;
    }

    static int rank(const Child& child) {
        const Proof proof = child.proof;
        return proof == Proof::won ? 2 : proof == Proof::lost ? 0 : 1;
    }

    // Computes the owners of points from the playouts of the first `workers` workers.
    void find_ownership(SearchResult& reply, std::size_t workers) const {
        std::uint64_t counted = 0;
        for (std::size_t i = 0; i < workers; ++i) counted += workers_[i]->counted();
        if (counted == 0) return;
        for (std::size_t point = 0; point < workers_[0]->owned().size(); ++point) {
            std::int64_t owned = 0;
            for (std::size_t i = 0; i < workers; ++i) owned += workers_[i]->owned()[point];
            reply.ownership.push_back(static_cast<double>(owned) / static_cast<double>(counted));
        }
    }

    // Returns the result after `playouts` playouts; turns and values are those of the first workers, since others may
    // be running.
    SearchResult make_result(std::uint64_t playouts, std::size_t counted) {
        SearchResult reply;
        reply.playouts = playouts;
        reply.proved = root_proof();
        std::uint64_t done = 0;
        for (std::size_t i = 0; i < counted; ++i) {
            reply.turns += workers_[i]->turns();
            done += workers_[i]->done();
        }
        for (const Colour colour : base_->start.rules->colours) {
            double share = 0;
            for (std::size_t i = 0; i < counted; ++i) share += workers_[i]->shares_of(colour);
            reply.values.push_back(done ? share / static_cast<double>(done) : 0);
        }
        find_ownership(reply, counted);
        const Node& root = shared_.root();
        for (const Child& child : root) {
            reply.visits.emplace_back(child.move, child.visits);
            if (child.visits == 0) continue;
            reply.shares.emplace_back(child.move, share_of(child));
            reply.lines.emplace_back(child.move, line_after(child));
        }
        tell_priors(reply);
        tell_scores(reply, counted);
        if (root.count == 0) return reply;
        const Child& best = best_of(root);
        reply.action = best.move;
        reply.principal_variation = line_after(best).moves;
        return reply;
    }

    // Returns the side to move's share in a root move's playouts, without virtual games.
    double share_of(const Child& child) const {
        const Proof proof = child.proof;
        if (proof == Proof::won) return 1;
        if (proof == Proof::lost) return 0;
        const double before = shared_.root_priors[static_cast<std::size_t>(&child - shared_.root().begin())].won;
        return std::clamp((child.won - before) / (GAME * static_cast<double>(child.visits)), 0.0, 1.0);
    }

    static Line line_after(const Child& first) {
        Line line{{first.move}, {first.visits}};
        for (const Node* node = first.below(); node && node->count > 0;) {
            const Child& best = best_of(*node);
            if (best.visits == 0) break;
            line.moves.push_back(best.move);
            line.visits.push_back(best.visits);
            node = best.below();
        }
        return line;
    }

    // Sets each move's part of the virtual wins, weighted by its share of wins.
    void tell_priors(SearchResult& reply) const {
        double whole = 0;
        std::vector<double> weights;
        for (const auto& [games, won] : shared_.root_priors) {
            const auto share = static_cast<double>(won);
            weights.push_back(games > 0 ? share * share / static_cast<double>(games) : 0);
            whole += weights.back();
        }
        std::size_t index = 0;
        for (const Child& child : shared_.root()) {
            const double even = 1 / static_cast<double>(weights.size());
            reply.priors.emplace_back(child.move, whole > 0 ? weights[index] / whole : even);
            ++index;
        }
    }

    // Uses the first workers, as turns and values do.
    void tell_scores(SearchResult& reply, std::size_t counted) const {
        ScoreTally all;
        std::size_t index = 0;
        for (const Child& child : shared_.root()) {
            ScoreTally tally;
            for (std::size_t i = 0; i < counted; ++i)
                if (index < workers_[i]->scores().size()) tally.add(workers_[i]->scores()[index]);
            if (tally.count > 0) reply.scores.emplace_back(child.move, tally.score());
            all.add(tally);
            ++index;
        }
        if (all.count > 0) reply.score = all.score();
    }

    SharedTree shared_;
    std::unique_ptr<SearchRoot<B>> base_;
    std::vector<std::unique_ptr<Worker<KIND, RICH>>> workers_;
    std::atomic<std::uint64_t> next_ = 0;  // number of the next playout
    std::uint64_t first_ = 0;              // number of the first playout of this search
    std::atomic<bool> must_stop_ = false;    // request to end
    std::atomic<bool> is_full_ = false;      // request to drop nodes before going on
    Ponderer ponderer_;
};

}  // namespace

std::unique_ptr<TreeSearch> make_search(const State& root, const SearchSettings& settings,
                                        const std::vector<Avoided>& avoided, int target) {
    // A search that ignores future dice is one of ordinary Go.
    const bool is_blind = root.rules->game == Game::aleago && !settings.dice_aware;
    const bool is_rich = settings.atari || settings.shapes || settings.priors;
    return with_kind(is_blind ? Game::go : root.rules->game, [&](auto kind) -> std::unique_ptr<TreeSearch> {
        constexpr Kind KIND = decltype(kind)::value;
        // Alter Igo needs the hash, Pentalath the fours.
        if constexpr (KIND != Kind::alter_igo && KIND != Kind::pentalath)
            if (!is_rich) return std::make_unique<SearchTree<KIND, false>>(root, settings, avoided, target);
        return std::make_unique<SearchTree<KIND, true>>(root, settings, avoided, target);
    });
}

}  // namespace kernel
