#include "network_search.hpp"

#include <algorithm>
#include <mutex>

#include "ai/kernel/threads/clock.hpp"
#include "ai/kernel/threads/parallel.hpp"

namespace kernel {

namespace {

constexpr std::uint64_t BETWEEN_LOOKS = 4;  // batches between two checks of the clock

}  // namespace

NetworkSearch::NetworkSearch(const State& root, const PuctSettings& settings, const std::vector<Avoided>& avoided,
                             const EvaluatorMaker& make_evaluator)
    : tree_(root, settings, avoided), askers_(static_cast<std::size_t>(std::max(1, settings.threads))) {
    for (Asker& asker : askers_) asker.evaluator = make_evaluator();
}

void NetworkSearch::go_on(const State& root, const std::vector<int>* moves) {
    stop();
    is_root_too_large_ = false;
    tree_.go_on(root, moves);
}

PuctResult NetworkSearch::think(const SearchLimits& limits, const ShouldStop& should_stop) {
    stop();
    must_stop_ = false;
    run(limits, should_stop);
    return tree_.result();
}

PuctResult NetworkSearch::so_far() {
    const std::lock_guard held(turn_);
    return tree_.result();
}

void NetworkSearch::ponder() {
    stop();
    must_stop_ = false;
    ponderer_.start([this] { run(SearchLimits{}, nullptr); });
}

void NetworkSearch::stop() {
    must_stop_ = true;
    ponderer_.join();
}

// The calling thread searches like the others and also checks the clock.
void NetworkSearch::run(const SearchLimits& limits, const ShouldStop& should_stop) {
    const auto clock = limits.cpu_time ? thread_seconds : wall_seconds;
    const double begin_s = clock();
    double asked = wall_seconds();
    tree_.begin(limits.playouts);
    const auto search = [&](std::size_t thread) {
        if (thread > 0) {
            while (ask_once(askers_[thread], limits)) {
            }
            return;
        }
        for (std::uint64_t batches = 1; ask_once(askers_[0], limits); ++batches) {
            if (batches % BETWEEN_LOOKS != 0) continue;
            if (has_enough(limits, limits.seconds > 0 ? clock() - begin_s : 0)) break;
            if (!should_stop || wall_seconds() - asked < ASK_EVERY_S) continue;
            if (should_stop()) break;
            asked = wall_seconds();
        }
        must_stop_ = true;
    };
    try {
        run_in_parallel(askers_.size(), search, [this] { must_stop_ = true; });
    } catch (...) {
        begin_anew();
        throw;
    }
}

// After a failure, discards the waiting leaves and frees the memory of the tree.
void NetworkSearch::begin_anew() noexcept {
    for (Asker& asker : askers_) asker.leaves.clear();
    in_flight_ = 0;
    is_root_too_large_ = false;
    try {
        tree_.begin_anew();
    } catch (...) {
        // The original exception is reported.
    }
}

// Has one batch of leaves judged; returns false if there is nothing more to do.
bool NetworkSearch::ask_once(Asker& asker, const SearchLimits& limits) {
    int rows = 0;
    std::uint64_t begun = 0;
    {
        const std::lock_guard held(turn_);
        const std::uint64_t done = tree_.playouts() + in_flight_;
        if (must_stop_ || (limits.playouts > 0 && done >= limits.playouts)) return false;
        if (tree_.is_proved()) return false;
        // A single move needs no search, but its value may be wanted.
        if (tree_.is_decided() && limits.stop_early && limits.has_any() && tree_.playouts() >= ONLY_MOVE) return false;
        // Pondering ends when the memory is full.
        if (limits.has_any() && tree_.is_full() && !is_root_too_large_) {
            tree_.prune();
            is_root_too_large_ = tree_.is_full();
        }
        const std::uint64_t left = limits.playouts > 0 ? limits.playouts - done : UINT64_MAX;
        rows = tree_.collect(asker.leaves, asker.evaluator->batch(), left, 0, *asker.evaluator);
        // Count only rows that become playouts: a thread waiting for the last ones must not mistake other questions for
        // them.
        in_flight_ += begun = PuctTree::playouts_of(asker.leaves);
    }
    // All leaves wait for other threads' answers.
    if (rows == 0) {
        std::this_thread::yield();
        return true;
    }
    try {
        evaluate(asker, rows);
    } catch (...) {
        const std::lock_guard held(turn_);
        in_flight_ -= begun;
        tree_.discard(asker.leaves);
        throw;
    }
    const std::lock_guard held(turn_);
    in_flight_ -= begun;
    const LeafDetails* const details = asker.details.empty() ? nullptr : asker.details.data();
    tree_.update(asker.leaves, asker.priors.data(), asker.values.data(), details, false);
    return true;
}

void NetworkSearch::evaluate(Asker& asker, int rows) {
    const auto count = static_cast<std::size_t>(rows);
    asker.priors.resize(count * tree_.actions());
    asker.values.resize(count * tree_.colours());
    asker.evaluator->evaluate(rows, asker.priors.data(), asker.values.data());
    asker.details.clear();
    for (int row = 0; row < rows; ++row) {
        const std::optional<LeafDetails> details = asker.evaluator->details(row);
        if (details) asker.details.push_back(*details);
    }
}

bool NetworkSearch::has_enough(const SearchLimits& limits, double took_s) {
    const std::lock_guard held(turn_);
    if (!limits.has_any()) return tree_.is_full();
    const auto [best, second] = tree_.most_visits();
    return is_enough(limits, best, second, tree_.playouts(), took_s);
}

}  // namespace kernel
