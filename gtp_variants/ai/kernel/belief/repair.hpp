// Repair of a hypothesis by min-conflicts with clause weights; `repair.py` is the same in Python.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "observations.hpp"
#include "rng.hpp"
#include "should_stop.hpp"

namespace kernel {

template <class Points>
class Assignment {
  public:
    explicit Assignment(std::shared_ptr<const ObservationHistory<Points>> history)
        : history_(std::move(history)), theirs_(1) {}

    // The first time at which a stone was moved; the user resets it.
    int first_changed = 0;

    int conflicts() const { return conflicts_; }
    int length() const { return static_cast<int>(each_.size()); }
    const Points& stones() const { return theirs_.back(); }
    int point(int time) const { return points_.at(at(time)); }
    // Returns the stones before an observation, one byte a point; `ours` is the seat's colour.
    std::vector<char> board(int time, char ours, char theirs) const {
        std::vector<char> stones(at(history_->size), 0);
        for (Points rest = theirs_.at(at(time)); rest; rest = rest.rest()) stones[at(rest.first())] = theirs;
        for (Points rest = history_->own.at(at(time)); rest; rest = rest.rest()) stones[at(rest.first())] = ours;
        return stones;
    }
    // Returns the cost of each observation, 0 where it agrees.
    std::vector<int> mismatches() const {
        std::vector<int> found;
        for (const Entry& one : each_) found.push_back(one.conflicts);
        return found;
    }

    // Chooses points for the latest observations, with `steps` of repair after each conflict.
    void extend(Rng& rng, int steps, const ShouldStop& should_stop) {
        for (int time = length(); time < static_cast<int>(history_->observations.size()); ++time) {
            if (should_stop()) break;
            assign(time, rng);
            if (steps && conflicts_) repair(rng, each_[at(time)].conflicts ? steps : steps / LATER, should_stop);
        }
    }

    // Takes up to `steps` steps until told to stop; returns whether no conflict is left.
    bool repair(Rng& rng, int steps, const ShouldStop& should_stop) {
        int least = conflicts_, since = 0;
        const int patience = std::max(PATIENCE, length());
        for (int step = 0; step < steps; ++step) {
            if (!conflicts_ || (step % ASK == 0 && should_stop())) break;
            const Changes changes = propose(rng);
            if (changes.count) try_changes(changes, -ONE * HEAT * std::log(1.0 - rng.random()));
            ++since;
            if (conflicts_ < least) {
                least = conflicts_;
                since = 0;
            } else if (since == patience) {
                raise_weights();
                least = conflicts_;
                since = 0;
            }
        }
        if (!conflicts_) weights_.clear();
        return !conflicts_;
    }

    // Tries random moves without conflicts: Metropolis steps over the prior.
    void randomize(Rng& rng, int steps, const ShouldStop& should_stop) {
        for (int step = 0; step < steps; ++step) {
            if (step % ASK == 0 && should_stop()) break;
            // `should_stop` may have extended the history.
            const Times begin = history_->placements.begin(), end = history_->from(history_->placements, length());
            if (begin == end) break;
            const int time = any_of(begin, end, rng);
            const Changes changes =
                rng.random() < SWAP_AT_RANDOM ? swap_turns(time, begin, end, rng) : move_anywhere(time, rng);
            if (changes.count) try_changes(changes, 0.0, std::log(1.0 - rng.random()));
        }
    }

  private:
    // The constants of `repair.py`.
    static constexpr double HEAT = 0.4;
    static constexpr int PATIENCE = 40;
    static constexpr int ONE = 1024;
    static constexpr int MORE = 512;
    static constexpr int FADE = 9;
    static constexpr std::size_t TRIES = 8;
    static constexpr double SWAP_AT_RANDOM = 0.3;
    static constexpr double ANY = -1e300;
    static constexpr double MOVE_ITSELF = 0.6;
    static constexpr double SWAP_TURNS = 0.7;
    static constexpr double TAKE_SPARE = 0.7;
    static constexpr double IS_OCCUPIED = 0.9;
    static constexpr int LATER = 8;
    static constexpr int ASK = 16;

    using Times = std::vector<int>::const_iterator;

    // The times and new points of one or two stones, the earlier first.
    struct Changes {
        int count = 0;
        int times[2] = {0, 0};
        int points[2] = {0, 0};

        static Changes one(int time, int point) { return {1, {time, 0}, {point, 0}}; }
        static Changes two(int time, int point, int other, int other_point) {
            if (other < time) return {2, {other, time}, {other_point, point}};
            return {2, {time, other}, {point, other_point}};
        }
        int first() const { return times[0]; }
        int last() const { return times[count - 1]; }
        // Returns the new point of a time, or `usual`.
        int of(int time, int usual) const {
            if (times[0] == time) return points[0];
            return count == 2 && times[1] == time ? points[1] : usual;
        }
        bool touch(int time) const { return times[0] == time || (count == 2 && times[1] == time); }
    };

