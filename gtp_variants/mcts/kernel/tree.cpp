// The search tree of one game: threads that search it, when they end, and what they found.
#include "tree.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>

#include "clock.hpp"
#include "search_worker.hpp"
#include "tree_nodes.hpp"
#include "with_kind.hpp"

namespace kernel {

namespace {

constexpr std::uint64_t BETWEEN_LOOKS = 16;  // playouts between two looks at the clock
constexpr double BETWEEN_ASKING_S = 0.02;
constexpr double CLOSE = 2.5;  // so many times the visits of the second move make the best one clear

template <Kind KIND, bool RICH> class SearchTree final : public TreeSearch {
  public:
    SearchTree(const State& root, const SearchSettings& settings, const std::vector<Avoided>& avoided)
        : shared_(settings, KIND == Kind::aleago ? root.rules->numbers.size() + 1 : 0, avoided) {
        SearchTree::go_on(root, nullptr);
    }
    SearchTree(const SearchTree&) = delete;
    SearchTree& operator=(const SearchTree&) = delete;
    ~SearchTree() override { SearchTree::stop(); }

    void go_on(const State& root, const std::vector<int>* moves) override {
        stop();
        auto base = std::make_unique<SearchRoot<B>>(root, shared_.settings.dice_aware);
        const Node* known = moves ? find(*moves) : nullptr;
        // Where two throws are known, what was found under all the others misleads.
        if (base->start.known.size() > 1) known = nullptr;
        workers_.clear();
        base_ = std::move(base);
        for (int i = 0; i < std::max(1, shared_.settings.threads); ++i)
            workers_.push_back(std::make_unique<Worker<KIND, RICH>>(shared_, *base_));
        workers_[0]->make_root(known);
        if (known) shared_.arena.keep_below(shared_.root());
        else shared_.arena.clear();
    }

    SearchResult think(const SearchLimits& limits, const std::function<bool()>& ask) override {
        stop();
        must_stop_ = false;
        return run(limits, ask);
    }

    SearchResult so_far() override { return found(next_ - first_, 1); }

    void ponder() override {
        stop();
        must_stop_ = false;
        is_pondering_ = true;
        ponderer_ = std::thread([this] {
            try {
                run(SearchLimits{}, nullptr);
            } catch (const std::bad_alloc&) {
                // It was only a try.
            }
            is_pondering_ = false;
        });
    }

    void stop() override {
        must_stop_ = true;
        if (ponderer_.joinable()) ponderer_.join();
    }

    bool is_pondering() const override { return is_pondering_; }

  private:
    using B = typename Worker<KIND, RICH>::B;

    // The node so many moves below the root, null if there is none.
    const Node* find(const std::vector<int>& moves) {
        const Node* node = &shared_.root();
        for (const int move : moves) {
            const Child* const child = std::find_if(node->begin(), node->end(), [move](const Child& c) { return c.move == move; });
            node = child == node->end() ? nullptr : child->below();
            if (!node) return nullptr;
        }
        return node;
    }

    SearchResult run(const SearchLimits& limits, const std::function<bool()>& ask) {
        const std::uint64_t first = first_ = next_;
        for (const auto& worker : workers_) worker->begin();
        std::vector<std::thread> others;
        try {
            for (std::size_t i = 1; i < workers_.size(); ++i)
                others.emplace_back([this, &limits, first, &worker = *workers_[i]] {
                    while (simulate(worker, limits, first)) {
                    }
                });
        } catch (const std::system_error&) {
            // The machine allows no more threads: those that there are do.
        }
        lead(*workers_[0], limits, first, ask);
        must_stop_ = true;
        for (std::thread& other : others) other.join();
        std::uint64_t done = 0;
        for (const auto& worker : workers_) done += worker->done();
        next_ = first + done;
        return found(done, workers_.size());
    }

    // What the calling thread does: it also looks at the clock.
    void lead(Worker<KIND, RICH>& worker, const SearchLimits& limits, std::uint64_t first, const std::function<bool()>& ask) {
        const auto clock = limits.cpu_time ? thread_seconds : wall_seconds;
        const double begin_s = clock();
        double asked = wall_seconds();
        while (simulate(worker, limits, first)) {
            if (worker.done() % BETWEEN_LOOKS != 0) continue;
            if (is_enough(limits, next_ - first, limits.seconds > 0 ? clock() - begin_s : 0)) break;
            if (!ask || wall_seconds() - asked < BETWEEN_ASKING_S) continue;
            if (!ask()) break;
            asked = wall_seconds();
        }
    }

    // One playout; false if there is to be no other.
    bool simulate(Worker<KIND, RICH>& worker, const SearchLimits& limits, std::uint64_t first) {
        if (must_stop_.load(std::memory_order_relaxed)) return false;
        const std::uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
        if (limits.playouts > 0 && index - first >= limits.playouts) return false;
        worker.simulate(index);
        if (is_decided(limits)) must_stop_ = true;
        return true;
    }

    static bool is_limited(const SearchLimits& limits) { return limits.playouts > 0 || limits.seconds > 0; }

    bool is_decided(const SearchLimits& limits) {
        const Node& root = shared_.root();
        // The only move needs no search, but there may be much to find behind it.
        if (root.is_over || (root.count <= 1 && is_limited(limits))) return true;
        return proved() != 0;
    }

    // 1 if a win of the side to play was proved, -1 if a loss was.
    int proved() {
        const Node& root = shared_.root();
        if (!workers_[0]->has_proofs()) return 0;
        if (root.is_over) return root.winner == EMPTY ? 0 : root.winner == root.mover ? 1 : -1;
        if (std::any_of(root.begin(), root.end(), [](const Child& child) { return child.proof == Proof::won; })) return 1;
        return Worker<KIND, RICH>::all_lost(root) ? -1 : 0;
    }

    bool is_enough(const SearchLimits& limits, std::uint64_t done, double took_s) {
        if (!is_limited(limits)) return shared_.is_full();
        double best = 0, second = 0;
        for (const Child& child : shared_.root()) {
            if (child.proof == Proof::lost) continue;
            const double visits = child.visits;
            second = std::max(second, std::min(best, visits));
            best = std::max(best, visits);
        }
        const double end_s = best < CLOSE * second ? std::max(limits.seconds, limits.most_seconds) : limits.seconds;
        if (limits.seconds > 0 && took_s >= end_s) return true;
        if (!limits.stop_early) return false;
        double left = limits.playouts > 0 ? static_cast<double>(limits.playouts) - static_cast<double>(done) : INFINITY;
        if (limits.seconds > 0) left = std::min(left, static_cast<double>(done) * (end_s - took_s) / std::max(took_s, 1e-6));
        return best - second > left;
    }

    // -- the reply ----------------------------------------------------------------------------------------------------

    // The child that is visited most, a won one before all, a lost one only if there is no other; the node has some.
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

    // After so many playouts; turns and values are those of the first workers, the others may still be at work.
    SearchResult found(std::uint64_t playouts, std::size_t counted) {
        SearchResult reply;
        reply.playouts = playouts;
        reply.proved = proved();
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
        const Node& root = shared_.root();
        for (const Child& child : root) reply.visits.emplace_back(child.move, child.visits);
        for (const Child& child : root) {
            if (child.games > 0) reply.shares.emplace_back(child.move, child.won / child.games);
        }
        const Node* node = &root;
        while (node && node->count > 0) {
            const Child& best = best_of(*node);
            if (node != &root && best.visits == 0) break;
            reply.principal_variation.push_back(best.move);
            node = best.below();
        }
        if (!reply.principal_variation.empty()) reply.action = reply.principal_variation[0];
        return reply;
    }

    SharedTree shared_;
    std::unique_ptr<SearchRoot<B>> base_;
    std::vector<std::unique_ptr<Worker<KIND, RICH>>> workers_;
    std::atomic<std::uint64_t> next_ = 0;  // the number of the next playout
    std::uint64_t first_ = 0;              // that of the first one of this search
    std::atomic<bool> must_stop_ = false;    // that it is to end
    std::atomic<bool> is_pondering_ = false;
    std::thread ponderer_;
};

}  // namespace

std::unique_ptr<TreeSearch> make_search(const State& root, const SearchSettings& settings, const std::vector<Avoided>& avoided) {
    // A search blind to the dice to come is one of ordinary Go.
    const bool is_blind = root.rules->game == Game::aleago && !settings.dice_aware;
    const bool is_rich = settings.atari || settings.shapes || settings.priors;
    return with_kind(is_blind ? Game::go : root.rules->game, [&](auto kind) -> std::unique_ptr<TreeSearch> {
        constexpr Kind KIND = decltype(kind)::value;
        // Alter Igo needs the hash, Pentalath the fours.
        if constexpr (KIND != Kind::alter_igo && KIND != Kind::pentalath)
            if (!is_rich) return std::make_unique<SearchTree<KIND, false>>(root, settings, avoided);
        return std::make_unique<SearchTree<KIND, true>>(root, settings, avoided);
    });
}

}  // namespace kernel
