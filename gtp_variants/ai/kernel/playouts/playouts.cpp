// Runs and counts many playouts on many threads.
#include <algorithm>
#include <atomic>
#include <chrono>

#include "check_board.hpp"
#include "ai/kernel/threads/parallel.hpp"
#include "playout.hpp"
#include "with_kind.hpp"

namespace kernel {

namespace {

constexpr std::uint64_t CHUNK = 16;  // playouts that a thread takes at a time
// Turns that end a playout, in addition to those per point; as in `plain/playout.py`.
constexpr int TURNS = 40;
constexpr int TURNS_A_POINT = 3;
constexpr int ALTER_IGO_TURNS_A_POINT = 4;
constexpr auto BETWEEN_ASKING = std::chrono::milliseconds(40);

// The data shared by the threads of one call.
struct Job {
    const PlayoutStart& start;
    std::uint64_t seed;
    std::uint64_t end;
    std::atomic<std::uint64_t> next;
    std::atomic<bool> stopped = false;
};

struct CountsByColour {
    std::array<std::uint64_t, 4> wins{};  // by colour; EMPTY counts draws
    std::uint64_t turns = 0;
};

template <Kind KIND> CountsByColour work(Job& job, const ShouldStop& should_stop) {
    using B = PlayoutBoard<KIND, false>;
    CountsByColour counts;
    const auto before = board_at<B>(job.start);
    const auto board = std::make_unique<B>(job.start.tables);
    auto asked = std::chrono::steady_clock::now();
    while (!job.stopped.load(std::memory_order_relaxed)) {
        const std::uint64_t from = job.next.fetch_add(CHUNK, std::memory_order_relaxed);
        if (from >= job.end) break;
        for (std::uint64_t index = from; index < std::min(from + CHUNK, job.end); ++index) {
            board->copy_from(*before);
            const PlayoutEnd ending =
                Playout<KIND, false, Silent>(job.start, *board, Rng::of_playout(job.seed, index), Silent{}).run();
            ++counts.wins[ending.winner];
            counts.turns += static_cast<std::uint64_t>(ending.turns);
        }
        if (should_stop && std::chrono::steady_clock::now() - asked > BETWEEN_ASKING) {
            if (should_stop()) job.stopped.store(true, std::memory_order_relaxed);
            asked = std::chrono::steady_clock::now();
        }
    }
    return counts;
}

}  // namespace

PlayoutStart::PlayoutStart(const State& state, bool dice_aware)
    : rules(state.rules),
      dice(state.dice),
      tables(*state.rules, dice_aware && state.rules->game == Game::aleago),
      stones(static_cast<std::size_t>(state.board().points())),
      passes(state.passes),
      ko(state.ko() < 0 ? NOWHERE : static_cast<Vertex>(state.ko())),
      cap((rules->game == Game::alter_igo ? ALTER_IGO_TURNS_A_POINT : TURNS_A_POINT) * tables.points + TURNS),
      outcome(state.outcome()),
      passes_left(state.passes_left),
      komi(state.effective_komi()),
      has_button(state.has_button()),
      last(state.last && state.last->action >= 0 ? static_cast<Vertex>(state.last->action) : NOWHERE) {
    for (std::size_t point = 0; point < stones.size(); ++point) stones[point] = state.at(static_cast<int>(point));
    const auto& colours = rules->colours;
    const auto mover = std::find(colours.begin(), colours.end(), state.mover) - colours.begin();
    for (std::size_t i = 0; i < colours.size(); ++i) {
        const Colour colour = colours[(static_cast<std::size_t>(mover) + i) % colours.size()];
        const auto left = [colour](const Event& event) { return event.actor == colour; };
        if (std::none_of(state.out.begin(), state.out.end(), left)) order.push_back(colour);
    }
    if (!tables.has_lines) return;
    const auto bucket_of = [this](int line) {
        return static_cast<int>(std::find(rules->numbers.begin(), rules->numbers.end(), line) - rules->numbers.begin());
    };
    const int all_lines = static_cast<int>(rules->numbers.size());
    const auto every = [](int count) {
        std::vector<int> buckets;
        for (int bucket = 0; bucket < count; ++bucket) buckets.push_back(bucket);
        return buckets;
    };
    for (int total = dice.count; total <= dice.highest(); ++total) {
        OpenLines& opening = openings.emplace_back();
        if (rules->opens_whole_board(dice, total)) {
            opening.buckets = every(all_lines);
            continue;
        }
        for (const int line : rules->drawn_lines(dice, total)) opening.buckets.push_back(bucket_of(line));
        const bool is_pass = opening.buckets.empty() && rules->overflow == Overflow::pass;
        if (rules->has_fallback && !is_pass)
            opening.below = static_cast<int>(
                std::count_if(rules->numbers.begin(), rules->numbers.end(), [total](int line) { return line < total; }));
    }
    openings.emplace_back().buckets = every(all_lines + 1);
    for (const std::size_t opening : openings_of(rules->thrown_outcomes(dice))) throws.push_back(static_cast<std::uint16_t>(opening));
    known = openings_of(state.draws);
}

PlayoutCounts run_playouts(const PlayoutStart& start, std::uint64_t first, std::uint64_t n, std::uint64_t seed,
                           int threads, const ShouldStop& should_stop) {
    PlayoutCounts counts;
    counts.wins.assign(start.rules->colours.size(), 0);
    CountsByColour by_colour;
    if (start.outcome) {
        by_colour.wins[start.outcome->winner] = n;
    } else {
        Job job{start, seed, first + n, first};
        const auto run = with_kind(start.rules->game, [](auto kind) { return &work<decltype(kind)::value>; });
        std::vector<CountsByColour> of_threads(static_cast<std::size_t>(std::max(threads, 1)));
        const auto play = [&](std::size_t thread) { of_threads[thread] = run(job, thread == 0 ? should_stop : nullptr); };
        run_in_parallel(of_threads.size(), play, [&job] { job.stopped = true; });
        for (const CountsByColour& theirs : of_threads) {
            for (std::size_t i = 0; i < theirs.wins.size(); ++i) by_colour.wins[i] += theirs.wins[i];
            by_colour.turns += theirs.turns;
        }
    }
    for (std::size_t i = 0; i < counts.wins.size(); ++i) counts.wins[i] = by_colour.wins[start.rules->colours[i]];
    counts.draws = by_colour.wins[EMPTY];
    counts.turns = by_colour.turns;
    return counts;
}

namespace {

template <Kind KIND, bool RICH>
std::vector<int> trace_on(const PlayoutStart& start, std::uint64_t seed, std::uint64_t index, const PlayoutStyle& style) {
    std::vector<int> turns;
    const auto board = board_at<PlayoutBoard<KIND, RICH>>(start);
    Playout<KIND, RICH, Recording> playout(start, *board, Rng::of_playout(seed, index), Recording{&turns}, style);
    const PlayoutEnd ending = playout.run();
    turns.push_back(ENDED - ending.winner);
    return turns;
}

}  // namespace

std::vector<int> trace_playout(const PlayoutStart& start, std::uint64_t seed, std::uint64_t index, const PlayoutStyle& style) {
    if (start.outcome) return {};
    return with_kind(start.rules->game, [&](auto kind) {
        constexpr Kind KIND = decltype(kind)::value;
        return style.is_uniform() ? trace_on<KIND, false>(start, seed, index, style)
                                  : trace_on<KIND, true>(start, seed, index, style);
    });
}

std::string check_playout_board(const PlayoutStart& start, std::uint64_t seed, std::uint64_t index, const PlayoutStyle& style) {
    std::string found;
    if (start.outcome) return found;
    with_kind(start.rules->game, [&](auto kind) {
        using B = PlayoutBoard<decltype(kind)::value, true>;
        const auto board = board_at<B>(start);
        const Auditing<B> trace{board.get(), &found};
        Playout<decltype(kind)::value, true, Auditing<B>>(start, *board, Rng::of_playout(seed, index), trace, style).run();
        if (found.empty()) found = find_board_fault(*board);
    });
    return found;
}

}  // namespace kernel
