// A search with an evaluator in steps, so that many can wait for what judges their positions together.
#pragma once

#include <cstdint>
#include <vector>

#include "puct.hpp"

namespace kernel {

class SearchSteps {
  public:
    SearchSteps(PuctTree& tree, Evaluator& evaluator, std::uint64_t playouts);

    // Has the next leaves written. False once so many playouts are made, there is nothing to choose, or the memory is
    // used up.
    bool ask();
    // Has them judged and brings that back to the tree.
    void answer();

  private:
    PuctTree& tree_;
    Evaluator& evaluator_;
    std::uint64_t playouts_;
    int rows_ = 0;
    std::vector<float> priors_, values_;
    std::vector<LeafDetails> details_;
};

// Searches from the first step to the last.
void run_search(PuctTree& tree, Evaluator& evaluator, std::uint64_t playouts);

}  // namespace kernel
