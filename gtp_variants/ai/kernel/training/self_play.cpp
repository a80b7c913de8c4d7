#include "self_play.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "ai/kernel/puct/search_steps.hpp"
#include "ai/kernel/threads/clock.hpp"
#include "ai/kernel/threads/worker_threads.hpp"
#include "ai/kernel/nets/network_evaluator.hpp"
#include "ai/kernel/nets/playout_evaluator.hpp"
#include "ai/kernel/nets/running_game.hpp"

namespace kernel {

namespace {

constexpr std::uint32_t GAMES_A_LONG_OPENING = 10;
constexpr double POLICY_UNIT = 65535;  // the most of 16 bits
constexpr double BETWEEN_ASKING_S = 0.04;

template <class Values> void append_to(Values& all, const Values& more) { all.insert(all.end(), more.begin(), more.end()); }

}  // namespace

class SelfPlayGame {
  public:
    // Dice, opening, depths and search each use their own generator.
    SelfPlayGame(std::shared_ptr<const Rules> rules, const SelfPlaySettings& settings, std::uint64_t number,
                 const EvaluatorMaker& make_evaluator)
        : rules_(rules), settings_(settings), game_(rules, settings.seed, number, true),
          opening_(Rng::of_playout(~settings.seed, number)), depths_(Rng::of_playout(settings.seed + 2, number)) {
        play_opening();
        quick_ = {settings.search, make_evaluator(), settings.playouts};
        deep_ = {settings.deep_search, nullptr, settings.deep_playouts};
        quick_.search.seed = deep_.search.seed = Rng::of_playout(settings.seed + 1, number).next();
        if (settings.deep_share > 0)
            deep_.evaluator = std::make_unique<PlayoutEvaluator>(make_evaluator(), game_.state(),
                                                                 deep_.search.playout_weight, deep_.search.seed);
    }

    // Plays until a position waits to be judged, which the next call has done. Returns false once the game is over.
    bool advance() {
        if (steps_) steps_->answer();
        while (true) {
            if (!steps_ && !begin_search()) break;
            if (steps_->ask()) return true;
            play_found();
        }
        finish();
        return false;
    }

    PlayedGames take() { return std::move(played_); }

  private:
    // A way of searching moves.
    struct Searcher {
        PuctSettings search;
        std::unique_ptr<Evaluator> evaluator;
        int playouts = 0;
    };

    // Starts the search of the next move; returns false if there is none.
    bool begin_search() {
        if (game_.state().is_over() || moves_++ >= settings_.most_moves) return false;
        used_ = depths_.random() < settings_.deep_share ? &deep_ : &quick_;
        // Thousands of games may wait side by side, so none keeps a tree longer than needed.
        tree_.emplace(game_.state(), used_->search);
        steps_.emplace(*tree_, *used_->evaluator, static_cast<std::uint64_t>(used_->playouts));
        return true;
    }

    void play_found() {
        steps_.reset();
        const PuctResult found = tree_->result();
        const bool is_learnt_from = used_ == &deep_ || settings_.deep_share <= 0;
        if (is_learnt_from && !tree_->is_decided()) take_down(found);
        tree_.reset();
        game_.play(found.action);
    }

    // Plays random moves, none of which ends the game.
    void play_opening() {
        const bool is_long = opening_.below(GAMES_A_LONG_OPENING) == 0;
        const int most = is_long ? settings_.long_opening : settings_.opening;
        const auto moves = opening_.below(static_cast<std::uint32_t>(most) + 1);
        for (std::uint32_t i = 0; i < moves; ++i) {
            std::vector<int> legal = game_.state().legal();
            std::erase_if(legal, [](int action) { return action < 0; });
            if (legal.empty()) return;
            const int action = legal[opening_.below(static_cast<std::uint32_t>(legal.size()))];
            RunningGame before = game_;
            game_.play(action);
            if (!game_.state().is_over()) continue;
            game_ = std::move(before);
            return;
        }
    }

    void take_down(const PuctResult& found) {
        const auto actions = static_cast<std::size_t>(rules_->policy_size());
        const std::size_t at = played_.policies.size();
        played_.policies.resize(at + actions);
        for (const auto& [move, share] : found.policy)
            played_.policies[at + static_cast<std::size_t>(rules_->index_of(move))] =
                static_cast<std::uint16_t>(std::lround(share * POLICY_UNIT));
        for (const double value : found.values) played_.values.push_back(static_cast<float>(value));
        played_.places.push_back(static_cast<std::int32_t>(game_.actions().size()));
    }

    void finish() {
        const State& state = game_.state();
        std::optional<Outcome> outcome = state.outcome();
        if (!outcome && rules_->is_go_family()) outcome = state.standing();
        const Colour winner = outcome ? outcome->winner : EMPTY;
        const double margin = outcome ? outcome->margin : 0;
        played_.actions = game_.actions();
        played_.lengths.push_back(static_cast<std::int32_t>(played_.actions.size()));
        played_.positions.push_back(static_cast<std::int32_t>(played_.places.size()));
        played_.winners.push_back(static_cast<std::int8_t>(winner));
        played_.margins.push_back(static_cast<float>(winner == BLACK ? margin : -margin));
        for (const Colour owner : state.owners()) played_.owners.push_back(static_cast<std::int8_t>(owner));
    }

