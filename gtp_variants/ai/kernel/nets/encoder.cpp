// The planes, in the order of `nets/encoding/planes.py`, then the features of `features.py`.
#include "encoder.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "encoding.hpp"
#include "ladders.hpp"

namespace kernel {

namespace {

constexpr int ODDS_SCALE = 127;

// With hidden stones most of these actions are unknown to a seat.
bool has_earlier(const Rules& rules) { return rules.game != Game::phantom; }

bool has_ladders(const Rules& rules) { return rules.is_go_family() && rules.topology.is_grid; }

// Returns the scale of each plane of a game, in order.
std::vector<std::uint8_t> scales_of(const Rules& rules) {
    const std::size_t colours = rules.colours.size();
    std::vector<std::uint8_t> scales(1 + colours + 6, 1);  // the board, stones, liberties
    const auto add = [&scales](std::initializer_list<int> more) {
        for (const int scale : more) scales.push_back(static_cast<std::uint8_t>(scale));
    };
    add({MOST_CAPTURED, MOST_CAPTURED, 1, 1, 1});
    if (has_earlier(rules)) add({1, 1, 1, 1});
    add({TOO_OFTEN, 1, 1});
    if (rules.is_go_family()) add({1, 1});
    if (!rules.topology.fives.empty())
        for (std::size_t i = 0; i < colours; ++i) add({5, 1, MOST_FOURS, MOST_THREES});
    if (!rules.topology.faces.empty()) add({6, 6});
    if (rules.game == Game::rosette || rules.game == Game::alter_igo) add({1});
    if (rules.game == Game::aleago) add({1, ODDS_SCALE, 1});
    if (rules.game == Game::phantom) add({NOW, NOW, NOW, NOW});
    if (has_ladders(rules)) add({1, 1});
    return scales;
}

int count_globals(const Rules& rules) {
    const int colours = static_cast<int>(rules.colours.size());
    int count = 1 + colours + 4 + 2 * colours;  // turn, colours, course of the game; stones, captures
    if (rules.is_go_family()) count += 3 + 2;   // passes; komi and score
    else count += 1;                            // occurrences
    if (colours > 2) count += colours;          // players that left
    if (rules.game == Game::alter_igo) count += 1;
    if (rules.game == Game::rosette || rules.game == Game::pentalath) count += colours;
    if (rules.game == Game::aleago) count += 1 + 6;
    if (rules.game == Game::phantom) count += 3 + 6 * State::REMEMBERED;
    return count;
}

}  // namespace

Encoder::Encoder(std::shared_ptr<const Rules> rules, std::vector<float> flags)
    : rules_(std::move(rules)), flags_(std::move(flags)), scales_(scales_of(*rules_)) {
    globals_ = count_globals(*rules_) + static_cast<int>(flags_.size());
    if (has_ladders(*rules_)) ladders_ = plane_count() - 2;
    if (rules_->game == Game::aleago) odds_ = odds_of(rules_->dice);
}

void Encoder::encode(const State& state, Colour viewer, std::uint8_t* planes, float* globals,
                     const std::uint8_t* mask, bool reads_ladders) const {
    std::memset(planes, 0, scales_.size() * static_cast<std::size_t>(rules_->topology.points));
    Encoding encoding(*this, state, viewer, planes, globals);
    encoding.write_planes(mask, reads_ladders);
    encoding.write_globals();
}

// Returns the probability that a throw names each point's line, rounded to 1 / ODDS_SCALE.
std::vector<std::uint8_t> Encoder::odds_of(const DiceKind& dice) const {
    const std::vector<int> throws = rules_->thrown_outcomes(dice);
    const auto all = static_cast<std::int64_t>(throws.size());
    std::vector<std::uint8_t> levels(static_cast<std::size_t>(rules_->topology.points));
    for (std::size_t i = 0; i < rules_->numbers.size(); ++i) {
        std::int64_t naming = 0;
        for (const int outcome : throws) {
            const int total = dice.total(outcome);
            naming += rules_->opens_whole_board(dice, total) || rules_->draws_line(dice, total, rules_->numbers[i]);
        }
        const auto level = static_cast<std::uint8_t>((2 * ODDS_SCALE * naming + all) / (2 * all));
        rules_->points_on[i].each([&](int point) { levels[static_cast<std::size_t>(point)] = level; });
    }
    return levels;
}

// -- planes -----------------------------------------------------------------------------------------------------------

Encoding::Encoding(const Encoder& encoder, const State& state, Colour viewer, std::uint8_t* planes, float* globals)
    : encoder_(encoder),
      state_(state),
      rules_(*encoder.rules_),
      board_(state.board()),
      points_(static_cast<std::size_t>(board_.points())),
      is_seat_(viewer != EMPTY && rules_.game == Game::phantom),
      planes_(planes),
      globals_(globals) {
    const auto& order = rules_.colours;
    const Colour side = viewer == EMPTY ? state.mover : viewer;
    const auto first = static_cast<std::size_t>(std::find(order.begin(), order.end(), side) - order.begin());
    colours_ = order.size();
    for (std::size_t i = 0; i < colours_; ++i) order_[i] = order[(first + i) % colours_];
    for (std::size_t i = 0; i < colours_; ++i) place_[order_[i]] = i;
    hidden_ = is_seat_ ? state.hidden(side) : 0;
    is_final_ = is_seat_ ? is_final_to_seat() : state.is_final();
}

// Returns whether the game is over for good as far as the seat knows; private tries may have ended it.
bool Encoding::is_final_to_seat() const {
    return state_.ended || state_.settled || !state_.out.empty() || state_.passes_heard(own()) > rules_.end_passes ||
           state_.tries_heard(own()) >= rules_.most_tries;
}

// Writes where the side to move may place a stone, and reads whether it may pass or swap.
void Encoding::write_legal(std::uint8_t* legal, const std::uint8_t* mask) {
    legal_ = legal;
    const bool may_act = !is_final_ && state_.to_play() != CHANCE;
    if (is_seat_) {
        may_pass_ = may_act && state_.mover == own();
        for (std::size_t p = 0; may_pass_ && p < points_; ++p) legal[p] = seen_[p] == EMPTY;
    } else if (rules_.game == Game::aleago || rules_.game == Game::phantom) {
        may_pass_ = may_act;
        if (!is_final_) mark(legal, state_.legal_points());
    } else {
        std::array<std::uint8_t, CAPACITY> found;
        if (!mask) {
            state_.mask(found.data());
            mask = found.data();
        }
        std::memcpy(legal, mask, points_);
        may_pass_ = rules_.has_pass() && mask[rules_.index_of(PASS)];
        may_swap_ = rules_.has_swap() && mask[rules_.index_of(SWAP)];
    }
}

void Encoding::write_planes(const std::uint8_t* mask, bool reads_ladders) {
    look();
    std::memset(take_planes(1), 1, points_);
    std::uint8_t* stones = take_planes(colours_);
    std::uint8_t* liberties = take_planes(6);
    std::uint8_t* capturable = take_planes(2);
    if (is_seat_) write_seen_stones(stones, liberties, capturable);
    else write_stones(stones, liberties, capturable);
    write_legal(take_planes(1), mask);
    write_last(take_planes(2));
    if (has_earlier(rules_)) write_earlier(take_planes(EarlierActions::MOST));
    write_repeats(take_planes(1));
    write_eyes(take_planes(2));
    if (rules_.is_go_family()) write_areas(take_planes(2));
    if (!rules_.topology.fives.empty()) write_fives(take_planes(4 * colours_));
    if (!rules_.topology.faces.empty()) write_rings(take_planes(2));
    if (rules_.game == Game::rosette) write_immune(take_planes(1));
    if (rules_.game == Game::alter_igo) write_losing(take_planes(1));
    if (rules_.game == Game::aleago) write_dice(take_planes(3));
    if (rules_.game == Game::phantom) write_memory(take_planes(4));
    if (reads_ladders && has_ladders(rules_)) write_ladders(liberties, take_planes(2));
}

// Fills in the visible stones: all of them, or in Go Fantôme the seat's own and those shown.
void Encoding::look() {
    for (std::size_t p = 0; p < points_; ++p) seen_[p] = state_.at(static_cast<int>(p));
    for (std::size_t p = 0; is_seat_ && p < points_; ++p)
        if (seen_[p] != own() && !state_.seen.has(static_cast<int>(p))) seen_[p] = EMPTY;
}

void Encoding::write_stones(std::uint8_t* stones, std::uint8_t* liberties, std::uint8_t* capturable) {
    for (int number = 0; number < board_.chain_numbers(); ++number) {
        const auto chain = static_cast<ChainBoard::ChainNumber>(number);
        if (board_.size(chain) == 0) continue;
        const Colour colour = board_.colour_of(chain);
        const int free = board_.liberties(chain);
        const std::size_t other = colour != own();
        std::uint8_t* there = stones + place_[colour] * points_;
        std::uint8_t* few = free >= 1 && free <= 3 ? liberties + (3 * other + static_cast<std::size_t>(free) - 1) * points_ : there;
        board_.each_stone(chain, [there, few](Vertex v) { there[v] = few[v] = 1; });
        if (free == 1 && !board_.is_immune(chain))
            add_capturable(capturable + (other ? 0 : points_), board_.first_liberty(chain), board_.size(chain));
    }
}

// For a seat of Go Fantôme: writes chains and liberties as far as visible.
void Encoding::write_seen_stones(std::uint8_t* stones, std::uint8_t* liberties, std::uint8_t* capturable) {
    thread_local SeenPoints visited, free;
    visited.clear();
    std::array<Vertex, CAPACITY> members;
    for (int start = 0; start < board_.points(); ++start) {
        const Colour colour = seen_[static_cast<std::size_t>(start)];
        if (colour == EMPTY || !visited.add(start)) continue;
        free.clear();
        int count = 0, last = 0;
        std::size_t size = 0;
        members[size++] = static_cast<Vertex>(start);
        for (std::size_t i = 0; i < size; ++i) {
            board_.each_neighbour(members[i], [&](Vertex near) {
                if (seen_[near] == colour) {
                    if (visited.add(near)) members[size++] = near;
                } else if (seen_[near] == EMPTY && free.add(near)) {
                    ++count;
                    last = near;
                }
            });
        }
        const std::size_t other = colour != own();
        for (std::size_t i = 0; i < size; ++i) {
            stones[other * points_ + members[i]] = 1;
            if (count >= 1 && count <= 3) liberties[(3 * other + static_cast<std::size_t>(count) - 1) * points_ + members[i]] = 1;
        }
        if (count == 1) add_capturable(capturable + (other ? 0 : points_), last, static_cast<int>(size));
    }
}

void Encoding::write_last(std::uint8_t* last) {
    std::uint8_t* captured = last + points_;
    if (!is_seat_) {
        if (state_.last && state_.last->action >= 0) last[state_.last->action] = 1;
        mark(captured, state_.captured);
        return;
    }
    const TurnNews& news = state_.news(1);
    if (news.turn && news.actor == own() && news.action >= 0) last[news.action] = 1;
    state_.captured.each([&](int point) {
        const PointMemory& memory = state_.memory(own(), point);
        captured[point] = memory.lost == state_.turn - 1 || memory.taken == state_.turn - 1;
    });
}

void Encoding::write_earlier(std::uint8_t* planes) {
    for (const int action : state_.earlier) {
        if (action >= 0) planes[action] = 1;
        planes += points_;
    }
}

void Encoding::write_repeats(std::uint8_t* levels) {
    if (is_seat_ || is_final_ || rules_.repetition == Repetition::none) return;
    if (rules_.is_go_family()) {
        // Before the first capture no board can have recurred.
        if ((state_.taken[BLACK] | state_.taken[WHITE]) == 0) return;
        board_.empty_points().each([&](int point) {
            const bool draws = rules_.repetition == Repetition::draw && legal_[point] && state_.occurrences_after(point);
            if (draws || (!legal_[point] && state_.fits(point))) levels[point] = TOO_OFTEN;
        });
        return;
    }
    board_.empty_points().each([&](int point) {
        if (!legal_[point] || (rules_.game == Game::alter_igo && is_losing(point))) return;
        const int times = state_.occurrences_after(point);
        const int left = rules_.repeat_count - 1 - times;
        if (times) levels[point] = static_cast<std::uint8_t>(left <= 0 ? TOO_OFTEN : left == 1 ? LAST_TIME : SEEN);
    });
}

// Returns whether all neighbours of a point have a colour, as far as visible.
bool Encoding::is_surrounded(int point, Colour colour) const {
    // A seat sees all its own stones and few or no enemy stones.
    if (!is_seat_ || colour == own()) return board_.neighbours(point, colour) == degree_at(point);
    if (!state_.seen) return degree_at(point) == 0;
    bool is_all = true;
    board_.each_neighbour(point, [&](Vertex near) { is_all &= seen_[near] == colour; });
    return is_all;
}

// Returns whether an empty point is an eye of a colour, as `chains.is_eye` in the rules.
bool Encoding::is_eye(int point, Colour colour) const {
    if (!is_surrounded(point, colour)) return false;
    const Topology& topology = rules_.topology;
    const auto p = static_cast<std::size_t>(point);
    if (topology.is_grid) {
        int enemies = 0;
        for (std::size_t i = 4 * p; i < 4 * p + 4; ++i) {
            const Vertex corner = topology.diagonals[i];
            enemies += corner != points_ && seen_[corner] != EMPTY && seen_[corner] != colour;
        }
        return enemies < topology.false_at[p];
    }
    bool is_safe = true;
    board_.each_neighbour(point, [&](Vertex near) { is_safe &= board_.liberties(board_.chain_of(near)) > 1; });
    return is_safe;
}

void Encoding::write_eyes(std::uint8_t* eyes) {
    const auto look_at = [&](int point) {
        eyes[point] = is_eye(point, own());
        for (std::size_t i = 1; i < colours_; ++i)
            if (is_eye(point, order_[i])) eyes[points_ + static_cast<std::size_t>(point)] = 1;
    };
    if (!is_seat_) {
        board_.empty_points().each([&](int point) {
            if (!board_.has_empty_neighbour(point)) look_at(point);
        });
        return;
    }
    for (int point = 0; point < board_.points(); ++point) {
        const Vertex first = *rules_.topology.near_of(point);
        // A shortcut: most points have an empty neighbour.
        if (seen_[static_cast<std::size_t>(point)] != EMPTY || (first != points_ && seen_[first] == EMPTY)) continue;
        look_at(point);
    }
}

// Writes the owner of each point if the game were counted now; none while stones are hidden.
void Encoding::write_areas(std::uint8_t* areas) {
    if (hidden_) return;
    for (std::size_t p = 0; p < points_; ++p) areas[p] = seen_[p] == order_[0];
    for (std::size_t p = 0; p < points_; ++p) areas[points_ + p] = seen_[p] == order_[1];
    area_ = {board_.stones(order_[0]), board_.stones(order_[1])};
    // Finds empty regions by union-find: each point leads to a lower one, and the lowest collects the colours it
    // touches.
    std::array<Vertex, CAPACITY> leads_to;
    std::array<std::uint8_t, CAPACITY> touches;
    const auto root_of = [&leads_to](Vertex v) {
        while (leads_to[v] != v) v = leads_to[v] = leads_to[leads_to[v]];
        return v;
    };
    const PointSet& empty = board_.empty_points();
    empty.each([&](int point) {
        auto root = static_cast<Vertex>(point);
        leads_to[root] = root;
        touches[root] = static_cast<std::uint8_t>((board_.neighbours(point, order_[0]) != 0) |
                                                  (board_.neighbours(point, order_[1]) != 0) << 1);
        const Vertex* near = rules_.topology.near_of(point);
        for (int k = 0; k < rules_.topology.degree && near[k] < point; ++k) {
            if (seen_[near[k]] != EMPTY) continue;
            const Vertex other = root_of(near[k]);
            if (other == root) continue;
            const auto [low, high] = std::minmax(other, root);
            touches[low] |= touches[high];
            leads_to[high] = low;
            root = low;
        }
    });
    empty.each([&](int point) {
        const std::uint8_t owner = touches[root_of(static_cast<Vertex>(point))];
        if (owner != 1 && owner != 2) return;
        areas[(owner - 1U) * points_ + static_cast<std::size_t>(point)] = 1;
        ++area_[owner - 1U];
    });
}

void Encoding::write_fives(std::uint8_t* runs) {
    // Three bits count the stones of each colour.
    std::array<unsigned, 4> counts{};
    for (std::size_t i = 0; i < colours_; ++i) counts[order_[i]] = 1U << (3 * i);
    static constexpr std::array<std::size_t, 6> GROWS{0, 0, 3, 2, 1, 0};
    static constexpr std::array<int, 6> MOST{0, 0, MOST_THREES, MOST_FOURS, 1, 0};
    for (const auto& five : rules_.topology.fives) {
        unsigned all = 0;
        for (const Vertex v : five) all += counts[seen_[v]];
        if (all == 0) continue;
        const std::size_t place = all < 8 ? 0 : all < 64 ? 1 : 2;
        const unsigned count = all >> (3 * place);
        if (count << (3 * place) != all) continue;
        std::uint8_t* planes = runs + 4 * place * points_;
        for (const Vertex v : five) {
            planes[v] = std::max(planes[v], static_cast<std::uint8_t>(count));
            if (!GROWS[count] || seen_[v] != EMPTY) continue;
            std::uint8_t& level = planes[GROWS[count] * points_ + v];
            if (level < MOST[count]) ++level;
        }
    }
}

void Encoding::write_rings(std::uint8_t* rings) {
    std::array<unsigned, 4> counts{0, 8, 8, 8};
    counts[own()] = 1;
    for (const auto& face : rules_.topology.faces) {
        unsigned all = 0;
        for (const Vertex v : face) all += counts[seen_[v]];
        if (all == 0 || (all > 6 && all % 8 != 0)) continue;
        std::uint8_t* plane = rings + (all > 6 ? points_ : 0);
        const auto count = static_cast<std::uint8_t>(all > 6 ? all / 8 : all);
        for (const Vertex v : face) plane[v] = std::max(plane[v], count);
    }
}

void Encoding::write_immune(std::uint8_t* immune) {
    for (int number = 0; number < board_.chain_numbers(); ++number) {
        const auto chain = static_cast<ChainBoard::ChainNumber>(number);
        if (board_.size(chain) != 0 && board_.is_immune(chain))
            board_.each_stone(chain, [immune](Vertex v) { immune[v] = 1; });
    }
}

// For Alter Igo: returns whether a stone of the mover on an empty point would be the only one captured.
bool Encoding::is_losing(int point) const {
    if (board_.has_empty_neighbour(point) || board_.neighbours(point, state_.mover)) return false;
    bool takes = false;
    board_.each_neighbour(point, [&](Vertex near) { takes |= board_.liberties(board_.chain_of(near)) == 1; });
    return !takes;
}

void Encoding::write_losing(std::uint8_t* losing) {
    if (state_.is_over()) return;
    board_.empty_points().each([&](int point) { losing[point] = is_losing(point); });
}

void Encoding::write_dice(std::uint8_t* planes) {
    std::uint8_t *open = planes, *odds = planes + points_, *next_open = planes + 2 * points_;
    const std::vector<std::uint8_t>& levels =
        state_.dice == rules_.dice ? encoder_.odds_ : encoder_.odds_of(state_.dice);
    std::copy(levels.begin(), levels.end(), odds);
    if (draw_count() > 0 && state_.to_play() != CHANCE) {
        const auto lines = state_.open_lines();
        if (!lines) std::memset(open, 1, points_);
        for (std::size_t i = 0; lines && i < rules_.numbers.size(); ++i)
            if (std::find(lines->begin(), lines->end(), rules_.numbers[i]) != lines->end())
                mark(open, rules_.points_on[i]);
    }
    if (draw_count() < 2) return;
    const int total = state_.draws[1] == state_.dice.outcomes() ? 0 : state_.dice.total(state_.draws[1]);
    if (total == 0) std::memset(next_open, 1, points_);
    for (std::size_t i = 0; total && i < rules_.numbers.size(); ++i)
        if (rules_.opens_whole_board(state_.dice, total) || rules_.draws_line(state_.dice, total, rules_.numbers[i]))
            mark(next_open, rules_.points_on[i]);
}

// For Go Fantôme: writes how long ago something happened on each point, as far as the seat heard.
void Encoding::write_memory(std::uint8_t* ages) {
    if (!is_seat_) return;
    const auto level = [now = state_.turn](int turn) {
        return static_cast<std::uint8_t>(turn ? std::max(1, NOW - now + turn) : 0);
    };
    for (std::size_t p = 0; p < points_; ++p) {
        const PointMemory& memory = state_.memory(own(), static_cast<int>(p));
        if (seen_[p] == own()) ages[p] = std::max(level(memory.placed), std::uint8_t{1});
        if ((memory.refused | memory.lost | memory.taken) == 0) continue;
        ages[points_ + p] = level(memory.refused);
        ages[2 * points_ + p] = level(memory.lost);
        ages[3 * points_ + p] = level(memory.taken);
    }
}

void Encoding::write_ladders(const std::uint8_t* liberties, std::uint8_t* ladders) {
    thread_local LadderReader reader;
    reader.write(rules_.topology, seen_, own(), liberties, ladders, ladders + points_);
}

// -- global features --------------------------------------------------------------------------------------------------

void Encoding::write_globals() {
    const bool is_go = rules_.is_go_family();
    put(state_.mover == own());
    if (rules_.game == Game::aleago) put(state_.to_play() == CHANCE);
    for (Colour colour = BLACK; colour <= colours_; ++colour) put(own() == colour);
    put(board_.points() / double{POINTS_UNIT});
    put(share(state_.turn - 1));
    put(may_pass_);
    put(may_swap_);
    if (is_go) write_passes();
    for (std::size_t i = 0; i < colours_; ++i) put(share(stones(i)));
    for (std::size_t i = 0; i < colours_; ++i) put(share(state_.taken[order_[i]]));
    for (std::size_t i = 0; colours_ > 2 && i < colours_; ++i)
        put(std::any_of(state_.out.begin(), state_.out.end(), [&](const Event& e) { return e.actor == order_[i]; }));
    if (is_go) {
        // -komi would be a negative zero.
        const double komi = own() == WHITE ? state_.effective_komi() : 0.0 - state_.effective_komi();
        put(komi / KOMI_UNIT);
        put(hidden_ ? 0.0 : (area_[0] - area_[1] + komi) / static_cast<double>(points_));
    } else {
        const int times = state_.occurrences();
        put((std::max(times, rules_.game == Game::pentalath ? 1 : 0) - 1) / static_cast<double>(rules_.repeat_count - 1));
    }
    if (rules_.game == Game::alter_igo) put(state_.passes_left / double{STONES_UNIT});
    if (rules_.game == Game::rosette || rules_.game == Game::pentalath)
        for (std::size_t i = 0; i < colours_; ++i) {
            const int supply = rules_.supply[order_[i]];
            put(supply == NO_LIMIT ? 0.0 : share(supply - stones(i)));
        }
    if (rules_.game == Game::aleago) write_draws();
    if (rules_.game == Game::phantom) write_news();
    for (const float flag : encoder_.flags_) *globals_++ = flag;
}

void Encoding::write_passes() {
    const int passes = is_seat_ ? state_.passes_heard(own()) : state_.passes;
    put(passes / static_cast<double>(rules_.end_passes));
    put(passes + 1 >= rules_.end_passes);
    put(is_seat_ ? !is_final_ && rules_.reopens && passes >= rules_.end_passes : state_.suspended());
}

void Encoding::write_draws() {
    put(state_.dice.count / double{DICE_UNIT});
    put(state_.dice.sides / double{DICE_UNIT});
    const auto is_known = [this](int slot) { return slot < draw_count(); };
    const auto is_free = [this](int slot) { return state_.draws[slot] == state_.dice.outcomes(); };
    for (const int slot : {0, 1})
        put(is_known(slot) && !is_free(slot)
                ? state_.dice.total(state_.draws[slot]) / static_cast<double>(state_.dice.highest())
                : 0.0);
    for (const int slot : {0, 1}) put(is_known(slot) && is_free(slot));
}

void Encoding::write_news() {
    if (!is_seat_) {
        globals_ = std::fill_n(globals_, 3 + 6 * State::REMEMBERED, 0.0F);
        return;
    }
    const auto refusals = [this](const TurnNews& news, Colour actor) {
        return actor == own() || !rules_.refusal_is_private ? news.refusals / double{STONES_UNIT} : 0.0;
    };
    put(share(hidden_));
    put(share(state_.tries_heard(own())));
    put(refusals(state_.news(0), state_.mover));
    for (int back = 1; back <= State::REMEMBERED; ++back) {
        const TurnNews& news = state_.news(back);
        if (!news.turn) {
            globals_ = std::fill_n(globals_, 6, 0.0F);
            continue;
        }
        put(news.actor == own() ? 1.0 : -1.0);
        put(news.action == PASS);
        put(news.captured / double{STONES_UNIT});
        put(news.atari / double{STONES_UNIT});
        put(news.self_atari);
        put(refusals(news, news.actor));
    }
}

}  // namespace kernel
