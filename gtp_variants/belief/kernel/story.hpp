// Go Fantôme: what one seat heard, and what guesses of the other's stones would have sounded like; the twin of `story.py`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "mask.hpp"

namespace kernel {

// What a piece of news is of; the numbers are those of `story.Kind`.
enum class Kind { SEATED = 1, OURS, THEIRS, REFUSED, THEY_REFUSED, MARKED, OTHER };

enum class Counted { NEW, ALL, NONE };
enum class Said { ALWAYS, NEW_ONLY, NONE };

inline bool is_put(Kind kind) { return kind == Kind::SEATED || kind == Kind::THEIRS; }
inline bool is_accepted(Kind kind) { return kind == Kind::OURS || kind == Kind::THEIRS; }
inline bool needs_a_stone(Kind kind) {
    return kind == Kind::REFUSED || kind == Kind::THEY_REFUSED || kind == Kind::MARKED;
}

// How wrong each fault of a guess is, and how much many of a kind count at most.
inline constexpr int OCCUPIED = 4, SUICIDE = 3, REPEATED = 2, PLAYABLE = 1, CAPTURES = 1;
inline constexpr int MOST_CAPTURES = 3, MOST_ATARI = 2, MOST_OTHER = 4;

// What stands on the point of a refused try: not said, nothing, or a stone.
enum class Shown { UNSAID = -1, NOTHING = 0, STONE = 1 };

template <class Points>
struct Tick {
    Kind kind = Kind::OTHER;
    int point = -1;
    Points gone;
    int count = 0;
    int atari = 0;
    bool self_atari = false;
    bool ends = false;  // a board came again, and that was the end
    Shown shown = Shown::UNSAID;
    std::vector<int> boards;
};

// How wrong a tick would have sounded, and the points that this hangs on.
template <class Points>
struct Sound {
    int wrong = 0;
    Points seen;
};

template <class Points>
class Story {
  public:
    // `rings` says how far each point is from the edge, 1 on it.
    Story(const std::vector<std::vector<int>>& neighbours, const std::vector<int>& rings, Counted atari,
          Said self_atari)
        : size(static_cast<int>(neighbours.size())),
          near(neighbours.size()),
          second(neighbours.size()),
          own(1),
          atari_(atari),
          self_atari_(self_atari),
          needs_(neighbours.size()),
          taken_(neighbours.size()) {
        for (int point = 0; point < size; ++point) {
            whole.add(point);
            for (int next : neighbours[at(point)]) {
                near[at(point)].add(next);
                for (int further : neighbours[at(next)]) second[at(point)].add(further);
            }
            second[at(point)] -= near[at(point)] | Points::of(point);
            lines_.push_back(at(std::clamp(rings[at(point)], 1, LINES) - 1));
        }
    }

    const int size;
    Points whole;
    std::vector<Points> near, second;  // the points one step from each, and two steps
    std::vector<Tick<Points>> ticks;
    std::vector<Points> own;     // our stones before each tick, and after the last
    std::vector<Points> open;    // where a stone of his, or a refused try, may have been; of other ticks nothing
    std::vector<char> is_open;   // whether there is such a point to be guessed
    std::vector<int> slots;      // when a stone of his was put
    std::vector<int> wary;       // when a board may come again
    std::vector<int> untold;     // when it was not shown what we captured

    void seat(Points placed) { own.back() = placed; }

    void hear(Tick<Points> tick, Points after) {
        const int time = static_cast<int>(ticks.size());
        const Points before = own.back();
        note_needs(tick, time, before);
        Points may;
        if (is_put(tick.kind)) {
            slots.push_back(time);
            may = whole - before;
        } else if (tick.kind == Kind::THEY_REFUSED) {
            may = before ? before : whole;
        } else if (tick.kind == Kind::OURS) {
            const int begin = std::max(came(tick.point, time), untold.empty() ? 0 : untold.back());
            for (auto slot = from(slots, begin); slot != slots.end(); ++slot) open[at(*slot)].drop(tick.point);
            for (Points rest = tick.gone; rest; rest = rest.rest()) taken_[at(rest.first())].push_back(time);
            if (tick.count > tick.gone.count()) untold.push_back(time);
        }
        open.push_back(may);
        is_open.push_back(static_cast<char>(is_put(tick.kind) || tick.kind == Kind::THEY_REFUSED));
        if (!tick.boards.empty()) wary.push_back(time);
        ticks.push_back(std::move(tick));
        own.push_back(after);
    }

