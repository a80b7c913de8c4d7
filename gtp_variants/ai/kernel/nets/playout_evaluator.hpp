// An evaluator that mixes values with results of random playouts (Silver and others, "Mastering the game of Go with
// deep neural networks and tree search", 2016: lambda).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ai/kernel/playouts/playout.hpp"
#include "ai/kernel/puct/puct.hpp"

namespace kernel {

// Use it from one thread. With more than two colours it returns the other evaluator's values unchanged.
class PlayoutEvaluator final : public Evaluator {
  public:
    // `weight` is a playout's share of a position's value, the rest is `judge`'s. Playout number n depends on `seed`
    // and n.
    PlayoutEvaluator(std::unique_ptr<Evaluator> judge, const State& root, double weight, std::uint64_t seed);

    int batch() const override { return judge_->batch(); }
    void write(int row, const State& state, const std::uint8_t* mask) override;
    bool knows_more() const override { return judge_->knows_more(); }
    // Asks only the other evaluator again.
    void write_again(int row, const State& state, const std::uint8_t* mask) override;
    void evaluate(int rows, float* priors, float* values) override;
    std::optional<LeafDetails> details(int row) const override;

  private:
    // The start of a playout.
    struct Beginning {
        std::vector<Colour> stones;
        Vertex ko = NOWHERE;
        Colour mover = EMPTY;  // EMPTY: there is no playout
        PlayoutTurn turn;
        std::vector<std::size_t> known;  // openings of known draws
    };
    using PlayOn = std::function<PlayoutEnd(const Beginning&, Rng)>;
    Beginning& beginning_of(int row);
    template <Kind KIND> static PlayOn player_on(const std::shared_ptr<PlayoutStart>& start);

    std::unique_ptr<Evaluator> judge_;
    std::vector<Colour> order_;
    std::shared_ptr<PlayoutStart> start_;
    float weight_;
    std::uint64_t seed_, played_ = 0;
    PlayOn play_on_;  // empty without playouts
    std::vector<Beginning> beginnings_;
    std::vector<double> changes_;  // of the first colour's share, row by row
};

}  // namespace kernel