    struct Entry {
        int conflicts = 0;
        Points scope;  // points on which its mismatch depends
        Points same;   // points it sets regardless of their stones
    };

    std::shared_ptr<const ObservationHistory<Points>> history_;
    std::vector<int> points_;     // the enemy's point at each time, -1 for own actions
    std::vector<Points> theirs_;  // enemy stones before each observation, and after the last
    std::vector<Entry> each_;
    std::vector<int> conflicting_;  // the times of the conflicts, ascending
    std::unordered_map<int, std::int64_t> weights_;
    int conflicts_ = 0;
    // Reused by every step, to avoid allocation.
    std::vector<Points> trial_;
    std::vector<std::pair<int, Mismatch<Points>>> trial_entries_;
    std::vector<int> others_;

    static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

    std::int64_t weight(int time) const {
        const auto found = weights_.find(time);
        return found == weights_.end() ? ONE : found->second;
    }

    template <class Iterator>
    static int any_of(Iterator begin, Iterator end, Rng& rng) {
        return *(begin + rng.below(static_cast<std::uint32_t>(end - begin)));
    }

    static int choose_bit(Points points, Rng& rng) {
        for (std::uint32_t skip = rng.below(static_cast<std::uint32_t>(points.count())); skip; --skip)
            points = points.rest();
        return points.first();
    }

    void assign(int time, Rng& rng) {
        const Observation<Points>& observation = history_->observations[at(time)];
        const Points stones = theirs_.back();
        points_.push_back(-1);
        const Mismatch<Points> mismatch = observation.point >= 0               ? history_->mismatch(time, theirs_, -1)
                                          : history_->has_candidates[at(time)] ? put(time, rng)
                                                                               : Mismatch<Points>{};
        theirs_.push_back(history_->after(time, stones, points_.back()));
        Points same;
        if (observation.kind == ObservationKind::OURS)
            same = observation.gone;
        else if (is_placing(observation.kind))
            same = Points::of(points_.back());
        each_.push_back({mismatch.conflicts, mismatch.scope, same});
        conflicts_ += mismatch.conflicts;
        if (mismatch.conflicts) conflicting_.push_back(time);
    }

    // Chooses the point of a new stone: the first without a conflict, else the cheapest.
    Mismatch<Points> put(int time, Rng& rng) {
        const Points may = history_->candidates[at(time)], free = may - theirs_[at(time)];
        Mismatch<Points> best;
        bool is_first = true;
        for (int point : rank_points(free ? free : may ? may : history_->whole, time, rng)) {
            const Mismatch<Points> mismatch = history_->mismatch(time, theirs_, point);
            if (is_first || mismatch.conflicts < best.conflicts) {
                best = mismatch;
                points_.back() = point;
                is_first = false;
            }
            if (!mismatch.conflicts) break;
        }
        return best;
    }

    // Returns some of the points: first points needed soon, then points drawn by the prior.
    std::vector<int> rank_points(Points points, int time, Rng& rng) const {
        const Points theirs = theirs_[at(time)];
        std::vector<int> found;
        std::vector<std::pair<double, int>> needed, left;
        std::vector<double> weights;
        for (; points; points = points.rest()) {
            const int point = points.first();
            if (const int next_requirement = history_->next_requirement(point, time)) {
                weights.push_back(1.0 / std::max(1, history_->count_placements(time, next_requirement)));
                needed.emplace_back(0.0, point);
                continue;
            }
            left.emplace_back(-std::log(1.0 - rng.random()) / std::exp(history_->log_prior(time, theirs, point)),
                              point);
        }
        std::sort(left.begin(), left.end());
        double total = 0.0;
        for (std::size_t i = 0; i < needed.size(); ++i) {
            needed[i].first = std::pow(rng.random(), 1.0 / weights[i]);
            total += weights[i];
        }
        std::stable_sort(needed.begin(), needed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 0; i < std::min(TRIES, left.size()); ++i) {
            while (!needed.empty() && rng.random() < total) {
                found.push_back(needed.back().second);
                needed.pop_back();
            }
            found.push_back(left[i].second);
        }
        for (; !needed.empty(); needed.pop_back()) found.push_back(needed.back().second);
        if (found.size() > TRIES) found.resize(TRIES);
        return found;
    }