    // His stones after a tick at which he may have put one on `point`.
    Points after(int time, const Points& stones, int point) const {
        const Tick<Points>& tick = ticks[at(time)];
        if (is_put(tick.kind)) return stones | Points::of(point);
        if (tick.kind != Kind::OURS) return stones;
        if (tick.count == tick.gone.count() || stones.has(tick.point)) return stones - tick.gone;
        const Points mine = own[at(time)] | Points::of(tick.point);
        return stones - (tick.gone | place(mine, stones, tick.point).taken);
    }

    // The first time after `time` at which a stone put there then serves for something; 0 if there is none.
    int due(int point, int time) const {
        const std::vector<int>& needs = needs_[at(point)];
        const auto next = std::upper_bound(needs.begin(), needs.end(), time);
        return next != needs.end() && came(point, *next) <= time ? *next : 0;
    }

    // How many stones of his were put at a time from `begin` up to, but without, `end`.
    int puts(int begin, int end) const { return static_cast<int>(from(slots, end) - from(slots, begin)); }

    // The first time at which a stone on a point could be put that is still there at `time`.
    int came(int point, int time) const {
        const std::vector<int>& taken = taken_[at(point)];
        const auto next = std::lower_bound(taken.begin(), taken.end(), time);
        return next == taken.begin() ? 0 : *(next - 1);
    }

    bool is_needed(int point, int time) const {
        const std::vector<int>& needs = needs_[at(point)];
        return !needs.empty() && needs.back() > time;
    }

    // How likely it is that he puts a stone on a point where these are his: a logarithm, up to what is the same for all.
    double liking(int time, const Points& his, int point) const {
        const Points& ours = own[at(time)];
        const Points &one = near[at(point)], &two = second[at(point)];
        const double filled = static_cast<double>((his | ours).count()) / size;
        const std::size_t line = lines_[at(point)];
        double sum = LINE[line] + EARLY_LINE[line] * std::max(0.0, 1 - filled / EARLY);
        sum += BESIDE_HIS[at(std::min(3, (one & his).count()))];
        sum += BESIDE_OURS[at(std::min(3, (one & ours).count()))];
        sum += NEAR_HIS * (two & his).count();
        return one - his ? sum : sum + EYE;
    }

    // How a tick would have sounded had his stones stood like that, and his own been put on `put`.
    Sound<Points> sound(int time, const std::vector<Points>& his, int put) const {
        const Tick<Points>& tick = ticks[at(time)];
        const Points &ours = own[at(time)], &stones = his[at(time)];
        if (tick.kind == Kind::OTHER) return {};
        const bool is_ours = tick.point >= 0;
        const int point = is_ours ? tick.point : put;
        const Points bit = Points::of(point);
        if ((ours | stones).has(point)) {
            const bool is_right = needs_a_stone(tick.kind) && !(tick.kind == Kind::REFUSED && tick.shown == Shown::NOTHING);
            return {is_right ? 0 : OCCUPIED, bit};
        }
        if (tick.kind == Kind::MARKED) return {OCCUPIED, bit};
        const Points &mine = is_ours ? ours : stones, &other = is_ours ? stones : ours;
        const Placed placed = place(mine | bit, other, point);
        const Points after = is_ours ? stones - placed.taken : stones | bit;
        const bool repeated = std::any_of(tick.boards.begin(), tick.boards.end(),
                                          [&](int moment) { return his[at(moment)] == after; });
        if (needs_a_stone(tick.kind)) {
            const bool is_right = (repeated || !placed.liberties) && tick.shown != Shown::STONE;
            return {is_right ? 0 : PLAYABLE, placed.around};
        }
        if (!placed.liberties) return {SUICIDE, placed.around};
        return hear_accepted(tick, his, mine, other, after, repeated, point, placed);
    }

    // Of the points that have to do with a wrong tick those on which a stone more or less may mend it.
    Points suspects(int time, const Points& stones, int put, const Points& around) const {
        const Tick<Points>& tick = ticks[at(time)];
        if (atari_ != Counted::ALL || !is_accepted(tick.kind)) return around;
        const bool is_ours = tick.point >= 0;
        const int point = is_ours ? tick.point : put;
        const Points &mine = is_ours ? own[at(time)] : stones, &other = is_ours ? stones : own[at(time)];
        return place(mine | Points::of(point), other, point).around | in_atari(mine, other).second;
    }

    // The first of the times that is not before `time`.
    static std::vector<int>::const_iterator from(const std::vector<int>& times, int time) {
        return std::lower_bound(times.begin(), times.end(), time);
    }

    static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

