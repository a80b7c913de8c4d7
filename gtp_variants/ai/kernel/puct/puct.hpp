// Tree search with an evaluator: PUCT with priors and with values for each colour.
//
// `mcts/plain/puct.py` states the algorithm; with one leaf at a time and without the following, both visit the same
// moves.
// * Leaves are collected before the evaluator is asked. Until it answers, each move on the path counts as a loss of its
//   player (virtual loss), so that the next descent goes elsewhere. A descent to a leaf already waiting is given up.
// * Games without a score are proved: a node is won once one of its moves wins, and has the value of the best once all
//   are proved. A repetition is a draw. In Pentalath fives are completed, and threatened fives blocked.
// * The root may have noise on its priors, or sequential halving among moves drawn by Gumbel variables.
//
// Sources: D. Silver and others, "A general reinforcement learning algorithm that masters chess, shogi and Go through
// self-play", 2018 (noise, virtual loss). KataGo's `searchexplorehelpers.cpp` (first-play urgency). I. Danihelka and
// others, "Policy improvement by planning with Gumbel", 2022, and `mctx` (Gumbel root; the outcome of the dice with the
// highest p/(N+1)).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ai/kernel/belief/rng.hpp"
#include "ai/kernel/rules/state.hpp"
#include "ai/kernel/tree/tree.hpp"

namespace kernel {

// The settings that `PuctSettings` in `settings.py` describes.
struct PuctSettings {
    std::uint64_t seed = 0;
    double virtual_loss = 1;
    double exploration = 1.3;
    double fpu_reduction = 0.25;
    double noise = 0;
    double noise_total = 10.83;
    double wide_root_noise = 0;
    double temperature = 0;
    double lcb_weight = 2;
    int gumbel = 0;
    bool gumbel_noise = true;
    double value_scale = 0.35;
    int visit_offset = 50;
    double memory_mb = 1024;
    int threads = 1;
    double score_weight = 0.2;
    double draw_value = 0.5;
    double playout_weight = 0;
    double playout_equivalence = 20;
    bool chance_values = false;
    double exploration_growth = 0;
    bool tactics = true;
    bool proofs = true;
};

// An evaluation beyond priors and values, from the view of the first colour in turn order.
struct LeafDetails {
    double draw = 0;                // probability of a draw
    bool has_score = false;         // whether the following fields are set
    double lead = 0;                // expected, in points
    double spread = 0;              // its standard deviation
    const float* owners = nullptr;  // owner of each point, 1 (first colour) to -1; null if unknown
    double playout_change = 0;      // change of its share by a random playout, included in the value
};

// Sums of each point's owner over judged leaves, 1 (first colour) to -1. Immutable, since results and a growing tree
// share them.
struct OwnerSums {
    std::uint64_t count = 0;  // number of leaves
    std::vector<double> sums, squares;

    // Returns the sums with one more leaf; `before` may be null.
    static std::shared_ptr<const OwnerSums> add(const OwnerSums* before, const float* owners, std::size_t points);
    std::vector<double> means() const;
};

// The interface that writes down the positions a search wants judged.
class LeafWriter {
  public:
    virtual ~LeafWriter() = default;

    // Writes position number `row` of the batch; `mask` shows the legal moves by policy index, none before a throw.
    virtual void write(int row, const State& state, const std::uint8_t* mask) = 0;

    // Returns whether better priors are available at a higher cost; they may then be requested separately.
    virtual bool knows_more() const { return false; }
    virtual void write_again(int row, const State& state, const std::uint8_t* mask) { write(row, state, mask); }
};

// An interface that judges positions without Python, such as a network. Use it from one thread.
class Evaluator : public LeafWriter {
  public:
    // Returns the number of positions wanted at once.
    virtual int batch() const = 0;

    // Judges the first `rows` positions written. `priors`, one row of policy indices each, are at least 0, with a
    // positive one in the mask; `values`, one row of `colours` each, are shares of the score in turn order.
    virtual void evaluate(int rows, float* priors, float* values) = 0;

