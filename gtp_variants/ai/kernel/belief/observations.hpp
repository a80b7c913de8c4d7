// The news of one seat of Go Fantôme, and how far hidden stones would contradict it; `observations.py` is the same in
// Python.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "mask.hpp"

namespace kernel {

// The kind of an observation, numbered as `ObservationKind` in Python.
enum class ObservationKind { START = 1, OURS, THEIRS, REFUSED, THEY_REFUSED, MARKED, OTHER };

enum class AtariRule { NEW, ALL, NONE };
enum class SelfAtariRule { ALWAYS, NEW_ONLY, NONE };

inline bool is_placing(ObservationKind kind) {
    return kind == ObservationKind::START || kind == ObservationKind::THEIRS;
}
inline bool is_accepted(ObservationKind kind) {
    return kind == ObservationKind::OURS || kind == ObservationKind::THEIRS;
}
inline bool needs_stone(ObservationKind kind) {
    return kind == ObservationKind::REFUSED || kind == ObservationKind::THEY_REFUSED || kind == ObservationKind::MARKED;
}

// Costs of mismatches, as in `observations.py`.
inline constexpr int OCCUPIED = 4;
inline constexpr int SUICIDE = 3;
inline constexpr int REPEATED = 2;
inline constexpr int PLAYABLE = 1;
inline constexpr int CAPTURES = 1;
inline constexpr int MOST_CAPTURES = 3;
inline constexpr int MOST_ATARI = 2;
inline constexpr int MOST_OTHER = 4;

// What a refused try showed on its point: unknown, empty, or a stone.
enum class Shown { UNSAID = -1, NOTHING = 0, STONE = 1 };

// The weights of `prior.json`, as `PlacementPrior` describes them.
struct Prior {
    static constexpr int LINES = 4;
    static constexpr int COUNTS = 4;
    double early;
    std::vector<double> line, early_line, beside_theirs, beside_ours;
    double near_theirs, eye;
};

template <class Points>
struct Observation {
    ObservationKind kind = ObservationKind::OTHER;
    int point = -1;
    Points gone;
    int count = 0;
    int atari = 0;
    bool self_atari = false;
    bool ends = false;  // a repeated board ended the game
    Shown shown = Shown::UNSAID;
    std::vector<int> boards;
};

// The cost of contradicting an observation, and the points concerned; at cost 0, the points that must not change.
template <class Points>
struct Mismatch {
    int conflicts = 0;
    Points scope;
};

template <class Points>
class ObservationHistory {
  public:
    // `rings` is the distance of each point from the edge, 1 on it.
    ObservationHistory(const std::vector<std::vector<int>>& neighbours, const std::vector<int>& rings, AtariRule atari,
                       SelfAtariRule self_atari, Prior prior)
        : size(static_cast<int>(neighbours.size())),
          near(neighbours.size()),
          two_steps(neighbours.size()),
          own(1),
          prior_(std::move(prior)),
          expected_(neighbours.size()),
          atari_(atari),
          self_atari_(self_atari),
          required_(neighbours.size()),
          taken_(neighbours.size()) {
        for (int point = 0; point < size; ++point) {
            whole.add(point);
            for (int next : neighbours[at(point)]) {
                near[at(point)].add(next);
                for (int further : neighbours[at(next)]) two_steps[at(point)].add(further);
            }
            two_steps[at(point)] -= near[at(point)] | Points::of(point);
            lines_.push_back(at(std::clamp(rings[at(point)], 1, LINES) - 1));
        }
    }

    const int size;
    Points whole;
    std::vector<Points> near, two_steps;  // the points one step from each, and two steps
    std::vector<Observation<Points>> observations;
    std::vector<Points> own;  // own stones before each observation, and after the last
    std::vector<Points>
        candidates;  // possible points of enemy stones and refused tries, by observation
    std::vector<char> has_candidates;       // whether the observation has a point to be assigned
    std::vector<int> placements;            // times at which enemy stones were placed
    std::vector<int> repetition_times;      // times at which a board may recur
    std::vector<int> hidden_capture_times;  // times at which own captures were not shown

