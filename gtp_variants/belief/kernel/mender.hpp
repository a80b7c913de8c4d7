// Go Fantôme: guesses of where the other's stones were put, mended step by step; the twin of `mending.py`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rng.hpp"
#include "story.hpp"

namespace kernel {

template <class Points>
class Mender {
  public:
    using Enough = std::function<bool()>;

    explicit Mender(std::shared_ptr<const Story<Points>> story) : story_(std::move(story)), his_(1) {}

    // The first time at which a stone was put elsewhere since somebody set this.
    int changed = 0;

    int wrong() const { return wrong_; }
    int heard() const { return static_cast<int>(each_.size()); }
    const Points& stones() const { return his_.back(); }
    int point(int time) const { return points_.at(at(time)); }
    // The stones before the tick of a time, one byte a point, ours of this colour.
    std::vector<char> board(int time, char ours, char theirs) const {
        std::vector<char> stones(at(story_->size), 0);
        for (Points rest = his_.at(at(time)); rest; rest = rest.rest()) stones[at(rest.first())] = theirs;
        for (Points rest = story_->own.at(at(time)); rest; rest = rest.rest()) stones[at(rest.first())] = ours;
        return stones;
    }
    // How wrong each tick sounds.
    std::vector<int> faults() const {
        std::vector<int> found;
        for (const Heard& one : each_) found.push_back(one.wrong);
        return found;
    }

    // Guess what happened in all that was heard since, taking so many steps after what sounds wrong.
    void go_on(Rng& rng, int steps, const Enough& enough) {
        for (int time = heard(); time < static_cast<int>(story_->ticks.size()); ++time) {
            if (enough()) break;
            guess(time, rng);
            if (steps && wrong_) mend(rng, each_[at(time)].wrong ? steps : steps / LATER, enough);
        }
    }

    // Take so many steps, fewer if nothing is wrong any more or it is `enough`; whether nothing is.
    bool mend(Rng& rng, int steps, const Enough& enough) {
        int least = wrong_, since = 0;
        const int patience = std::max(PATIENCE, heard());
        for (int step = 0; step < steps; ++step) {
            if (!wrong_ || (step % ASK == 0 && enough())) break;
            const Changes changes = proposal(rng);
            if (changes.count) change(changes, -ONE * HEAT * std::log(1.0 - rng.random()));
            ++since;
            if (wrong_ < least) {
                least = wrong_;
                since = 0;
            } else if (since == patience) {
                insist();
                least = wrong_;
                since = 0;
            }
        }
        if (!wrong_) weights_.clear();
        return !wrong_;
    }

    // Let his stones change places so many times where nothing sounds wrong afterwards, what he likes more often.
    void stir(Rng& rng, int steps, const Enough& enough) {
        for (int step = 0; step < steps; ++step) {
            if (step % ASK == 0 && enough()) break;
            // Whoever was asked may have told the story on.
            const Times begin = story_->slots.begin(), end = story_->from(story_->slots, heard());
            if (begin == end) break;
            const int time = any_of(begin, end, rng);
            const Changes changes =
                rng.random() < EXCHANGE ? exchange(time, begin, end, rng) : anywhere(time, rng);
            if (changes.count) change(changes, 0.0, std::log(1.0 - rng.random()));
        }
    }

  private:
    // The meaning and the values of these are those of `mending.py`.
    static constexpr double HEAT = 0.4;
    static constexpr int PATIENCE = 40, ONE = 1024, MORE = 512, FADE = 9;
    static constexpr std::size_t TRIES = 8;
    static constexpr double EXCHANGE = 0.3, ANY = -1e300;
    static constexpr double MOVE_ITSELF = 0.6, CHANGE_TURNS = 0.7, TAKE_SPARE = 0.7, IS_OCCUPIED = 0.9;
    static constexpr int LATER = 8, ASK = 16;

    using Times = std::vector<int>::const_iterator;

