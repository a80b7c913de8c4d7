// A search for a whole game whose evaluator needs no Python: threads on one tree, limits and pondering.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "ai/kernel/belief/should_stop.hpp"
#include "ai/kernel/threads/adaptive_mutex.hpp"
#include "ai/kernel/threads/ponderer.hpp"
#include "ai/kernel/tree/search_limits.hpp"
#include "ai/kernel/tree/tree.hpp"
#include "puct.hpp"

namespace kernel {

class NetworkSearch {
  public:
    // Each thread gets its own evaluator; the objects these refer to must outlive the search.
    NetworkSearch(const State& root, const PuctSettings& settings, const std::vector<Avoided>& avoided,
                  const EvaluatorMaker& make_evaluator);
    NetworkSearch(const NetworkSearch&) = delete;
    NetworkSearch& operator=(const NetworkSearch&) = delete;
    ~NetworkSearch() { stop(); }

    // As in TreeSearch.
    void go_on(const State& root, const std::vector<int>* moves);
    PuctResult think(const SearchLimits& limits, const ShouldStop& should_stop);
    PuctResult so_far();
    void ponder();
    void stop();
    bool is_pondering() const { return ponderer_.is_running(); }

  private:
    // One thread's data beside the tree.
    struct Asker {
        std::unique_ptr<Evaluator> evaluator;
        PuctTree::Leaves leaves;
        std::vector<float> priors, values;
        std::vector<LeafDetails> details;
    };

    void run(const SearchLimits& limits, const ShouldStop& should_stop);
    void begin_anew() noexcept;
    bool ask_once(Asker& asker, const SearchLimits& limits);
    void evaluate(Asker& asker, int rows);
    bool has_enough(const SearchLimits& limits, double took_s);

    PuctTree tree_;
    AdaptiveMutex turn_;  // held while using the tree
    std::vector<Asker> askers_;
    std::uint64_t in_flight_ = 0;
    bool is_root_too_large_ = false;  // the root alone exceeds the memory, so pruning would not help
    std::atomic<bool> must_stop_ = false;
    Ponderer ponderer_;
};

}  // namespace kernel