    void seat(Points placed) { own.back() = placed; }

    // Adds log odds, for each point, to the log prior of an enemy stone there.
    void expect(std::vector<double> log_odds) { expected_ = std::move(log_odds); }

    void hear(Observation<Points> observation, Points after) {
        const int time = static_cast<int>(observations.size());
        const Points before = own.back();
        note_required(observation, time, before);
        Points may;
        if (is_placing(observation.kind)) {
            placements.push_back(time);
            may = whole - before;
        } else if (observation.kind == ObservationKind::THEY_REFUSED) {
            may = before ? before : whole;
        } else if (observation.kind == ObservationKind::OURS) {
            const int begin = std::max(earliest_placement(observation.point, time),
                                       hidden_capture_times.empty() ? 0 : hidden_capture_times.back());
            for (auto turn = from(placements, begin); turn != placements.end(); ++turn)
                candidates[at(*turn)].drop(observation.point);
            for (Points rest = observation.gone; rest; rest = rest.rest()) taken_[at(rest.first())].push_back(time);
            if (observation.count > observation.gone.count()) hidden_capture_times.push_back(time);
        }
        candidates.push_back(may);
        has_candidates.push_back(
            static_cast<char>(is_placing(observation.kind) || observation.kind == ObservationKind::THEY_REFUSED));
        if (!observation.boards.empty()) repetition_times.push_back(time);
        observations.push_back(std::move(observation));
        own.push_back(after);
    }

    // Returns the enemy stones after an observation at which one may have been placed on `point`.
    Points after(int time, const Points& stones, int point) const {
        const Observation<Points>& observation = observations[at(time)];
        if (is_placing(observation.kind)) return stones | Points::of(point);
        if (observation.kind != ObservationKind::OURS) return stones;
        if (observation.count == observation.gone.count() || stones.has(observation.point))
            return stones - observation.gone;
        const Points mine = own[at(time)] | Points::of(observation.point);
        return stones - (observation.gone | place(mine, stones, observation.point).taken);
    }

    // Returns the next time at which an enemy stone placed there at `time` is required, or 0.
    int next_requirement(int point, int time) const {
        const std::vector<int>& required = required_[at(point)];
        const auto next = std::upper_bound(required.begin(), required.end(), time);
        return next != required.end() && earliest_placement(point, *next) <= time ? *next : 0;
    }

    // Counts the enemy stones placed from `begin` up to, but excluding, `end`.
    int count_placements(int begin, int end) const {
        return static_cast<int>(from(placements, end) - from(placements, begin));
    }

    // Returns the earliest time at which an enemy stone there at `time` can have been placed.
    int earliest_placement(int point, int time) const {
        const std::vector<int>& taken = taken_[at(point)];
        const auto next = std::lower_bound(taken.begin(), taken.end(), time);
        return next == taken.begin() ? 0 : *(next - 1);
    }

    bool is_required_later(int point, int time) const {
        const std::vector<int>& required = required_[at(point)];
        return !required.empty() && required.back() > time;
    }

    // Returns the log probability of a new enemy stone on a point, up to a constant, given the others.
    double log_prior(int time, const Points& theirs, int point) const {
        const Points &ours = own[at(time)], &beside = near[at(point)];
        const double filled = static_cast<double>((theirs | ours).count()) / size;
        const std::size_t line = lines_[at(point)];
        double total = prior_.line[line] + prior_.early_line[line] * std::max(0.0, 1 - filled / prior_.early);
        total += prior_.beside_theirs[at(std::min(Prior::COUNTS - 1, (beside & theirs).count()))];
        total += prior_.beside_ours[at(std::min(Prior::COUNTS - 1, (beside & ours).count()))];
        total += prior_.near_theirs * (two_steps[at(point)] & theirs).count();
        if (!(beside - theirs)) total += prior_.eye;
        return total + expected_[at(point)];
    }