    // One stone, or two, and their new points, the earlier first.
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
        // The new point of a time, or that which it has.
        int of(int time, int usual) const {
            if (times[0] == time) return points[0];
            return count == 2 && times[1] == time ? points[1] : usual;
        }
        bool touch(int time) const { return times[0] == time || (count == 2 && times[1] == time); }
    };

    struct Heard {
        int wrong = 0;
        Points seen;  // everything it sounds like depends on these
        Points same;  // on these it leaves the same as ever
    };

    std::shared_ptr<const Story<Points>> story_;
    std::vector<int> points_;   // where he acted at each time, -1 where it was not him
    std::vector<Points> his_;   // his stones before each tick, and after the last
    std::vector<Heard> each_;
    std::vector<int> faulty_;   // the times at which something sounds wrong, in order
    std::unordered_map<int, std::int64_t> weights_;
    int wrong_ = 0;
    // Kept from step to step, so that no step asks for memory.
    std::vector<Points> trial_;
    std::vector<std::pair<int, Sound<Points>>> trial_heard_;
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

    static int chosen(Points points, Rng& rng) {
        for (std::uint32_t skip = rng.below(static_cast<std::uint32_t>(points.count())); skip; --skip)
            points = points.rest();
        return points.first();
    }

    void guess(int time, Rng& rng) {
        const Tick<Points>& tick = story_->ticks[at(time)];
        const Points stones = his_.back();
        points_.push_back(-1);
        const Sound<Points> sound = tick.point >= 0          ? story_->sound(time, his_, -1)
                                    : story_->is_open[at(time)] ? put(time, rng)
                                                             : Sound<Points>{};
        his_.push_back(story_->after(time, stones, points_.back()));
        Points same;
        if (tick.kind == Kind::OURS)
            same = tick.gone;
        else if (is_put(tick.kind))
            same = Points::of(points_.back());
        each_.push_back({sound.wrong, sound.seen, same});
        wrong_ += sound.wrong;
        if (sound.wrong) faulty_.push_back(time);
    }

    // Choose the point of a new stone of his, the first that sounds right.
    Sound<Points> put(int time, Rng& rng) {
        const Points may = story_->open[at(time)], free = may - his_[at(time)];
        Sound<Points> best;
        bool is_first = true;
        for (int point : likely(free ? free : may ? may : story_->whole, time, rng)) {
            const Sound<Points> sound = story_->sound(time, his_, point);
            if (is_first || sound.wrong < best.wrong) {
                best = sound;
                points_.back() = point;
                is_first = false;
            }
            if (!sound.wrong) break;
        }
        return best;
    }

