#include "self_play.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <utility>

#include "network_evaluator.hpp"
#include "playout_evaluator.hpp"
#include "running_game.hpp"
#include "worker_threads.hpp"

namespace kernel {

namespace {

constexpr std::uint32_t GAMES_A_LONG_OPENING = 10;
constexpr double POLICY_UNIT = 65535;

template <class Values> void append_to(Values& all, const Values& more) { all.insert(all.end(), more.begin(), more.end()); }

class SelfPlayGame {
  public:
    SelfPlayGame(std::shared_ptr<const Rules> rules, const SelfPlaySettings& settings, std::uint64_t number)
        : rules_(rules), settings_(settings), game_(rules, settings.seed, number, true),
          opening_(Rng::of_playout(~settings.seed, number)), depths_(Rng::of_playout(settings.seed + 2, number)) {
        search_ = settings.search;
        deep_search_ = settings.deep_search;
        search_.seed = deep_search_.seed = Rng::of_playout(settings.seed + 1, number).next();
    }

    // `make_evaluator` makes others like the one for most moves.
    PlayedGames play(Evaluator& evaluator, const std::function<std::unique_ptr<Evaluator>()>& make_evaluator) {
        play_opening();
        const bool has_deep = settings_.deep_share > 0;
        PuctTree tree(game_.state(), search_), deep_tree(game_.state(), deep_search_);
        std::unique_ptr<Evaluator> deep_evaluator;
        if (has_deep)
            deep_evaluator = std::make_unique<PlayoutEvaluator>(make_evaluator(), game_.state(), deep_search_.playout_weight,
                                                                deep_search_.seed);
        int moves = 0;
        while (!game_.state().is_over() && moves++ < settings_.most_moves) {
            const bool is_deep = depths_.random() < settings_.deep_share;
            PuctTree& used = is_deep ? deep_tree : tree;
            used.go_on(game_.state(), nullptr);
            run_search(used, is_deep ? *deep_evaluator : evaluator,
                       static_cast<std::uint64_t>(is_deep ? settings_.deep_playouts : settings_.playouts));
            const PuctResult found = used.result();
            if (is_deep == has_deep && !used.is_decided()) take_down(found);
            game_.play(found.action);
        }
        finish();
        return std::move(played_);
    }

  private:
    // Moves at random, but none that ends the game.
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
    PuctSettings search_, deep_search_;
    RunningGame game_;
    Rng opening_;
    Rng depths_;
    PlayedGames played_;
};

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
                       const Encoder& encoder, const SelfPlaySettings& settings, std::uint64_t first, int count, int threads) {
    std::vector<PlayedGames> games(static_cast<std::size_t>(count));
    std::atomic<int> next{0};
    WorkerThreads workers(std::clamp(threads, 1, count));
    workers.run([&](int) {
        const auto make_evaluator = [&] { return std::make_unique<NetworkEvaluator>(network, encoder, board, *rules); };
        const std::unique_ptr<Evaluator> evaluator = make_evaluator();
        for (int game = next++; game < count; game = next++)
            games[static_cast<std::size_t>(game)] =
                SelfPlayGame(rules, settings, first + static_cast<std::uint64_t>(game)).play(*evaluator, make_evaluator);
    });
    PlayedGames all;
    for (const PlayedGames& each : games) all.append(each);
    return all;
}

}  // namespace kernel