    // Returns the cost of an observation with an enemy stone on `put`, given the others at each time.
    Mismatch<Points> mismatch(int time, const std::vector<Points>& theirs, int put) const {
        const Observation<Points>& observation = observations[at(time)];
        const Points &ours = own[at(time)], &stones = theirs[at(time)];
        if (observation.kind == ObservationKind::OTHER) return {};
        const bool is_ours = observation.point >= 0;
        const int point = is_ours ? observation.point : put;
        const Points bit = Points::of(point);
        if ((ours | stones).has(point)) {
            const bool is_right = needs_stone(observation.kind) && !(observation.kind == ObservationKind::REFUSED &&
                                                                     observation.shown == Shown::NOTHING);
            return {is_right ? 0 : OCCUPIED, bit};
        }
        if (observation.kind == ObservationKind::MARKED) return {OCCUPIED, bit};
        const Points &mine = is_ours ? ours : stones, &other = is_ours ? stones : ours;
        const StoneEffect effect = place(mine | bit, other, point);
        const Points after = is_ours ? stones - effect.taken : stones | bit;
        const bool repeated = std::any_of(observation.boards.begin(), observation.boards.end(),
                                          [&](int moment) { return theirs[at(moment)] == after; });
        if (needs_stone(observation.kind)) {
            const bool is_right = (repeated || !effect.liberties) && observation.shown != Shown::STONE;
            return {is_right ? 0 : PLAYABLE, effect.around};
        }
        if (!effect.liberties) return {SUICIDE, effect.around};
        return mismatch_of_accepted(observation, theirs, mine, other, after, repeated, point, effect);
    }

    // Returns the points where adding or removing a stone may solve a conflict.
    Points find_conflict_points(int time, const Points& stones, int put, const Points& around) const {
        const Observation<Points>& observation = observations[at(time)];
        if (atari_ != AtariRule::ALL || !is_accepted(observation.kind)) return around;
        const bool is_ours = observation.point >= 0;
        const int point = is_ours ? observation.point : put;
        const Points &mine = is_ours ? own[at(time)] : stones, &other = is_ours ? stones : own[at(time)];
        return place(mine | Points::of(point), other, point).around | in_atari(mine, other).second;
    }

    // Returns the first of the times that is not before `time`.
    static std::vector<int>::const_iterator from(const std::vector<int>& times, int time) {
        return std::lower_bound(times.begin(), times.end(), time);
    }

    static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

  private:
    static constexpr int LINES = Prior::LINES;

    Prior prior_;
    std::vector<double> expected_;
    std::vector<std::size_t> lines_;
    AtariRule atari_;
    SelfAtariRule self_atari_;
    // For each point, the times at which an enemy stone certainly or very likely stands there, and was captured.
    std::vector<std::vector<int>> required_, taken_;

    // The effect of an accepted stone; it stays the same as long as the points of `witness` do.
    struct StoneEffect {
        Points taken;
        int atari = 0;
        Points liberties;
        Points around;
        Points witness;
    };

    void note_required(const Observation<Points>& observation, int time, const Points& own_before) {
        switch (observation.kind) {
            case ObservationKind::THEIRS:
                for (int point = 0; point < size; ++point)
                    if ((near[at(point)] & observation.gone) && !own_before.has(point))
                        required_[at(point)].push_back(time + 1);
                break;
            case ObservationKind::REFUSED:
                if (observation.shown != Shown::NOTHING) required_[at(observation.point)].push_back(time);
                break;
            case ObservationKind::OURS:
                for (Points rest = observation.gone; rest; rest = rest.rest())
                    required_[at(rest.first())].push_back(time);
                break;
            case ObservationKind::MARKED:
                if (!own_before.has(observation.point)) required_[at(observation.point)].push_back(time);
                break;
            default:
                break;
        }
    }