    // Returns further results for a position of the last batch, if any.
    virtual std::optional<LeafDetails> details(int /*row*/) const { return std::nullopt; }
};

// Makes an evaluator for each thread or each game.
using EvaluatorMaker = std::function<std::unique_ptr<Evaluator>()>;

struct PuctResult {
    int action = PASS;
    std::vector<std::pair<int, std::uint32_t>> visits;
    std::vector<double> values;
    std::vector<int> principal_variation;
    std::uint64_t playouts = 0;
    std::uint64_t turns = 0;
    std::vector<std::pair<int, double>> shares;
    // Without dice to be thrown: for the side to play, from -1 to 1, beyond which draws and the score count. Each visited
    // move has a lower bound too, by which moves are chosen.
    std::optional<double> utility;
    std::vector<std::pair<int, std::pair<double, double>>> utilities;
    std::vector<std::pair<int, double>> priors;
    std::vector<std::pair<int, std::vector<int>>> lines;
    std::vector<std::pair<int, std::vector<std::uint32_t>>> line_visits;  // for each move of those lines
    int proved = 0;  // 1: a proved win for the side to play, -1: a proved loss
    std::vector<std::pair<int, double>> policy;
    std::optional<double> score;  // the first colour's lead
    double score_stdev = 0;
    std::vector<std::pair<int, std::pair<double, double>>> scores;  // mean and deviation for each visited move
    // Sums over all judged leaves (first), and over those under each move.
    std::vector<std::pair<std::optional<int>, std::shared_ptr<const OwnerSums>>> owners;
};

// The tree of one game, from which leaves are collected and to which their values return.
class PuctTree {
    struct Node;
    struct Edge;
    class NodeStore;
    using Path = std::vector<std::pair<Node*, std::uint32_t>>;
    struct Asked {
        Node* node;
        Path path;
        std::vector<int> moves;  // its future moves
        bool is_again;           // for its priors alone
    };

  public:
    // Leaves waiting for an answer.
    using Leaves = std::vector<Asked>;

    // Starts at a position that is not final.
    PuctTree(const State& root, const PuctSettings& settings, const std::vector<Avoided>& avoided = {});
    ~PuctTree();
    PuctTree(const PuctTree&) = delete;
    PuctTree& operator=(const PuctTree&) = delete;

    // Moves on to a position `moves` after the last one, or starts afresh if they are null.
    void go_on(const State& root, const std::vector<int>* moves);

    // Forgets all results and the waiting leaves.
    void begin_anew() { go_on(state_, nullptr); }

    // Resets the count of playouts; `playouts` is how many will follow, 0 if unknown.
    void begin(std::uint64_t playouts);

    // Writes up to `most` leaves into rows from `first` on, within `playouts` playouts; returns the number of rows.
    int collect(int most, std::uint64_t playouts, int first, LeafWriter& writer) {
        return collect(asked_, most, playouts, first, writer);
    }
    // Backs up the answers for the collected leaves, starting at the first row. `details` as below.
    void update(const float* priors, const float* values, const LeafDetails* details = nullptr) {
        update(asked_, priors, values, details, true);
    }
    // Returns the number of waiting leaves.
    std::size_t waiting() const { return asked_.size(); }
    // Drops the waiting leaves.
    void discard() { discard(asked_); }

    // The same for several callers, each with its own leaves, but not at the same moment. With `details`, one per leaf,
    // draws and leads are backed up too. When the memory is used up, leaves get values but no moves.
    int collect(Leaves& leaves, int most, std::uint64_t playouts, int first, LeafWriter& writer);
    void update(Leaves& leaves, const float* priors, const float* values, const LeafDetails* details, bool may_grow);
    void discard(Leaves& leaves);
    // Returns how many of the leaves will be playouts: not the root, nor those evaluated again.
    static std::uint64_t playouts_of(const Leaves& leaves);

    std::uint64_t playouts() const { return playouts_; }
    // Returns the length of a row of priors, and of values.
    std::size_t actions() const { return mask_.size(); }
    std::size_t colours() const { return state_.rules->colours.size(); }
    const Rules& rules() const { return *state_.rules; }
    bool is_decided() const;
    // Returns whether the winner, or a draw, is proved.
    bool is_proved() const;
    bool is_full() const;
    // Returns whether leads or draws count beside the values.
    bool counts_details() const { return settings_.score_weight > 0 || counts_draws(); }
    // When full, drops the moves of the least visited nodes until half of the memory is free. They keep their values
    // and are judged again at their next visit. Waiting leaves stay.
    void prune();
    // Returns the most and the second most visits of a root move.
    std::pair<std::uint32_t, std::uint32_t> most_visits() const;
    PuctResult result() const;

  private:
    // The value that goes up a path: shares by colour, the first colour's lead and its square, the probability of a
    // draw, and the part of its share that comes from a random playout.
    struct Value {
        std::array<double, 3> shares{};
        double lead = 0;
        double square = 0;
        double draw = 0;
        double playout_change = 0;
    };
    void share_among_players(Value& value) const;
    void replace_priors(const Asked& asked, const float* priors);
    Value read_value(const Asked& asked, const float* shares, const LeafDetails* details);
    void bring_back(const Asked& asked, const float* priors, const Value& value, bool may_grow);