    std::shared_ptr<const Rules> rules_;
    const SelfPlaySettings& settings_;
    RunningGame game_;
    Rng opening_;
    Rng depths_;
    Searcher quick_, deep_;
    Searcher* used_ = nullptr;
    std::optional<PuctTree> tree_;  // of the current move
    std::optional<SearchSteps> steps_;
    int moves_ = 0;
    PlayedGames played_;
};

namespace {

// The next free row of a batch that is evaluated elsewhere.
class BatchRow final : public NetworkRow {
  public:
    BatchRow(const SelfPlayBatch::Rows& rows, std::atomic<std::size_t>& used, const NetworkShape& shape, std::size_t points)
        : rows_(rows), used_(used), shape_(shape), points_(points) {}

    Inputs begin() override {
        row_ = used_++;
        return {rows_.planes + row_ * static_cast<std::size_t>(shape_.planes) * points_,
                rows_.globals + row_ * static_cast<std::size_t>(shape_.globals)};
    }
    void evaluate(std::size_t, Evaluation& out) override {
        const std::int32_t* const logits = rows_.logits + row_ * points_;
        out.logits.assign(logits, logits + points_);
        out.logits.resize(points_ + std::size_t{SPECIALS});
        read_board(shape_, points_, rows_.board + row_ * static_cast<std::size_t>(shape_.outputs_a_board()), out);
    }

  private:
    const SelfPlayBatch::Rows& rows_;
    std::atomic<std::size_t>& used_;
    const NetworkShape& shape_;
    std::size_t points_, row_ = 0;
};

PlayedGames join(const std::vector<PlayedGames>& games) {
    PlayedGames all;
    for (const PlayedGames& each : games) all.append(each);
    return all;
}

}  // namespace

void PlayedGames::append(const PlayedGames& other) {
    append_to(actions, other.actions);
    append_to(lengths, other.lengths);
    append_to(positions, other.positions);
    append_to(places, other.places);
    append_to(policies, other.policies);
    append_to(values, other.values);
    append_to(winners, other.winners);
    append_to(margins, other.margins);
    append_to(owners, other.owners);
}

PlayedGames play_games(std::shared_ptr<const Rules> rules, const Network& network, const NetworkBoard& board,
                       const Encoder& encoder, const SelfPlaySettings& settings, std::uint64_t first, int count, int threads,
                       const ShouldStop& should_stop) {
    std::vector<PlayedGames> games(static_cast<std::size_t>(count));
    std::atomic<int> next{0};
    std::atomic<bool> must_stop{false};
    double asked = wall_seconds();
    const auto look = [&] {
        if (must_stop || wall_seconds() - asked < BETWEEN_ASKING_S) return;
        if (should_stop()) must_stop = true;
        asked = wall_seconds();
    };
    const auto play = [&](int thread) {
        const auto make_evaluator = [&] { return std::make_unique<NetworkEvaluator>(network, encoder, board, *rules); };
        for (int number = next++; number < count; number = next++) {
            SelfPlayGame game(rules, settings, first + static_cast<std::uint64_t>(number), make_evaluator);
            while (game.advance()) {
                if (thread == 0) look();
                if (must_stop) return;
            }
            games[static_cast<std::size_t>(number)] = game.take();
        }
    };
    WorkerThreads workers(std::clamp(threads, 1, count));
    workers.run(
        [&](int thread) {
            try {
                play(thread);
            } catch (...) {
                // The other games would be wasted.
                must_stop = true;
                throw;
            }
        },
        look);
    return must_stop ? PlayedGames() : join(games);
}

SelfPlayBatch::SelfPlayBatch(std::shared_ptr<const Rules> rules, const NetworkShape& shape,
                             std::shared_ptr<const Encoder> encoder, const SelfPlaySettings& settings, std::uint64_t first,
                             int count, int rows, int threads)
    : rules_(std::move(rules)), shape_(shape), encoder_(std::move(encoder)), settings_(settings), first_(first),
      games_(static_cast<std::size_t>(count)), playing_(static_cast<std::size_t>(rows)), workers_(std::max(1, threads)) {}

SelfPlayBatch::~SelfPlayBatch() = default;

std::size_t SelfPlayBatch::advance(const Rows& rows) {
    rows_ = rows;
    used_ = 0;
    // A game stays with its thread, whose caches hold its tree.
    const auto threads = static_cast<std::size_t>(workers_.parts());
    workers_.run([&](int part) {
        for (auto i = static_cast<std::size_t>(part); i < playing_.size(); i += threads) advance(playing_[i]);
    });
    return used_;
}

// Plays until a position of this game waits, or of the next one after its end.
void SelfPlayBatch::advance(Playing& playing) {
    while (playing.game || begin_game(playing)) {
        if (playing.game->advance()) return;
        games_[playing.number] = playing.game->take();
        playing.game.reset();
    }
}

bool SelfPlayBatch::begin_game(Playing& playing) {
    playing.number = begun_++;
    if (playing.number >= games_.size()) return false;
    playing.game = std::make_unique<SelfPlayGame>(rules_, settings_, first_ + playing.number, [this] {
        return std::make_unique<NetworkEvaluator>(std::make_unique<BatchRow>(rows_, used_, shape_, points()), shape_,
                                                  *encoder_, *rules_);
    });
    return true;
}

PlayedGames SelfPlayBatch::games() const { return join(games_); }

}  // namespace kernel