    // Raises the weights of current conflicts and fades older additions.
    void raise_weights() {
        for (auto& [time, weight] : weights_) weight = ONE + (weight - ONE) * FADE / 10;
        for (int time : conflicting_) weights_.try_emplace(time, ONE).first->second += MORE;
    }

    // Proposes other points for some stones because of one conflict; empty if there are none.
    Changes propose(Rng& rng) {
        const int time = any_of(conflicting_.begin(), conflicting_.end(), rng);
        const Observation<Points>& observation = history_->observations[at(time)];
        const Points& stones = theirs_[at(time)];
        const Times begin = history_->placements.begin(), end = history_->from(history_->placements, length());
        if (points_[at(time)] >= 0 &&
            (observation.kind == ObservationKind::THEY_REFUSED || rng.random() < MOVE_ITSELF)) {
            const bool is_exchange = is_placing(observation.kind) && rng.random() < SWAP_TURNS;
            return is_exchange ? swap_turns(time, begin, end, rng) : move_stone(time, rng);
        }
        int point = observation.point;
        if (observation.kind != ObservationKind::MARKED &&
            !(observation.kind == ObservationKind::REFUSED && blames_its_point(observation, stones, rng))) {
            const Points missing = observation.kind == ObservationKind::OURS ? observation.gone - stones : Points{};
            const Points& own = history_->own[at(time)];
            const Points may =
                missing ? missing
                        : history_->find_conflict_points(time, stones, points_[at(time)], each_[at(time)].scope) - own;
            if (!may) return {};
            point = choose_bit(may, rng);
        }
        return stones.has(point) ? vacate(point, time, end, rng) : occupy(point, time, end, rng);
    }

    // Returns whether a refused try is explained by a stone on the tried point itself.
    static bool blames_its_point(const Observation<Points>& observation, const Points& stones, Rng& rng) {
        if (observation.shown == Shown::UNSAID) return rng.random() < IS_OCCUPIED;
        return observation.shown == Shown::STONE || stones.has(observation.point);
    }

    // Proposes another point for the enemy stone placed at a time: of two drawn, the likelier more often.
    Changes move_stone(int time, Rng& rng) const {
        Changes first = move_anywhere(time, rng);
        if (!first.count || !is_placing(history_->observations[at(time)].kind)) return first;
        const Changes second = move_anywhere(time, rng);
        const double one = std::exp(history_->log_prior(time, theirs_[at(time)], first.points[0]));
        const double other = std::exp(history_->log_prior(time, theirs_[at(time)], second.points[0]));
        return rng.random() * (one + other) < one ? first : second;
    }

    // Proposes a random other point for the enemy stone placed at a time.
    Changes move_anywhere(int time, Rng& rng) const {
        Points may = history_->candidates[at(time)] - theirs_[at(time)];
        may.drop(points_[at(time)]);
        return may ? Changes::one(time, choose_bit(may, rng)) : Changes{};
    }

    // Proposes that another enemy stone swaps its turn with the one placed at a time, if own stones allow it.
    Changes swap_turns(int time, Times begin, Times end, Rng& rng) {
        const int own = points_[at(time)];
        const Points& ours = history_->candidates[at(time)];
        others_.clear();
        for (; begin != end; ++begin)
            if (*begin != time && history_->candidates[at(*begin)].has(own) && ours.has(points_[at(*begin)]))
                others_.push_back(*begin);
        if (others_.empty()) return {};
        const int other = any_of(others_.begin(), others_.end(), rng);
        return Changes::two(time, points_[at(other)], other, own);
    }

    // Proposes that no enemy stone stands on a point before the observation at `time`.
    Changes vacate(int point, int time, Times end, Rng& rng) {
        const Times next = history_->from(history_->placements, time);
        Times put = next;
        do --put;
        while (points_[at(*put)] != point);
        return rng.random() < SWAP_TURNS ? swap_turns(*put, next, end, rng) : move_stone(*put, rng);
    }

    // Proposes that an enemy stone stands on a point before the observation at `time`.
    Changes occupy(int point, int time, Times end, Rng& rng) {
        const Times first = history_->from(history_->placements, history_->earliest_placement(point, time));
        const Times next = history_->from(history_->placements, time);
        const auto takes_it = [&](int turn) { return history_->candidates[at(turn)].has(point); };
        const Times later = std::find_if(next, end, [&](int turn) { return points_[at(turn)] == point; });
        if (later != end && rng.random() < SWAP_TURNS) {
            const Points& may = history_->candidates[at(*later)];
            others_.clear();
            for (Times turn = first; turn < next; ++turn)
                if (takes_it(*turn) && may.has(points_[at(*turn)])) others_.push_back(*turn);
            if (!others_.empty()) {
                const int other = any_of(others_.begin(), others_.end(), rng);
                return Changes::two(other, point, *later, points_[at(other)]);
            }
        }
        const bool is_spare = rng.random() < TAKE_SPARE;
        others_.clear();
        for (Times turn = first; turn < next; ++turn)
            if (takes_it(*turn) && !(is_spare && history_->is_required_later(points_[at(*turn)], *turn)))
                others_.push_back(*turn);
        if (others_.empty() && is_spare)
            for (Times turn = first; turn < next; ++turn)
                if (takes_it(*turn)) others_.push_back(*turn);
        if (others_.empty()) return {};
        return Changes::one(any_of(others_.begin(), others_.end(), rng), point);
    }

