// Fast boards for playouts: chains with counted liberties, updated stone by stone and copied in one sweep.
//
// A liberty counts once per adjacent stone of the chain ("pseudo-liberties"). This suffices for captures and suicide
// and needs only additions. A *bare* board has nothing more. A *rich* one also keeps the sums of the liberties' point
// numbers and their squares, which reveal atari, and what its game needs: the shapes around points, fours, or a hash of
// the stones.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "ai/kernel/rules/hash.hpp"
#include "ai/kernel/rules/rules.hpp"

namespace kernel {

// How a board behaves; Go Fantôme uses `go`.
enum class Kind : std::uint8_t { go, aleago, rosette, alter_igo, pentalath };

inline constexpr Vertex NOWHERE = 0xFFFF;
// Maximum number of runs of five; Pentalath's board has 90.
inline constexpr std::size_t MAX_FIVES = 128;

// The constant tables shared by all boards of one game, with a fixed stride, and the buckets of empty points.
struct BoardTables {
    BoardTables(const Rules& rules, bool has_lines);

    const Topology* topology;
    Vertex points;                    // their number
    bool has_lines;                   // Aléago with dice
    int buckets;                      // one per line and one for points on no line; otherwise 1
    std::vector<Vertex> bucket_of;    // for each point
    std::vector<Vertex> bucket_from;  // start of each bucket in the list of empty points
    bool immunity;
    bool rosette_suicide;
};

inline BoardTables::BoardTables(const Rules& rules, bool has_lines)
    : topology(&rules.topology),
      points(static_cast<Vertex>(rules.topology.points)),
      has_lines(has_lines),
      buckets(has_lines ? static_cast<int>(rules.numbers.size()) + 1 : 1),
      bucket_of(static_cast<std::size_t>(points), 0),
      immunity(rules.immunity),
      rosette_suicide(rules.rosette_suicide) {
    std::vector<int> sizes(static_cast<std::size_t>(buckets), 0);
    for (std::size_t point = 0; point < bucket_of.size(); ++point) {
        if (buckets > 1) {
            // Line 0 is not found and comes last.
            const auto found = std::find(rules.numbers.begin(), rules.numbers.end(), rules.lines[point]);
            bucket_of[point] = static_cast<Vertex>(found - rules.numbers.begin());
        }
        ++sizes[bucket_of[point]];
    }
    int from = 0;
    for (const int size : sizes) {
        bucket_from.push_back(static_cast<Vertex>(from));
        from += size;
    }
}

template <Kind KIND, bool RICH> class PlayoutBoard {
  public:
    static constexpr Kind KIND_OF = KIND;
    static constexpr bool IS_RICH = RICH;
    static constexpr int DEGREE = KIND == Kind::pentalath ? 6 : KIND == Kind::rosette ? 3 : 4;
    static constexpr bool IS_GRID = KIND != Kind::pentalath && KIND != Kind::rosette;
    static constexpr bool HAS_BUCKETS = KIND == Kind::aleago;
    static constexpr bool HAS_SHAPES = RICH && (KIND == Kind::go || KIND == Kind::aleago);
    static constexpr bool HAS_HASH = RICH && KIND == Kind::alter_igo;
    static constexpr bool HAS_KO = KIND == Kind::go || KIND == Kind::aleago || KIND == Kind::rosette;

    explicit PlayoutBoard(const BoardTables& tables);
    PlayoutBoard(const PlayoutBoard&) = delete;
    PlayoutBoard& operator=(const PlayoutBoard&) = delete;

    void copy_from(const PlayoutBoard& other);
    // Places stones on an empty board, in ascending order of points.
    void set_up(const std::vector<Colour>& stones);

    Colour at(Vertex v) const { return points_[v].colour; }
    int stones_of(Colour c) const { return stones_[c]; }
    int empties(int bucket = 0) const { return counts_[static_cast<std::size_t>(bucket)]; }
    const BoardTables& tables() const { return *tables_; }

    // Returns the start of a bucket in the list of empty points, whose order affects a playout's result.
    int begin(int bucket = 0) const {
        if constexpr (HAS_BUCKETS) return tables_->bucket_from[static_cast<std::size_t>(bucket)];
        else return 0;
    }
    Vertex empty(int place) const { return empty_[static_cast<std::size_t>(place)]; }
    void swap(int place, int other) {
        const Vertex first = empty(place), second = empty(other);
        put_empty(place, second);
        put_empty(other, first);
    }
    int place_of(Vertex v) const;

    Vertex ko() const { return ko_; }
    void set_ko(Vertex v) { ko_ = v; }
    bool has_five() const { return has_five_; }
    // For Pentalath: returns the number of runs with four stones of a colour and nothing else.
    int fours(Colour c) const requires RICH { return sums_.fours[c]; }
    // For Pentalath: returns the stones in a run of five, four bits for each colour.
    std::uint16_t window(Vertex number) const { return windows_[number]; }
    // For Pentalath: returns whether a stone on an empty point would complete a five.
    bool makes_five(Vertex v, Colour c) const;
    // Returns whether a stone on an empty point would capture something.
    bool takes(Vertex v, Colour c) const;

    // Returns whether an empty point is an eye that `c` would not fill, as chains.is_eye in the rules.
    bool is_eye(Vertex v, Colour c) const;
    // Returns whether `c` may place a stone on an empty point; only the simple ko is checked.
    bool is_legal(Vertex v, Colour c, bool mind_ko = true) const;
    // For Alter Igo: returns whether a stone on an empty point would be the only one captured.
    bool is_lone_suicide(Vertex v, Colour c) const;

    // Places a stone on an empty point where it is legal, and returns the number of stones captured.
    int play(Vertex v, Colour c) { return play_at(place_of(v), c); }
    // The same for an index in the list of empty points.
    int play_at(int place, Colour c);

    bool has_empty_neighbour(Vertex v) const { return field(points_[v].around, EMPTY) != 0; }
    // Returns whether all existing neighbours have the colour.
    bool is_surrounded(Vertex v, Colour c) const { return field(points_[v].around, c) == DEGREE; }
    const Vertex* near_of(Vertex v) const { return near_ + static_cast<std::size_t>(v) * DEGREE; }

    Vertex chain_of(Vertex v) const { return points_[v].chain; }
    int size_of(Vertex chain) const { return chains_[chain].size; }
    Vertex next_in_chain(Vertex v) const { return points_[v].next; }
    unsigned pseudo_liberties(Vertex chain) const { return chains_[chain].liberties; }
    bool is_immune(Vertex chain) const { return KIND == Kind::rosette && chains_[chain].has_rosette; }

    // Returns the only liberty of a chain, or NOWHERE.
    Vertex only_liberty(Vertex chain) const requires RICH {
        const Chain& c = chains_[chain];
        // The counted points are all the same if the mean of their squares is the square of their mean.
        const auto number = std::uint64_t{c.liberties}, sum = std::uint64_t{c.sum}, squares = std::uint64_t{c.squares};
        if (number == 0 || number * squares != sum * sum) return NOWHERE;
        return static_cast<Vertex>(sum / number - 1);
    }
    // Returns the only liberty that a chain beside an empty point would keep if another stone took that point, or
    // NOWHERE.
    Vertex only_liberty_without(Vertex chain, Vertex v) const requires RICH;
    // Returns whether a stone on an empty point captures nothing and leaves its chain at most one liberty.
    bool is_self_atari(Vertex v, Colour c) const requires RICH;
    // Returns whether a stone that is legal on an empty point stays legal after any next stone elsewhere without
    // captures.
    bool stays_legal(Vertex v, Colour c) const requires RICH {
        return field(points_[v].around, EMPTY) >= 2 || (!takes(v, c) && !is_self_atari(v, c));
    }
    // Returns the eight surrounding points of a square grid, two bits each: empty, black, white, 3 off the board.
    std::uint16_t shape(Vertex v) const requires HAS_SHAPES { return shapes_[v]; }
    const Vertex* surroundings_of(Vertex v) const { return surroundings_ + static_cast<std::size_t>(v) * 8; }
    const Hash& hash() const requires HAS_HASH { return sums_.hash; }

  private:
    struct Point {
        Vertex chain;          // names the chain; `points` on empty points
        Vertex next;           // the chain's points in a circle
        std::uint16_t around;  // four bits each: empty, black, white and red neighbours; missing ones count for all
        Colour colour;
    };
    struct BareChain {
        std::uint32_t liberties;
        std::uint16_t size;
        bool has_rosette;
    };
    struct RichChain : BareChain {
        std::uint32_t sum;
        std::uint32_t squares;
    };
    using Chain = std::conditional_t<RICH, RichChain, BareChain>;
    struct None {};
    struct RichSums {
        Hash hash;
        std::array<int, 4> fours{};
    };
    // The value of a run with four stones of a colour and nothing else.
    static constexpr std::uint16_t four_of(Colour c) { return static_cast<std::uint16_t>(4 << (4 * c)); }

    static constexpr unsigned field(std::uint16_t around, Colour c) { return (around >> (4 * c)) & 15U; }
    // Added to each neighbour when a stone comes, subtracted when it goes.
    static constexpr std::uint16_t step(Colour c) { return static_cast<std::uint16_t>((1 << (4 * c)) - 1); }

    int bucket_of(Vertex v) const {
        if constexpr (HAS_BUCKETS) return tables_->bucket_of[v];
        else return 0;
    }
    void put_empty(int place, Vertex v) {
        empty_[static_cast<std::size_t>(place)] = v;
        if constexpr (RICH) where_[v] = static_cast<Vertex>(place);
    }
    void leave_empties(int place) {
        const int bucket = bucket_of(empty(place));
        const int last = begin(bucket) + --counts_[static_cast<std::size_t>(bucket)];
        put_empty(place, empty(last));
    }
    void join_empties(Vertex v) {
        const int bucket = bucket_of(v);
        put_empty(begin(bucket) + counts_[static_cast<std::size_t>(bucket)]++, v);
    }

    bool take_liberty(Chain& chain, Vertex v) {
        --chain.liberties;
        if constexpr (RICH) {
            chain.sum -= v + 1U;
            chain.squares -= (v + 1U) * (v + 1U);
        }
        return chain.liberties == 0;
    }
    void give_liberty(Chain& chain, Vertex v) {
        ++chain.liberties;
        if constexpr (RICH) {
            chain.sum += v + 1U;
            chain.squares += (v + 1U) * (v + 1U);
        }
    }

    bool set(int place, Colour c);
    static void absorb(Chain& kept, const Chain& gone);
    Vertex merge(Vertex a, Vertex b);
    void remove(Vertex chain);
    bool completes_rosette(Vertex v, Colour c) const;
    // Updates the shapes of the surrounding points when a stone comes or goes.
    void reshape(Vertex v, Colour c) {
        const Vertex* around = surroundings_of(v);
        // This point is number 7 - i as seen from neighbour i.
        for (unsigned i = 0; i < 8; ++i) shapes_[around[i]] = static_cast<std::uint16_t>(shapes_[around[i]] ^ (c << (14 - 2 * i)));
    }
    void count_windows(Vertex v, Colour c, int sign);

    const BoardTables* tables_;
    const Vertex* near_;
    const Vertex* diagonals_;
    const std::uint8_t* false_at_;
    const Vertex* surroundings_;
    std::array<Point, CAPACITY> points_;
    std::array<Chain, CAPACITY> chains_;
    std::array<Vertex, CAPACITY> empty_;
    std::array<Vertex, RICH ? CAPACITY : 1> where_;  // index of each empty point in the list
    std::array<std::uint16_t, HAS_SHAPES ? CAPACITY : 1> shapes_;
    std::array<Vertex, HAS_BUCKETS ? CAPACITY : 1> counts_;
    std::array<std::uint16_t, KIND == Kind::pentalath ? MAX_FIVES : 1> windows_;
    std::array<int, 4> stones_;
    Vertex ko_;
    bool has_five_;
    [[no_unique_address]] std::conditional_t<RICH, RichSums, None> sums_;
};

// -- making and copying -----------------------------------------------------------------------------------------------

template <Kind KIND, bool RICH> PlayoutBoard<KIND, RICH>::PlayoutBoard(const BoardTables& tables) : tables_(&tables) {
    const Topology& topology = *tables.topology;
    if (topology.degree != DEGREE || topology.is_grid != IS_GRID)
        throw std::invalid_argument("this game is not played on such a board");
    if (KIND == Kind::pentalath && topology.fives.size() > windows_.size()) throw std::invalid_argument("too many fives");
    near_ = topology.near.data();
    diagonals_ = topology.diagonals.data();
    false_at_ = topology.false_at.data();
    surroundings_ = topology.surroundings.data();
    const auto all = static_cast<std::size_t>(tables.points);
    counts_.fill(0);
    for (std::size_t v = 0; v <= all; ++v) {
        const unsigned gaps = topology.gaps[v];
        const auto around = static_cast<std::uint16_t>(gaps * 0x1110U + (static_cast<unsigned>(DEGREE) - gaps));
        points_[v] = Point{static_cast<Vertex>(all), static_cast<Vertex>(v), around, EMPTY};
        chains_[v] = Chain{};
        if constexpr (HAS_SHAPES) {
            unsigned shape = 0;
            for (unsigned i = 0; i < 8; ++i)
                if (surroundings_of(static_cast<Vertex>(v))[i] == all) shape |= 3U << (2 * i);
            shapes_[v] = static_cast<std::uint16_t>(shape);
        }
        if (v < all) join_empties(static_cast<Vertex>(v));
    }
    // The chain of all points without stones: it takes part in the counting but never runs out of liberties.
    chains_[all].liberties = 1U << 30;
    points_[all].colour = OFF;
    windows_.fill(0);
    stones_.fill(0);
    ko_ = NOWHERE;
    has_five_ = false;
}

template <Kind KIND, bool RICH> void PlayoutBoard<KIND, RICH>::copy_from(const PlayoutBoard& other) {
    const auto all = static_cast<std::size_t>(other.tables_->points);
    tables_ = other.tables_;
    near_ = other.near_;
    diagonals_ = other.diagonals_;
    false_at_ = other.false_at_;
    surroundings_ = other.surroundings_;
    std::copy_n(other.points_.begin(), all + 1, points_.begin());
    std::copy_n(other.chains_.begin(), all + 1, chains_.begin());
    std::copy_n(other.empty_.begin(), all, empty_.begin());
    if constexpr (RICH) std::copy_n(other.where_.begin(), all, where_.begin());
    if constexpr (HAS_SHAPES) std::copy_n(other.shapes_.begin(), all, shapes_.begin());
    if constexpr (HAS_BUCKETS) std::copy_n(other.counts_.begin(), tables_->buckets, counts_.begin());
    else counts_ = other.counts_;
    windows_ = other.windows_;
    stones_ = other.stones_;
    ko_ = other.ko_;
    has_five_ = other.has_five_;
    sums_ = other.sums_;
}

template <Kind KIND, bool RICH> void PlayoutBoard<KIND, RICH>::set_up(const std::vector<Colour>& stones) {
    for (std::size_t v = 0; v < stones.size(); ++v)
        if (stones[v] != EMPTY) set(place_of(static_cast<Vertex>(v)), stones[v]);
    has_five_ = false;
}

// -- looking ----------------------------------------------------------------------------------------------------------

template <Kind KIND, bool RICH> bool PlayoutBoard<KIND, RICH>::is_eye(Vertex v, Colour c) const {
    if (field(points_[v].around, c) != DEGREE) return false;
    if constexpr (IS_GRID) {
        const Colour enemy = c == BLACK ? WHITE : BLACK;
        const Vertex* diagonals = diagonals_ + static_cast<std::size_t>(v) * 4;
        int enemies = 0;
        for (int i = 0; i < 4; ++i) enemies += points_[diagonals[i]].colour == enemy;
        return enemies < false_at_[v];
    } else {
        // The point is an eye only if each chain around has liberties elsewhere: not all of them were counted here.
        const Vertex* near = near_of(v);
        for (int i = 0; i < DEGREE; ++i) {
            const Vertex chain = points_[near[i]].chain;
            unsigned here = 0;
            for (int k = 0; k < DEGREE; ++k) here += points_[near[k]].chain == chain;
            if (here == chains_[chain].liberties) return false;
        }
        return true;
    }
}

template <Kind KIND, bool RICH> bool PlayoutBoard<KIND, RICH>::is_legal(Vertex v, Colour c, bool mind_ko) const {
    if (field(points_[v].around, EMPTY) != 0) return true;
    if (HAS_KO && mind_ko && v == ko_) return false;
    // Legal if an own chain has a liberty elsewhere, or an enemy chain has not.
    const Vertex* near = near_of(v);
    bool breathes = false;
    for (int i = 0; i < DEGREE; ++i) {
        const Point& there = points_[near[i]];
        const Chain& chain = chains_[there.chain];
        unsigned here = 0;
        for (int k = 0; k < DEGREE; ++k) here += points_[near[k]].chain == there.chain;
        const bool has_more = chain.liberties != here;
        if constexpr (KIND == Kind::rosette) breathes |= there.colour == c ? has_more : !has_more && !chain.has_rosette;
        else breathes |= has_more == (there.colour == c);
    }
    if constexpr (KIND == Kind::rosette)
        if (!breathes && tables_->rosette_suicide && tables_->immunity) {
            for (int i = 0; i < DEGREE; ++i)
                breathes |= points_[near[i]].colour == c && chains_[points_[near[i]].chain].has_rosette;
            return breathes || completes_rosette(v, c);
        }
    return breathes;
}

template <Kind KIND, bool RICH> bool PlayoutBoard<KIND, RICH>::is_lone_suicide(Vertex v, Colour c) const {
    const std::uint16_t around = points_[v].around;
    if (field(around, EMPTY) != 0 || field(around, c) != tables_->topology->gaps[v]) return false;
    return !is_legal(v, c);
}

template <Kind KIND, bool RICH>
Vertex PlayoutBoard<KIND, RICH>::only_liberty_without(Vertex chain, Vertex v) const requires RICH {
    const Chain& c = chains_[chain];
    std::uint64_t here = 0;
    for (int k = 0; k < DEGREE; ++k) here += points_[near_of(v)[k]].chain == chain;
    const std::uint64_t index = v + 1U, number = c.liberties - here;
    const std::uint64_t sum = c.sum - here * index, squares = c.squares - here * index * index;
    if (number == 0 || number * squares != sum * sum) return NOWHERE;
    return static_cast<Vertex>(sum / number - 1);
}

template <Kind KIND, bool RICH> bool PlayoutBoard<KIND, RICH>::is_self_atari(Vertex v, Colour c) const requires RICH {
    if (field(points_[v].around, EMPTY) >= 2) return false;
    // The liberties of the joined chain: those of its parts without this point, and the empty neighbours.
    std::uint64_t number = 0, sum = 0, squares = 0;
    const std::uint64_t index = v + 1U;
    const Vertex* near = near_of(v);
    for (int i = 0; i < DEGREE; ++i) {
        const Point& there = points_[near[i]];
        if (there.colour == OFF) continue;
        if (there.colour == EMPTY) {
            const std::uint64_t other = near[i] + 1U;
            ++number;
            sum += other;
            squares += other * other;
            continue;
        }
        const Chain& chain = chains_[there.chain];
        const bool is_immune_there = is_immune(there.chain);
        if (there.colour != c) {
            if (!is_immune_there && only_liberty(there.chain) == v) return false;
            continue;
        }
        if (is_immune_there) return false;
        number -= 1;
        sum -= index;
        squares -= index * index;
        bool is_new = true;
        for (int k = 0; k < i; ++k) is_new &= points_[near[k]].chain != there.chain;
        if (!is_new) continue;
        number += chain.liberties;
        sum += chain.sum;
        squares += chain.squares;
    }
    if (number * squares != sum * sum) return false;
    return !(KIND == Kind::rosette && tables_->immunity && completes_rosette(v, c));
}

// -- stones -----------------------------------------------------------------------------------------------------------

template <Kind KIND, bool RICH> bool PlayoutBoard<KIND, RICH>::completes_rosette(Vertex v, Colour c) const {
    for (const Vertex number : tables_->topology->faces_at[v]) {
        bool is_whole = true;
        for (const Vertex member : tables_->topology->faces[number]) is_whole &= member == v || points_[member].colour == c;
        if (is_whole) return true;
    }
    return false;
}

template <Kind KIND, bool RICH> void PlayoutBoard<KIND, RICH>::count_windows(Vertex v, Colour c, int sign) {
    const Topology& topology = *tables_->topology;
    const auto stone = static_cast<std::uint16_t>(1 << (4 * c));
    for (auto i = topology.fives_from[v]; i < topology.fives_from[v + 1U]; ++i) {
        std::uint16_t& window = windows_[topology.fives_at[i]];
        if constexpr (RICH)
            for (const Colour k : {BLACK, WHITE, RED}) sums_.fours[k] -= window == four_of(k);
        window = static_cast<std::uint16_t>(sign > 0 ? window + stone : window - stone);
        has_five_ |= field(window, c) == 5;
        if constexpr (RICH)
            for (const Colour k : {BLACK, WHITE, RED}) sums_.fours[k] += window == four_of(k);
    }
}

template <Kind KIND, bool RICH> bool PlayoutBoard<KIND, RICH>::makes_five(Vertex v, Colour c) const {
    const Topology& topology = *tables_->topology;
    for (auto i = topology.fives_from[v]; i < topology.fives_from[v + 1U]; ++i)
        if (windows_[topology.fives_at[i]] == four_of(c)) return true;
    return false;
}

template <Kind KIND, bool RICH> bool PlayoutBoard<KIND, RICH>::takes(Vertex v, Colour c) const {
    const Vertex* near = near_of(v);
    for (int i = 0; i < DEGREE; ++i) {
        const Point& there = points_[near[i]];
        if (there.colour == EMPTY || there.colour == OFF || there.colour == c) continue;
        unsigned here = 0;
        for (int k = 0; k < DEGREE; ++k) here += points_[near[k]].chain == there.chain;
        if (here == chains_[there.chain].liberties) return true;
    }
    return false;
}

template <Kind KIND, bool RICH> void PlayoutBoard<KIND, RICH>::absorb(Chain& kept, const Chain& gone) {
    kept.liberties += gone.liberties;
    kept.size = static_cast<std::uint16_t>(kept.size + gone.size);
    if constexpr (KIND == Kind::rosette) kept.has_rosette |= gone.has_rosette;
    if constexpr (RICH) {
        kept.sum += gone.sum;
        kept.squares += gone.squares;
    }
}

// Joins two chains under the name of the larger one.
template <Kind KIND, bool RICH> Vertex PlayoutBoard<KIND, RICH>::merge(Vertex a, Vertex b) {
    if (chains_[a].size < chains_[b].size) std::swap(a, b);
    absorb(chains_[a], chains_[b]);
    Vertex member = b;
    do {
        points_[member].chain = a;
        member = points_[member].next;
    } while (member != b);
    std::swap(points_[a].next, points_[b].next);
    return a;
}

template <Kind KIND, bool RICH> int PlayoutBoard<KIND, RICH>::place_of(Vertex v) const {
    if constexpr (RICH) return where_[v];
    int place = begin(bucket_of(v));
    while (empty(place) != v) ++place;
    return place;
}

// Places a stone and joins it to its chain without captures; returns whether a chain may have lost its last liberty.
template <Kind KIND, bool RICH> bool PlayoutBoard<KIND, RICH>::set(int place, Colour c) {
    const Vertex v = empty(place);
    leave_empties(place);
    Point& point = points_[v];
    point.colour = c;
    ++stones_[c];
    Chain lone{};
    lone.liberties = field(point.around, EMPTY);
    lone.size = 1;
    const Vertex* near = near_of(v);
    bool is_breathless = false;
    unsigned own = 0;
    for (int i = 0; i < DEGREE; ++i) {
        Point& there = points_[near[i]];
        there.around = static_cast<std::uint16_t>(there.around + step(c));
        own |= static_cast<unsigned>(there.colour == c) << i;
        if constexpr (RICH)
            if (there.colour == EMPTY) {
                lone.sum += near[i] + 1U;
                lone.squares += (near[i] + 1U) * (near[i] + 1U);
            }
        is_breathless |= take_liberty(chains_[there.chain], v);
    }
    // A point has two neighbours on each of its hexagons.
    if constexpr (KIND == Kind::rosette)
        lone.has_rosette = (own & (own - 1)) != 0 && tables_->immunity && completes_rosette(v, c);
    if constexpr (KIND == Kind::pentalath) count_windows(v, c, 1);
    if constexpr (HAS_SHAPES) reshape(v, c);
    if constexpr (HAS_HASH) sums_.hash ^= ZOBRIST.stone(v, c);
    if (own == 0) {
        point.chain = v;
        point.next = v;
        chains_[v] = lone;
        return is_breathless || lone.liberties == 0;
    }
    // Join the first adjacent chain; the others follow.
    Vertex chain = points_[near[std::countr_zero(own)]].chain;
    point.chain = chain;
    point.next = points_[chain].next;
    points_[chain].next = v;
    absorb(chains_[chain], lone);
    for (own &= own - 1; own != 0; own &= own - 1) {
        const Vertex other = points_[near[std::countr_zero(own)]].chain;
        if (other != chain) chain = merge(chain, other);
    }
    return is_breathless || chains_[chain].liberties == 0;
}

template <Kind KIND, bool RICH> void PlayoutBoard<KIND, RICH>::remove(Vertex chain) {
    const Colour c = points_[chain].colour;
    stones_[c] -= chains_[chain].size;
    Vertex v = chain;
    do {
        Point& point = points_[v];
        point.colour = EMPTY;
        point.chain = tables_->points;
        join_empties(v);
        const Vertex* near = near_of(v);
        for (int i = 0; i < DEGREE; ++i) {
            Point& there = points_[near[i]];
            there.around = static_cast<std::uint16_t>(there.around - step(c));
            give_liberty(chains_[there.chain], v);
        }
        if constexpr (KIND == Kind::pentalath) count_windows(v, c, -1);
        if constexpr (HAS_SHAPES) reshape(v, c);
        if constexpr (HAS_HASH) sums_.hash ^= ZOBRIST.stone(v, c);
        v = point.next;
    } while (v != chain);
}

template <Kind KIND, bool RICH> int PlayoutBoard<KIND, RICH>::play_at(int place, Colour c) {
    const Vertex v = empty(place);
    const Vertex* near = near_of(v);
    const std::uint16_t around = points_[v].around;
    ko_ = NOWHERE;
    if (!set(place, c)) return 0;
    int taken = 0;
    if constexpr (HAS_KO) {
        Vertex last = NOWHERE;
        for (int i = 0; i < DEGREE; ++i) {
            const Point& there = points_[near[i]];
            if (there.colour == EMPTY || there.colour == c || there.colour == OFF) continue;
            if (chains_[there.chain].liberties != 0 || is_immune(there.chain)) continue;
            taken += chains_[there.chain].size;
            last = there.chain;
            remove(last);
        }
        // A single stone captured by a stone surrounded by enemies may not be retaken at once.
        if (taken == 1 && field(around, c == BLACK ? WHITE : BLACK) == DEGREE) ko_ = last;
    } else {
        // Chains of several colours may lose their last liberty at once, so all are found before any is removed.
        std::array<Vertex, DEGREE + 1> gone;
        std::size_t found = 0;
        const auto collect = [&](Vertex chain) {
            if (chains_[chain].liberties != 0) return;
            for (std::size_t i = 0; i < found; ++i)
                if (gone[i] == chain) return;
            gone[found++] = chain;
        };
        if constexpr (KIND == Kind::alter_igo) collect(points_[v].chain);
        for (int i = 0; i < DEGREE; ++i) {
            const Point& there = points_[near[i]];
            if (KIND == Kind::alter_igo || there.colour != c) collect(there.chain);
        }
        for (std::size_t i = 0; i < found; ++i) {
            taken += chains_[gone[i]].size;
            remove(gone[i]);
        }
    }
    return taken;
}

}  // namespace kernel