    Mismatch<Points> mismatch_of_accepted(const Observation<Points>& observation, const std::vector<Points>& theirs,
                                          const Points& mine, const Points& other, const Points& after, bool repeated,
                                          int point, const StoneEffect& effect) const {
        int conflicts = repeated && !observation.ends ? REPEATED : 0;
        const int more = effect.taken.count() - observation.count;
        const int other_taken = (observation.gone - effect.taken).count() + (more < 0 ? -more : more);
        if (other_taken) conflicts += CAPTURES + std::min(MOST_CAPTURES, other_taken);
        int atari = effect.atari;
        Points around = effect.around, witness = effect.witness;
        if (atari_ == AtariRule::ALL) {
            atari = in_atari(mine | Points::of(point), other - effect.taken).first;
            around = witness = whole;
        }
        bool self_atari = !effect.liberties.rest();
        if (self_atari && self_atari_ == SelfAtariRule::NEW_ONLY) self_atari = !was_in_atari(mine, other, point);
        if (observation.kind != ObservationKind::START) {
            const int unlike = atari > observation.atari ? atari - observation.atari : observation.atari - atari;
            if (atari_ != AtariRule::NONE) conflicts += std::min(MOST_ATARI, unlike);
            if (self_atari_ != SelfAtariRule::NONE) conflicts += self_atari != observation.self_atari;
        }
        if (observation.ends) {
            Points unlike = whole;
            int least = -1;
            for (int moment : observation.boards) {
                const Points here = theirs[at(moment)] ^ after;
                if (least < 0 || here.count() < least) {
                    least = here.count();
                    unlike = here;
                }
            }
            conflicts += std::min(MOST_OTHER, unlike.count());
            around |= unlike;
            witness = whole;
        }
        return {conflicts, conflicts ? around : witness};
    }

    // Returns how many stones of `other` are in atari, and the area of chains with few liberties.
    std::pair<int, Points> in_atari(const Points& mine, const Points& other) const {
        const Points empty = whole - (mine | other);
        int count = 0;
        Points close, rest = other;
        while (rest) {
            const auto [members, around] = chain(other, rest.first());
            rest -= members;
            const Points free = around & empty, more = free.rest();
            if (free && !more) count += members.count();
            if (!more.rest()) close |= members | around;
        }
        return {count, close};
    }

    // Returns whether a stone only extends chains of `mine` that are already in atari.
    bool was_in_atari(const Points& mine, const Points& other, int point) const {
        const Points empty = whole - (mine | other);
        Points beside = near[at(point)] & mine;
        if (!beside) return false;
        while (beside) {
            const auto [members, around] = chain(mine, beside.first());
            beside -= members;
            if ((around & empty).rest()) return false;
        }
        return true;
    }

    // Returns the effect of a stone on a point; `mine` are its colour's stones, including it.
    StoneEffect place(const Points& mine, const Points& other, int point) const {
        const Points empty = whole - (mine | other);
        Points beside = near[at(point)] & other, scope;
        StoneEffect effect;
        effect.witness = Points::of(point) | near[at(point)];
        while (beside) {
            const auto [members, around] = chain(other, beside.first());
            beside -= members;
            scope |= members | around;
            const Points free = around & empty, more = free.rest();
            if (more) {
                // Two liberties suffice as witness.
                effect.witness |= members | two_of(free, more);
                continue;
            }
            effect.witness |= members | around;
            if (free)
                effect.atari += members.count();
            else
                effect.taken |= members;
        }
        const auto [members, around] = chain(mine, point);
        effect.liberties = around & (empty | effect.taken);
        const Points more = effect.liberties.rest();
        effect.witness |= members | (more ? two_of(effect.liberties, more) : around);
        effect.around = scope | members | around;
        return effect;
    }

    static Points two_of(const Points& points, const Points& more) {
        return Points::of(points.first()) | Points::of(more.first());
    }

    // Returns the chain of a stone and the points around it.
    std::pair<Points, Points> chain(const Points& stones, int point) const {
        Points members = Points::of(point), around = near[at(point)], more = around & stones;
        while (more) {
            const int next = more.first();
            members.add(next);
            around |= near[at(next)];
            more = (around & stones) - members;
        }
        return {members, around - members};
    }
};

}  // namespace kernel
