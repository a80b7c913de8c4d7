#include "search_steps.hpp"

#include <optional>

namespace kernel {

SearchSteps::SearchSteps(PuctTree& tree, Evaluator& evaluator, std::uint64_t playouts)
    : tree_(tree), evaluator_(evaluator), playouts_(playouts) {
    tree.begin(playouts);
}

bool SearchSteps::ask() {
    while (tree_.playouts() < playouts_ && !tree_.is_decided() && !tree_.is_proved() && !tree_.is_full()) {
        rows_ = tree_.collect(evaluator_.batch(), playouts_ - tree_.playouts(), 0, evaluator_);
        if (rows_ > 0) return true;
    }
    return false;
}

void SearchSteps::answer() {
    priors_.resize(static_cast<std::size_t>(rows_) * tree_.actions());
    values_.resize(static_cast<std::size_t>(rows_) * tree_.colours());
    evaluator_.evaluate(rows_, priors_.data(), values_.data());
    details_.clear();
    for (int row = 0; row < rows_ && tree_.counts_details(); ++row) {
        std::optional<LeafDetails> details = evaluator_.details(row);
        if (!details) break;
        details->owners = nullptr;  // unused
        details_.push_back(*details);
    }
    tree_.update(priors_.data(), values_.data(), details_.empty() ? nullptr : details_.data());
}

void run_search(PuctTree& tree, Evaluator& evaluator, std::uint64_t playouts) {
    SearchSteps steps(tree, evaluator, playouts);
    while (steps.ask()) steps.answer();
}

}  // namespace kernel