    // Accepts changes unless the weighted cost grows by over `most` or the log prior by under `least`.
    void try_changes(const Changes& changes, double most, double least = ANY) {
        std::int64_t now = 0;
        for (int time : conflicting_) now += weight(time) * each_[at(time)].conflicts;
        const double worst = most + static_cast<double>(now);
        const int first = changes.first(), last = changes.last();
        std::int64_t added = 0, removed = 0;
        const auto weigh = [&](int time) {
            Mismatch<Points> mismatch = history_->mismatch(time, trial_, changes.of(time, points_[at(time)]));
            const std::int64_t each = weight(time);
            added += each * mismatch.conflicts;
            removed += each * each_[at(time)].conflicts;
            trial_entries_.emplace_back(time, mismatch);
        };
        trial_ = theirs_;
        trial_entries_.clear();
        // The points that differ from before at each time.
        Points differ;
        for (int time = first; time < length(); ++time) {
            const bool is_touched = changes.touch(time);
            if (is_touched || (differ & each_[at(time)].scope)) {
                weigh(time);
                if (static_cast<double>(added) > worst) return;
            }
            if (is_touched ||
                std::binary_search(history_->hidden_capture_times.begin(), history_->hidden_capture_times.end(), time))
                differ = history_->after(time, trial_[at(time)], changes.of(time, -1)) ^ theirs_[at(time + 1)];
            else
                differ -= each_[at(time)].same;
            if (!differ && time >= last) break;
            trial_[at(time + 1)] ^= differ;
        }
        for (auto time = history_->from(history_->repetition_times, first);
             time != history_->repetition_times.end() && *time < length(); ++time) {
            if (std::any_of(trial_entries_.begin(), trial_entries_.end(),
                            [&](const auto& one) { return one.first == *time; }))
                continue;
            const std::vector<int>& boards = history_->observations[at(*time)].boards;
            if (std::any_of(boards.begin(), boards.end(),
                            [&](int moment) { return trial_[at(moment)] != theirs_[at(moment)]; }))
                weigh(*time);
        }
        if (static_cast<double>(added - removed) <= most && (least <= ANY || prior_gain(changes) >= least))
            accept(changes);
    }

    // Returns the gain of the log prior by these changes.
    double prior_gain(const Changes& changes) const {
        double more = 0.0;
        const std::vector<int>& placements = history_->placements;
        for (auto turn = history_->from(placements, changes.first()); turn != placements.end() && *turn < length();
             ++turn) {
            const int point = points_[at(*turn)], other = changes.of(*turn, point);
            const Points differ = trial_[at(*turn)] ^ theirs_[at(*turn)];
            if (point == other && !(differ & (history_->near[at(point)] | history_->two_steps[at(point)]))) continue;
            more += history_->log_prior(*turn, trial_[at(*turn)], other);
            more -= history_->log_prior(*turn, theirs_[at(*turn)], point);
        }
        return more;
    }

    // Makes changes with known mismatches.
    void accept(const Changes& changes) {
        std::swap(theirs_, trial_);
        for (int i = 0; i < changes.count; ++i) {
            const int time = changes.times[i];
            points_[at(time)] = changes.points[i];
            if (is_placing(history_->observations[at(time)].kind)) each_[at(time)].same = Points::of(changes.points[i]);
        }
        for (const auto& [time, mismatch] : trial_entries_) {
            Entry& one = each_[at(time)];
            conflicts_ += mismatch.conflicts - one.conflicts;
            one.conflicts = mismatch.conflicts;
            one.scope = mismatch.scope;
            const auto place = std::lower_bound(conflicting_.begin(), conflicting_.end(), time);
            const bool is_known = place != conflicting_.end() && *place == time;
            if (mismatch.conflicts && !is_known)
                conflicting_.insert(place, time);
            else if (!mismatch.conflicts && is_known)
                conflicting_.erase(place);
        }
        first_changed = std::min(first_changed, changes.first());
    }
};

}  // namespace kernel