  private:
    // The meaning and the values of these are those of `story.py`.
    static constexpr int LINES = 4;
    static constexpr double EARLY = 0.6;
    static constexpr double LINE[LINES] = {1.5, 0.25, 0.05, 0.0}, EARLY_LINE[LINES] = {-3.2, -0.35, 0.6, 0.0};
    static constexpr double BESIDE_HIS[4] = {0.0, 1.1, 0.4, 0.8}, BESIDE_OURS[4] = {0.0, 1.0, 1.0, 2.5};
    static constexpr double NEAR_HIS = 0.37, EYE = -4.5;

    std::vector<std::size_t> lines_;
    Counted atari_;
    Said self_atari_;
    // For each point the times at which he stands there, or in all likelihood; those at which his stone was captured.
    std::vector<std::vector<int>> needs_, taken_;

    // What an accepted stone does; it stays like that while the points of `enough` stay as they are.
    struct Placed {
        Points taken;
        int atari = 0;
        Points liberties;
        Points around;
        Points enough;
    };

    void note_needs(const Tick<Points>& tick, int time, const Points& own_before) {
        switch (tick.kind) {
            case Kind::THEIRS:
                for (int point = 0; point < size; ++point)
                    if ((near[at(point)] & tick.gone) && !own_before.has(point)) needs_[at(point)].push_back(time + 1);
                break;
            case Kind::REFUSED:
                if (tick.shown != Shown::NOTHING) needs_[at(tick.point)].push_back(time);
                break;
            case Kind::OURS:
                for (Points rest = tick.gone; rest; rest = rest.rest()) needs_[at(rest.first())].push_back(time);
                break;
            case Kind::MARKED:
                if (!own_before.has(tick.point)) needs_[at(tick.point)].push_back(time);
                break;
            default:
                break;
        }
    }

    Sound<Points> hear_accepted(const Tick<Points>& tick, const std::vector<Points>& his, const Points& mine,
                                const Points& other, const Points& after, bool repeated, int point,
                                const Placed& placed) const {
        int wrong = repeated && !tick.ends ? REPEATED : 0;
        const int more = placed.taken.count() - tick.count;
        const int other_taken = (tick.gone - placed.taken).count() + (more < 0 ? -more : more);
        if (other_taken) wrong += CAPTURES + std::min(MOST_CAPTURES, other_taken);
        int atari = placed.atari;
        Points around = placed.around, enough = placed.enough;
        if (atari_ == Counted::ALL) {
            atari = in_atari(mine | Points::of(point), other - placed.taken).first;
            around = enough = whole;
        }
        bool self_atari = !placed.liberties.rest();
        if (self_atari && self_atari_ == Said::NEW_ONLY) self_atari = !was_in_atari(mine, other, point);
        if (tick.kind != Kind::SEATED) {
            const int unlike = atari > tick.atari ? atari - tick.atari : tick.atari - atari;
            if (atari_ != Counted::NONE) wrong += std::min(MOST_ATARI, unlike);
            if (self_atari_ != Said::NONE) wrong += self_atari != tick.self_atari;
        }
        if (tick.ends) {
            Points unlike = whole;
            int least = -1;
            for (int moment : tick.boards) {
                const Points here = his[at(moment)] ^ after;
                if (least < 0 || here.count() < least) {
                    least = here.count();
                    unlike = here;
                }
            }
            wrong += std::min(MOST_OTHER, unlike.count());
            around |= unlike;
            enough = whole;
        }
        return {wrong, wrong ? around : enough};
    }

    // How many stones of `other` are in atari; those chains, and the ones that nearly are, with what is around.
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

    // Whether a stone there only extends chains of `mine` that are in atari already.
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

    // What a stone on a point does: `mine` are the stones of its colour, it among them.
    Placed place(const Points& mine, const Points& other, int point) const {
        const Points empty = whole - (mine | other);
        Points beside = near[at(point)] & other, seen;
        Placed placed;
        placed.enough = Points::of(point) | near[at(point)];
        while (beside) {
            const auto [members, around] = chain(other, beside.first());
            beside -= members;
            seen |= members | around;
            const Points free = around & empty, more = free.rest();
            if (more) {
                // Two liberties are enough to know.
                placed.enough |= members | two_of(free, more);
                continue;
            }
            placed.enough |= members | around;
            if (free)
                placed.atari += members.count();
            else
                placed.taken |= members;
        }
        const auto [members, around] = chain(mine, point);
        placed.liberties = around & (empty | placed.taken);
        const Points more = placed.liberties.rest();
        placed.enough |= members | (more ? two_of(placed.liberties, more) : around);
        placed.around = seen | members | around;
        return placed;
    }

    static Points two_of(const Points& points, const Points& more) {
        return Points::of(points.first()) | Points::of(more.first());
    }

    // The chain of a stone, and the points around it.
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
