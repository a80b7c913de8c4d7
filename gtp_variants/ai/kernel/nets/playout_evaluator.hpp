// An evaluator whose values are mixed with those of games played on at random (Silver and others, "Mastering the game of
// Go with deep neural networks and tree search", 2016: lambda).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ai/kernel/playouts/playout.hpp"
#include "ai/kernel/puct/puct.hpp"

namespace kernel {

// One thread may use it. Games with more than two colours are not played on: there it says what the other evaluator says.
class PlayoutEvaluator final : public Evaluator {
  public:
    // Of a position's value `weight` is a playout's, the rest is `judge`'s. Playout number n is decided by `seed` and n.
    PlayoutEvaluator(std::unique_ptr<Evaluator> judge, const State& root, double weight, std::uint64_t seed);

    int batch() const override { return judge_->batch(); }
    void write(int row, const State& state, const std::uint8_t* mask) override;
    bool knows_more() const override { return judge_->knows_more(); }
    // Only the other one is asked again.
    void write_again(int row, const State& state, const std::uint8_t* mask) override;
    void evaluate(int rows, float* priors, float* values) override;
    std::optional<LeafDetails> details(int row) const override;

  private:
    // A position that a playout begins with.
    struct Beginning {
        std::vector<Colour> stones;
        Vertex ko = NOWHERE;
        Colour mover = EMPTY;  // or nobody, and nothing is played
        PlayoutTurn turn;
        std::vector<std::size_t> known;  // openings of the draws that are known
    };
    using PlayOn = std::function<PlayoutEnd(const Beginning&, Rng)>;
    Beginning& beginning_of(int row);
    template <Kind KIND> static PlayOn player_on(const std::shared_ptr<PlayoutStart>& start);

    std::unique_ptr<Evaluator> judge_;
    std::vector<Colour> order_;
    std::shared_ptr<PlayoutStart> start_;
    float weight_;
    std::uint64_t seed_, played_ = 0;
    PlayOn play_on_;  // empty where none is
    std::vector<Beginning> beginnings_;
    std::vector<double> changes_;  // of the first colour's share, row by row
};

}  // namespace kernel