    // Some of the points: those needed soon sooner, the others as he likes them.
    std::vector<int> likely(Points points, int time, Rng& rng) const {
        const Points theirs = his_[at(time)];
        std::vector<int> found;
        std::vector<std::pair<double, int>> needed, left;
        std::vector<double> weights;
        for (; points; points = points.rest()) {
            const int point = points.first();
            if (const int due = story_->due(point, time)) {
                weights.push_back(1.0 / std::max(1, story_->puts(time, due)));
                needed.emplace_back(0.0, point);
                continue;
            }
            left.emplace_back(-std::log(1.0 - rng.random()) / std::exp(story_->liking(time, theirs, point)), point);
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

    // Let what sounds wrong now weigh more from here on; older weights fade.
    void insist() {
        for (auto& [time, weight] : weights_) weight = ONE + (weight - ONE) * FADE / 10;
        for (int time : faulty_) weights_.try_emplace(time, ONE).first->second += MORE;
    }

    // Other points for some stones of his, because of one sentence that sounds wrong; none if nothing offers.
    Changes proposal(Rng& rng) {
        const int time = any_of(faulty_.begin(), faulty_.end(), rng);
        const Tick<Points>& tick = story_->ticks[at(time)];
        const Points& stones = his_[at(time)];
        const Times begin = story_->slots.begin(), end = story_->from(story_->slots, heard());
        if (points_[at(time)] >= 0 && (tick.kind == Kind::THEY_REFUSED || rng.random() < MOVE_ITSELF)) {
            const bool is_exchange = is_put(tick.kind) && rng.random() < CHANGE_TURNS;
            return is_exchange ? exchange(time, begin, end, rng) : elsewhere(time, rng);
        }
        int point = tick.point;
        if (tick.kind != Kind::MARKED && !(tick.kind == Kind::REFUSED && is_of_its_point(tick, stones, rng))) {
            const Points missing = tick.kind == Kind::OURS ? tick.gone - stones : Points{};
            const Points& own = story_->own[at(time)];
            const Points may =
                missing ? missing : story_->suspects(time, stones, points_[at(time)], each_[at(time)].seen) - own;
            if (!may) return {};
            point = chosen(may, rng);
        }
        return stones.has(point) ? take_away(point, time, end, rng) : bring(point, time, end, rng);
    }

    // Whether a refused try is to be mended by a stone more or less on its point.
    static bool is_of_its_point(const Tick<Points>& tick, const Points& stones, Rng& rng) {
        if (tick.shown == Shown::UNSAID) return rng.random() < IS_OCCUPIED;
        return tick.shown == Shown::STONE || stones.has(tick.point);
    }

    // Another point for the stone put at a time: of two the one he likes better, more often.
    Changes elsewhere(int time, Rng& rng) const {
        Changes first = anywhere(time, rng);
        if (!first.count || !is_put(story_->ticks[at(time)].kind)) return first;
        const Changes second = anywhere(time, rng);
        const double one = std::exp(story_->liking(time, his_[at(time)], first.points[0]));
        const double other = std::exp(story_->liking(time, his_[at(time)], second.points[0]));
        return rng.random() * (one + other) < one ? first : second;
    }

    // Any other point for the stone put at a time.
    Changes anywhere(int time, Rng& rng) const {
        Points may = story_->open[at(time)] - his_[at(time)];
        may.drop(points_[at(time)]);
        return may ? Changes::one(time, chosen(may, rng)) : Changes{};
    }

    // Another stone changes its turn with the one put at a time, as far as our own stones allow.
    Changes exchange(int time, Times begin, Times end, Rng& rng) {
        const int own = points_[at(time)];
        const Points& ours = story_->open[at(time)];
        others_.clear();
        for (; begin != end; ++begin)
            if (*begin != time && story_->open[at(*begin)].has(own) && ours.has(points_[at(*begin)]))
                others_.push_back(*begin);
        if (others_.empty()) return {};
        const int other = any_of(others_.begin(), others_.end(), rng);
        return Changes::two(time, points_[at(other)], other, own);
    }

    // His stone is not to stand on a point just before the tick at `time`.
    Changes take_away(int point, int time, Times end, Rng& rng) {
        const Times next = story_->from(story_->slots, time);
        Times put = next;
        do --put;
        while (points_[at(*put)] != point);
        return rng.random() < CHANGE_TURNS ? exchange(*put, next, end, rng) : elsewhere(*put, rng);
    }

    // A stone of his is to stand on a point just before the tick at `time`.
    Changes bring(int point, int time, Times end, Rng& rng) {
        const Times first = story_->from(story_->slots, story_->came(point, time));
        const Times next = story_->from(story_->slots, time);
        const auto takes_it = [&](int slot) { return story_->open[at(slot)].has(point); };
        const Times later = std::find_if(next, end, [&](int slot) { return points_[at(slot)] == point; });
        if (later != end && rng.random() < CHANGE_TURNS) {
            const Points& may = story_->open[at(*later)];
            others_.clear();
            for (Times slot = first; slot < next; ++slot)
                if (takes_it(*slot) && may.has(points_[at(*slot)])) others_.push_back(*slot);
            if (!others_.empty()) {
                const int other = any_of(others_.begin(), others_.end(), rng);
                return Changes::two(other, point, *later, points_[at(other)]);
            }
        }
        const bool is_spare = rng.random() < TAKE_SPARE;
        others_.clear();
        for (Times slot = first; slot < next; ++slot)
            if (takes_it(*slot) && !(is_spare && story_->is_needed(points_[at(*slot)], *slot))) others_.push_back(*slot);
        if (others_.empty() && is_spare)
            for (Times slot = first; slot < next; ++slot)
                if (takes_it(*slot)) others_.push_back(*slot);
        if (others_.empty()) return {};
        return Changes::one(any_of(others_.begin(), others_.end(), rng), point);
    }

    // Put his stones on other points, unless all would sound more wrong than before by more than `most`, or he would
    // like it so little more than that.
    void change(const Changes& changes, double most, double least = ANY) {
        std::int64_t now = 0;
        for (int time : faulty_) now += weight(time) * each_[at(time)].wrong;
        const double worst = most + static_cast<double>(now);
        const int first = changes.first(), last = changes.last();
        std::int64_t added = 0, removed = 0;
        const auto hear = [&](int time) {
            Sound<Points> sound = story_->sound(time, trial_, changes.of(time, points_[at(time)]));
            const std::int64_t each = weight(time);
            added += each * sound.wrong;
            removed += each * each_[at(time)].wrong;
            trial_heard_.emplace_back(time, sound);
        };
        trial_ = his_;
        trial_heard_.clear();
        // Which points are different from before, just before the tick at `time`.
        Points differ;
        for (int time = first; time < heard(); ++time) {
            const bool is_touched = changes.touch(time);
            if (is_touched || (differ & each_[at(time)].seen)) {
                hear(time);
                if (static_cast<double>(added) > worst) return;
            }
            if (is_touched || std::binary_search(story_->untold.begin(), story_->untold.end(), time))
                differ = story_->after(time, trial_[at(time)], changes.of(time, -1)) ^ his_[at(time + 1)];
            else
                differ -= each_[at(time)].same;
            if (!differ && time >= last) break;
            trial_[at(time + 1)] ^= differ;
        }
        for (auto time = story_->from(story_->wary, first); time != story_->wary.end() && *time < heard(); ++time) {
            if (std::any_of(trial_heard_.begin(), trial_heard_.end(), [&](const auto& one) { return one.first == *time; }))
                continue;
            const std::vector<int>& boards = story_->ticks[at(*time)].boards;
            if (std::any_of(boards.begin(), boards.end(), [&](int moment) { return trial_[at(moment)] != his_[at(moment)]; }))
                hear(*time);
        }
        if (static_cast<double>(added - removed) <= most && (least <= ANY || liked_more(changes) >= least)) take(changes);
    }

    // How much more he would like the stones as they are tried than those there are.
    double liked_more(const Changes& changes) const {
        double more = 0.0;
        const std::vector<int>& slots = story_->slots;
        for (auto slot = story_->from(slots, changes.first()); slot != slots.end() && *slot < heard(); ++slot) {
            const int point = points_[at(*slot)], other = changes.of(*slot, point);
            const Points differ = trial_[at(*slot)] ^ his_[at(*slot)];
            if (point == other && !(differ & (story_->near[at(point)] | story_->second[at(point)]))) continue;
            more += story_->liking(*slot, trial_[at(*slot)], other);
            more -= story_->liking(*slot, his_[at(*slot)], point);
        }
        return more;
    }

    // Make the changes, of which everything was found out.
    void take(const Changes& changes) {
        std::swap(his_, trial_);
        for (int i = 0; i < changes.count; ++i) {
            const int time = changes.times[i];
            points_[at(time)] = changes.points[i];
            if (is_put(story_->ticks[at(time)].kind)) each_[at(time)].same = Points::of(changes.points[i]);
        }
        for (const auto& [time, sound] : trial_heard_) {
            Heard& one = each_[at(time)];
            wrong_ += sound.wrong - one.wrong;
            one.wrong = sound.wrong;
            one.seen = sound.seen;
            const auto place = std::lower_bound(faulty_.begin(), faulty_.end(), time);
            const bool is_known = place != faulty_.end() && *place == time;
            if (sound.wrong && !is_known)
                faulty_.insert(place, time);
            else if (!sound.wrong && is_known)
                faulty_.erase(place);
        }
        changed = std::min(changed, changes.first());
    }
};

}  // namespace kernel
