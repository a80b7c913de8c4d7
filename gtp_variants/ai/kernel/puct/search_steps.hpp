// A search with an evaluator in steps, so that many searches can share a batch.
#pragma once

#include <cstdint>
#include <vector>

#include "puct.hpp"

namespace kernel {

class SearchSteps {
  public:
    SearchSteps(PuctTree& tree, Evaluator& evaluator, std::uint64_t playouts);

    // Writes the next leaves. Returns false if the playouts are done, nothing is left to choose or the memory is used
    // up.
    bool ask();
    // Has them judged and backs up the answers.
    void answer();

  private:
    PuctTree& tree_;
    Evaluator& evaluator_;
    std::uint64_t playouts_;
    int rows_ = 0;
    std::vector<float> priors_, values_;
    std::vector<LeafDetails> details_;
};

// Runs a search to its end.
void run_search(PuctTree& tree, Evaluator& evaluator, std::uint64_t playouts);

}  // namespace kernel