    // A position, as compared for repetition.
    struct SeenPosition {
        Hash stones;
        Colour mover;
        int passes_left;

        bool operator==(const SeenPosition&) const = default;
    };
    struct Root {
        const Node* node;
        double odds;
    };

    void set_up(Node& node, const State& state, bool may_be_over, bool is_circle = false);
    void set_up_chance(Node& node, const State& state);
    void make_root(const State& state);
    Node* descend(State& state, Path& path, std::uint64_t begun, bool asks_again);
    bool deserves_more(const Node& node) const;
    static bool closes_circle(const State& state, std::vector<SeenPosition>& seen);
    Value exact_value(const Node& node) const;
    void prove(const Path& path) const;
    void prove(Node& node) const;
    bool is_won(const Edge& edge, const Node& node) const;
    bool is_lost(const Edge& edge, const Node& node) const;
    double share_of(const Edge& edge, const Node& node) const;
    double bound_of(const Edge& edge, const Node& node) const;
    double mean_of(const Edge& edge) const;
    double shrinkage(double playout_change, double visits) const;
    Colour colour_of(const Node& node) const;
    std::vector<int> moves_of(Node& node, const Path& path, const State& state);
    void ask(Leaves& leaves, Node& node, const Path& path, const State& state, int row, LeafWriter& writer);
    void ask_again(Leaves& leaves, Node& node, const Path& path, const State& state, int row, LeafWriter& writer);
    void mark_legal(const State& state);
    void update_path(const Path& path, Node& leaf, const Value& value);
    void add_owners(const Path& path, const float* owners);
    void grow(Node& node, const std::vector<int>& moves);
    void set_priors(Node& node, const float* priors) const;
    double bonus(const Value& value) const;
    // Returns whether a draw counts other than half a game.
    bool counts_draws() const { return settings_.draw_value != 0.5 && colours() == 2; }
    static void leave(const Path& path);
    static std::uint64_t length(const Path& path);

    std::uint32_t select(const Node& node) const;
    double utility_of(const Node& node) const;
    double exploration_at(const Node& node) const;
    std::uint32_t select_by_halving(const Node& node, std::uint64_t playout);
    static std::uint32_t select_outcome(const Node& node);
    void plan(const Node& node);
    std::vector<double> gumbel_scores(const Node& node) const;
    std::vector<double> improved_logits(const Node& node) const;
    void prepare_root();
    Rng rng(int purpose) const;

    void find(Node& node, const State& state, const std::vector<int>& moves, std::size_t next,
              const std::vector<int>& wanted, Node*& best) const;
    void cut_off(const Node& wanted);
    void drop(Node& node);
    double most_bytes() const;

    std::vector<Root> roots() const;
    double won_by(const Edge& edge, std::size_t seat) const;
    static std::vector<const Edge*> line_from(const Edge& edge);
    int choose(const std::vector<std::pair<int, std::uint32_t>>& visits, const std::vector<Root>& roots) const;
    int draw_by_visits(const std::vector<std::pair<int, std::uint32_t>>& visits,
                       const std::vector<std::uint32_t>& counts) const;
    std::vector<double> policy_of(const Node& node) const;
    std::vector<double> visits_without_noise(const Node& node) const;
    std::vector<std::pair<int, double>> by_move(const std::vector<Root>& roots, bool of_policy) const;

    PuctSettings settings_;
    std::vector<Avoided> avoided_;
    State state_;  // of the root
    std::unique_ptr<NodeStore> nodes_;
    Node* root_ = nullptr;
    std::vector<double> root_priors_;  // without noise
    Leaves asked_;
    bool has_proofs_ = false;
    bool has_circles_ = false;
    bool has_scores_ = false;  // whether leads were given
    bool has_draws_ = false;   // whether draws were given
    double centre_ = 0;        // the lead that counts as neutral
    std::shared_ptr<const OwnerSums> owners_;  // of the leaves judged under this root
    std::vector<std::shared_ptr<const OwnerSums>> owners_after_;  // of those under each of its moves, by policy index
    std::vector<std::uint8_t> mask_;
    std::uint64_t planned_ = 0;
    std::uint64_t playouts_ = 0;
    std::uint64_t turns_ = 0;
    std::vector<double> gumbels_;
    std::vector<std::uint32_t> considered_;
};

}  // namespace kernel
