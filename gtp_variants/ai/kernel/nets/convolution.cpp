// Convolutions for each instruction set, chosen at run time, so that no other file needs special compiler options.
#include "convolution.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>

#if (defined(__x86_64__) || defined(_M_X64)) && !defined(GTP_VARIANTS_NO_SIMD)
#define HAS_X86 1
#include <immintrin.h>
#if defined(__clang__) || !defined(__GNUC__) || __GNUC__ >= 11
#define HAS_AVX_VNNI 1
#endif
#ifdef _MSC_VER
#include <intrin.h>
#define TARGET(features)
#else
#include <cpuid.h>
#define TARGET(features) __attribute__((target(features)))
#endif
#endif

#if defined(__aarch64__) && !defined(GTP_VARIANTS_NO_SIMD)
#define HAS_NEON 1
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#endif

#if defined(__GNUC__) && !defined(__clang__)
// GCC's own headers leave registers undefined on purpose, which it warns about.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#if defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 8")
#else
#define UNROLL
#endif

namespace kernel {

namespace {

constexpr int QUAD = 4;
constexpr int ROUNDING = 1 << (SHIFT - 1);

struct Job {
    const Convolution& layer;
    const TapTable& taps;
    const std::uint8_t* in;
    const std::int32_t* bias;
    const std::uint8_t* residual;
    std::uint8_t* out;

    const std::int8_t* weights_of(int block, int tap = 0) const {
        return layer.weights.data() + tap * (layer.inputs / QUAD) * stride() + block * LANES * QUAD;
    }
    // Distance from the weights of four inputs to those of the next four.
    std::ptrdiff_t stride() const { return static_cast<std::ptrdiff_t>(layer.outputs) * QUAD; }
    std::size_t place(int tile, int point, int block) const {
        const std::size_t row = taps.order[static_cast<std::size_t>(tile * TILE + point)];
        return row * static_cast<std::size_t>(layer.outputs) + static_cast<std::size_t>(block * LANES);
    }
    bool has_width(int width) const { return layer.inputs == width && layer.outputs == width; }
    int whole_tiles() const { return taps.tiles - (taps.ends_with_half() ? 1 : 0); }
    std::size_t first_step(int tile) const { return taps.first_steps[static_cast<std::size_t>(tile)]; }
    const std::uint8_t* row(std::size_t step, int point) const {
        return in + taps.rows[step * TILE + static_cast<std::size_t>(point)] * static_cast<std::size_t>(layer.inputs);
    }
};

// -- plain ------------------------------------------------------------------------------------------------------------

void convolve_plain(const Job& job) {
    const auto inputs = static_cast<std::size_t>(job.layer.inputs), outputs = static_cast<std::size_t>(job.layer.outputs);
    for (int point = 0; point < job.taps.points; ++point)
        for (int block = 0; block < job.layer.outputs / LANES; ++block) {
            std::int32_t sums[LANES];
            std::copy_n(job.bias + block * LANES, LANES, sums);
            for (int tap = 0; tap < job.taps.taps; ++tap) {
                const std::size_t row = job.taps.row(point, tap);
                if (row == job.taps.empty_row()) continue;
                const std::int8_t* weights = job.weights_of(block, tap);
                const std::uint8_t* in = job.in + row * inputs;
                for (std::size_t input = 0; input < inputs; input += QUAD, weights += job.stride())
                    for (int lane = 0; lane < LANES; ++lane)
                        for (int k = 0; k < QUAD; ++k)
                            sums[lane] += in[input + static_cast<std::size_t>(k)] * weights[lane * QUAD + k];
            }
            const std::size_t at = static_cast<std::size_t>(point) * outputs + static_cast<std::size_t>(block * LANES);
            for (std::size_t lane = 0; lane < LANES; ++lane) {
                const int before = job.residual ? job.residual[at + lane] : 0;
                const int value = before + ((sums[lane] + ROUNDING) >> SHIFT);
                job.out[at + lane] = static_cast<std::uint8_t>(std::clamp(value, 0, MOST));
            }
        }
}

// -- x86 --------------------------------------------------------------------------------------------------------------

#ifdef HAS_X86

std::int32_t quad_at(const std::uint8_t* from) {
    std::int32_t four = 0;
    std::memcpy(&four, from, sizeof four);
    return four;
}

// Computes two blocks of outputs at a time, which leaves registers for a tile of points. WIDTH is the number of inputs
// and outputs, or 0 if unknown at compile time. A known WIDTH frees the registers that hold addresses; otherwise GCC
// would spill the sums.
template <int WIDTH, int BLOCKS, int POINTS>
TARGET("avx512f,avx512bw,avx512vl,avx512vnni") void convolve_vnni_tiles(const Job& job, int first, int begin, int end) {
    const auto inputs = static_cast<std::size_t>(WIDTH ? WIDTH : job.layer.inputs);
    const std::ptrdiff_t stride = (WIDTH ? WIDTH : job.layer.outputs) * QUAD;
    const std::ptrdiff_t tap_stride = static_cast<std::ptrdiff_t>(inputs / QUAD) * stride;
    const std::int8_t* const all_weights = job.weights_of(first);
    const std::uint8_t* const all_rows = job.in;
    for (int tile = begin; tile < end; ++tile) {
        __m512i sums[POINTS][BLOCKS];
        UNROLL for (int point = 0; point < POINTS; ++point)
            UNROLL for (int block = 0; block < BLOCKS; ++block)
                sums[point][block] = _mm512_loadu_si512(job.bias + (first + block) * LANES);
        const std::uint16_t* const last = job.taps.step_taps.data() + job.first_step(tile + 1);
        const std::uint32_t* rows = job.taps.rows.data() + job.first_step(tile) * TILE;
        for (const std::uint16_t* tap = job.taps.step_taps.data() + job.first_step(tile); tap < last; ++tap, rows += TILE) {
            const std::int8_t* weights = all_weights + *tap * tap_stride;
            const std::uint8_t* in[POINTS];
            UNROLL for (int point = 0; point < POINTS; ++point) in[point] = all_rows + rows[point] * inputs;
            for (std::size_t input = 0; input < inputs; input += QUAD, weights += stride) {
                __m512i four[BLOCKS];
                UNROLL for (int block = 0; block < BLOCKS; ++block)
                    four[block] = _mm512_loadu_si512(weights + block * LANES * QUAD);
                UNROLL for (int point = 0; point < POINTS; ++point) {
                    const __m512i seen = _mm512_set1_epi32(quad_at(in[point] + input));
                    UNROLL for (int block = 0; block < BLOCKS; ++block)
                        sums[point][block] = _mm512_dpbusd_epi32(sums[point][block], seen, four[block]);
                }
            }
        }
        UNROLL for (int point = 0; point < POINTS; ++point)
            UNROLL for (int block = 0; block < BLOCKS; ++block) {
                const std::size_t at = job.place(tile, point, first + block);
                __m512i value = _mm512_srai_epi32(_mm512_add_epi32(sums[point][block], _mm512_set1_epi32(ROUNDING)), SHIFT);
                if (job.residual) {
                    const auto before = _mm_loadu_si128(reinterpret_cast<const __m128i*>(job.residual + at));
                    value = _mm512_add_epi32(value, _mm512_cvtepu8_epi32(before));
                }
                const __m128i bytes = _mm512_cvtusepi32_epi8(_mm512_max_epi32(value, _mm512_setzero_si512()));
                _mm_storeu_si128(reinterpret_cast<__m128i*>(job.out + at), _mm_min_epu8(bytes, _mm_set1_epi8(MOST)));
            }
    }
}

template <int WIDTH, int BLOCKS> void convolve_vnni_blocks(const Job& job, int first) {
    convolve_vnni_tiles<WIDTH, BLOCKS, TILE>(job, first, 0, job.whole_tiles());
    convolve_vnni_tiles<WIDTH, BLOCKS, TILE / 2>(job, first, job.whole_tiles(), job.taps.tiles);
}

template <int WIDTH> void convolve_vnni_width(const Job& job) {
    const int blocks = job.layer.outputs / LANES;
    int first = 0;
    for (; first + 2 <= blocks; first += 2) convolve_vnni_blocks<WIDTH, 2>(job, first);
    if (first < blocks) convolve_vnni_blocks<WIDTH, 1>(job, first);
}

void convolve_vnni(const Job& job) {
    if (job.has_width(32)) convolve_vnni_width<32>(job);
    else if (job.has_width(48)) convolve_vnni_width<48>(job);
    else convolve_vnni_width<0>(job);
}

// Converts the sums of a block of a point to activations.
TARGET("avx2") inline void store_avx2(const Job& job, std::size_t at, const __m256i* sums) {
    const __m256i rounding = _mm256_set1_epi32(ROUNDING);
    const __m256i low = _mm256_srai_epi32(_mm256_add_epi32(sums[0], rounding), SHIFT);
    const __m256i high = _mm256_srai_epi32(_mm256_add_epi32(sums[1], rounding), SHIFT);
    // Saturated values are far outside 0 to MOST, and remain so with the residual added.
    __m256i value = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0b11011000);
    if (job.residual) {
        const auto before = _mm_loadu_si128(reinterpret_cast<const __m128i*>(job.residual + at));
        value = _mm256_adds_epi16(value, _mm256_cvtepu8_epi16(before));
    }
    const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(value), _mm256_extracti128_si256(value, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(job.out + at), _mm_min_epu8(bytes, _mm_set1_epi8(MOST)));
}

#ifdef HAS_AVX_VNNI

// Computes a block of outputs at a time: twelve sums, two registers of weights and the input take fifteen of sixteen
// registers.
template <int POINTS> TARGET("avx2,avxvnni") void convolve_avx_vnni_tile(const Job& job, int block, int tile) {
    constexpr int HALVES = 2;
    const auto inputs = static_cast<std::size_t>(job.layer.inputs);
    __m256i sums[POINTS][HALVES];
    UNROLL for (int point = 0; point < POINTS; ++point)
        UNROLL for (int half = 0; half < HALVES; ++half)
            sums[point][half] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(job.bias + block * LANES + half * 8));
    for (std::size_t step = job.first_step(tile); step < job.first_step(tile + 1); ++step) {
        const std::int8_t* weights = job.weights_of(block, job.taps.step_taps[step]);
        const std::uint8_t* in[POINTS];
        UNROLL for (int point = 0; point < POINTS; ++point) in[point] = job.row(step, point);
        for (std::size_t input = 0; input < inputs; input += QUAD, weights += job.stride()) {
            const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights));
            const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights + 32));
            UNROLL for (int point = 0; point < POINTS; ++point) {
                const __m256i seen = _mm256_set1_epi32(quad_at(in[point] + input));
                sums[point][0] = _mm256_dpbusd_avx_epi32(sums[point][0], seen, low);
                sums[point][1] = _mm256_dpbusd_avx_epi32(sums[point][1], seen, high);
            }
        }
    }
    UNROLL for (int point = 0; point < POINTS; ++point) store_avx2(job, job.place(tile, point, block), sums[point]);
}

void convolve_avx_vnni(const Job& job) {
    for (int block = 0; block < job.layer.outputs / LANES; ++block) {
        int tile = 0;
        for (; tile < job.whole_tiles(); ++tile) convolve_avx_vnni_tile<TILE>(job, block, tile);
        for (; tile < job.taps.tiles; ++tile) convolve_avx_vnni_tile<TILE / 2>(job, block, tile);
    }
}

#endif

// Rarely used values for which the sixteen registers have no room. The caller owns them because it cannot inline the
// function (it is compiled for every processor); GCC would copy a local object at every step.
struct Spill {
    alignas(32) std::array<std::int32_t, std::size_t{TILE} * LANES> totals{};
    alignas(32) std::array<std::int16_t, LANES> ones{};
};

// Computes a block of outputs at a time: twelve 16-bit sums, two registers of weights, the input and a product.
template <int WIDTH, int POINTS> TARGET("avx2") void convolve_avx2_tile(const Job& job, int block, int tile, Spill& spill) {
    constexpr int HALVES = 2;
    auto* const totals = reinterpret_cast<__m256i*>(spill.totals.data());
    const auto* const ones = reinterpret_cast<const __m256i*>(spill.ones.data());
    const auto inputs = static_cast<std::size_t>(WIDTH ? WIDTH : job.layer.inputs);
    const std::ptrdiff_t stride = (WIDTH ? WIDTH : job.layer.outputs) * QUAD;
    const auto quads = static_cast<std::ptrdiff_t>(inputs / QUAD);
    __m256i sums[POINTS][HALVES];
    UNROLL for (int point = 0; point < POINTS; ++point)
        UNROLL for (int half = 0; half < HALVES; ++half) {
            const auto* bias = reinterpret_cast<const __m256i*>(job.bias + block * LANES + half * 8);
            _mm256_store_si256(totals + point * HALVES + half, _mm256_loadu_si256(bias));
            sums[point][half] = _mm256_setzero_si256();
        }
    const std::int8_t* const all_weights = job.weights_of(block);
    const std::uint8_t* const all_full = job.layer.is_full.data() + static_cast<std::size_t>(block * job.layer.quads());
    const std::uint8_t* const all_rows = job.in;
    const std::uint16_t* const last = job.taps.step_taps.data() + job.first_step(tile + 1);
    const std::uint32_t* rows = job.taps.rows.data() + job.first_step(tile) * TILE;
    for (const std::uint16_t* tap = job.taps.step_taps.data() + job.first_step(tile); tap < last; ++tap, rows += TILE) {
        const std::int8_t* weights = all_weights + *tap * quads * stride;
        const std::uint8_t* is_full = all_full + *tap * quads;
        const std::uint8_t* in[POINTS];
        UNROLL for (int point = 0; point < POINTS; ++point) in[point] = all_rows + rows[point] * inputs;
        for (std::size_t input = 0; input < inputs; input += QUAD, weights += stride) {
            const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights));
            const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights + 32));
            UNROLL for (int point = 0; point < POINTS; ++point) {
                const __m256i seen = _mm256_set1_epi32(quad_at(in[point] + input));
                sums[point][0] = _mm256_add_epi16(sums[point][0], _mm256_maddubs_epi16(seen, low));
                sums[point][1] = _mm256_add_epi16(sums[point][1], _mm256_maddubs_epi16(seen, high));
            }
            if (*is_full++) [[unlikely]]
                UNROLL for (int point = 0; point < POINTS; ++point)
                    UNROLL for (int half = 0; half < HALVES; ++half) {
                        __m256i* total = totals + point * HALVES + half;
                        const __m256i wide = _mm256_madd_epi16(sums[point][half], _mm256_load_si256(ones));
                        _mm256_store_si256(total, _mm256_add_epi32(_mm256_load_si256(total), wide));
                        sums[point][half] = _mm256_setzero_si256();
                    }
        }
    }
    UNROLL for (int point = 0; point < POINTS; ++point)
        store_avx2(job, job.place(tile, point, block), totals + point * HALVES);
}

template <int WIDTH> void convolve_avx2_width(const Job& job) {
    Spill spill;
    spill.ones.fill(1);
    for (int block = 0; block < job.layer.outputs / LANES; ++block) {
        int tile = 0;
        for (; tile < job.whole_tiles(); ++tile) convolve_avx2_tile<WIDTH, TILE>(job, block, tile, spill);
        for (; tile < job.taps.tiles; ++tile) convolve_avx2_tile<WIDTH, TILE / 2>(job, block, tile, spill);
    }
}

void convolve_avx2(const Job& job) {
    if (job.has_width(32)) convolve_avx2_width<32>(job);
    else convolve_avx2_width<0>(job);
}

#ifdef _MSC_VER
bool has_x86(InstructionSet set) {
    int leaf1[4], leaf7[4];
    __cpuid(leaf1, 1);
    __cpuidex(leaf7, 7, 0);
    if (!(leaf1[2] & (1 << 27))) return false;  // the operating system saves these registers
    const auto state = _xgetbv(0);
    const bool has_avx2 = (state & 6) == 6 && (leaf7[1] & (1 << 5));
    if (set == InstructionSet::avx2) return has_avx2;
    if (set == InstructionSet::avx_vnni) {
        int more[4];
        __cpuidex(more, 7, 1);
        return has_avx2 && leaf7[0] >= 1 && (more[0] & (1 << 4));
    }
    const bool f = leaf7[1] & (1 << 16), bw = leaf7[1] & (1 << 30), vl = leaf7[1] & (1 << 31), vnni = leaf7[2] & (1 << 11);
    return (state & 0xE6) == 0xE6 && f && bw && vl && vnni;
}
#else
bool has_x86(InstructionSet set) {
    if (set == InstructionSet::avx2) return __builtin_cpu_supports("avx2");
    if (set == InstructionSet::avx_vnni) {
        unsigned a = 0, b = 0, c = 0, d = 0;
        return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && a >= 1 &&
               __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & (1U << 4));
    }
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}
#endif

#endif

// -- ARM --------------------------------------------------------------------------------------------------------------

#ifdef HAS_NEON

template <int POINTS> __attribute__((target("arch=armv8.2-a+dotprod"))) void convolve_neon_tile(const Job& job, int block, int tile) {
    constexpr int QUARTERS = LANES / 4;
    const auto inputs = static_cast<std::size_t>(job.layer.inputs);
    int32x4_t sums[POINTS][QUARTERS];
    UNROLL for (int point = 0; point < POINTS; ++point)
        UNROLL for (int quarter = 0; quarter < QUARTERS; ++quarter)
            sums[point][quarter] = vld1q_s32(job.bias + block * LANES + quarter * 4);
    for (std::size_t step = job.first_step(tile); step < job.first_step(tile + 1); ++step) {
        const std::int8_t* weights = job.weights_of(block, job.taps.step_taps[step]);
        const std::uint8_t* in[POINTS];
        UNROLL for (int point = 0; point < POINTS; ++point) in[point] = job.row(step, point);
        for (std::size_t input = 0; input < inputs; input += QUAD, weights += job.stride()) {
            int8x16_t four[QUARTERS];
            UNROLL for (int quarter = 0; quarter < QUARTERS; ++quarter) four[quarter] = vld1q_s8(weights + quarter * 16);
            UNROLL for (int point = 0; point < POINTS; ++point) {
                std::int32_t bytes = 0;
                std::memcpy(&bytes, in[point] + input, sizeof bytes);
                // Activations are below 128, so their signedness does not matter.
                const int8x16_t seen = vreinterpretq_s8_s32(vdupq_n_s32(bytes));
                UNROLL for (int quarter = 0; quarter < QUARTERS; ++quarter)
                    sums[point][quarter] = vdotq_s32(sums[point][quarter], four[quarter], seen);
            }
        }
    }
    UNROLL for (int point = 0; point < POINTS; ++point) {
        std::int32_t values[LANES];
        UNROLL for (int quarter = 0; quarter < QUARTERS; ++quarter) vst1q_s32(values + quarter * 4, sums[point][quarter]);
        const std::size_t at = job.place(tile, point, block);
        for (std::size_t lane = 0; lane < LANES; ++lane) {
            const int before = job.residual ? job.residual[at + lane] : 0;
            const int value = before + ((values[lane] + ROUNDING) >> SHIFT);
            job.out[at + lane] = static_cast<std::uint8_t>(std::clamp(value, 0, MOST));
        }
    }
}

void convolve_neon(const Job& job) {
    for (int block = 0; block < job.layer.outputs / LANES; ++block) {
        int tile = 0;
        for (; tile < job.whole_tiles(); ++tile) convolve_neon_tile<TILE>(job, block, tile);
        for (; tile < job.taps.tiles; ++tile) convolve_neon_tile<TILE / 2>(job, block, tile);
    }
}

bool has_neon() {
#if defined(__APPLE__)
    return true;  // all Apple processors have the dot product
#elif defined(__linux__)
    constexpr unsigned long ASIMD_DOT_PRODUCT = 1UL << 20;
    return (getauxval(AT_HWCAP) & ASIMD_DOT_PRODUCT) != 0;
#else
    return false;
#endif
}

#endif

}  // namespace

bool is_available(InstructionSet set) {
    switch (set) {
        case InstructionSet::plain: return true;
#ifdef HAS_X86
#ifdef HAS_AVX_VNNI
        case InstructionSet::avx_vnni:
#endif
        case InstructionSet::avx2:
        case InstructionSet::avx512_vnni: return has_x86(set);
#endif
#ifdef HAS_NEON
        case InstructionSet::neon: return has_neon();
#endif
        default: return false;
    }
}

InstructionSet best_instruction_set() {
    for (const auto set : {InstructionSet::avx512_vnni, InstructionSet::avx_vnni, InstructionSet::avx2, InstructionSet::neon})
        if (is_available(set)) return set;
    return InstructionSet::plain;
}

TapTable::TapTable(int points, int taps, const std::vector<std::int32_t>& table)
    : points(points), taps(taps), tiles((points + TILE - 1) / TILE) {
    if (points < 1 || taps < 1 || table.size() != static_cast<std::size_t>(points) * static_cast<std::size_t>(taps))
        throw std::invalid_argument("taps: one point for each point and tap");
    for (const std::int32_t point : table) {
        if (point < 0 || point > points) throw std::invalid_argument("taps: a point that is not on the board");
        near.push_back(static_cast<std::uint32_t>(point == points ? tiles * TILE : point));
    }
    arrange();
}

// Fills tile after tile: starts with a point with the fewest neighbours, then adds points that add the fewest taps;
// among equals, those whose set of taps is most common.
void TapTable::arrange() {
    using Kind = std::vector<bool>;  // the taps a point has
    std::map<Kind, std::vector<std::uint32_t>> left;
    for (int point = points; point-- > 0;) {
        Kind kind;
        for (int tap = 0; tap < taps; ++tap) kind.push_back(row(point, tap) != empty_row());
        left[kind].push_back(static_cast<std::uint32_t>(point));
    }
    for (int tile = 0; tile < tiles; ++tile) {
        Kind all(static_cast<std::size_t>(taps), false);
        const auto added = [&all](const Kind& kind) {
            std::size_t more = 0;
            for (std::size_t tap = 0; tap < all.size(); ++tap) more += kind[tap] && !all[tap];
            return more;
        };
        for (int place = 0; place < TILE && !left.empty(); ++place) {
            const auto next = std::min_element(left.begin(), left.end(), [&](const auto& a, const auto& b) {
                return std::pair(added(a.first), b.second.size()) < std::pair(added(b.first), a.second.size());
            });
            for (std::size_t tap = 0; tap < all.size(); ++tap) all[tap] = all[tap] || next->first[tap];
            order.push_back(next->second.back());
            next->second.pop_back();
            if (next->second.empty()) left.erase(next);
        }
        // Pad the last tile.
        while (order.size() % TILE) order.push_back(static_cast<std::uint32_t>(order.size()));
        first_steps.push_back(static_cast<std::uint32_t>(step_taps.size()));
        for (int tap = 0; tap < taps; ++tap) {
            if (!all[static_cast<std::size_t>(tap)]) continue;
            step_taps.push_back(static_cast<std::uint16_t>(tap));
            for (auto at = order.end() - TILE; at != order.end(); ++at)
                rows.push_back(static_cast<std::uint32_t>(static_cast<int>(*at) < points ? row(static_cast<int>(*at), tap) : empty_row()));
        }
    }
    first_steps.push_back(static_cast<std::uint32_t>(step_taps.size()));
}

Convolution::Convolution(int outputs, int taps, int inputs, const std::int8_t* given, std::vector<std::int32_t> bias)
    : outputs(outputs), taps(taps), inputs((inputs + QUAD - 1) / QUAD * QUAD), bias(std::move(bias)) {
    if (outputs < LANES || outputs % LANES) throw std::invalid_argument("a convolution has a multiple of 16 outputs");
    if (this->bias.size() != static_cast<std::size_t>(outputs)) throw std::invalid_argument("bias: one number an output");
    weights.assign(static_cast<std::size_t>(outputs * taps * this->inputs), 0);
    for (int output = 0; output < outputs; ++output)
        for (int tap = 0; tap < taps; ++tap)
            for (int input = 0; input < inputs; ++input) {
                const int quad = tap * (this->inputs / QUAD) + input / QUAD;
                const int at = ((quad * (outputs / LANES) + output / LANES) * LANES + output % LANES) * QUAD + input % QUAD;
                weights[static_cast<std::size_t>(at)] = given[(output * taps + tap) * inputs + input];
            }
    mark_full_sums();
}

void Convolution::mark_full_sums() {
    // Activations are not negative, so a sum lies between MOST times its negative and MOST times its positive weights.
    constexpr int CAPACITY = INT16_MAX / MOST, PAIRS = LANES * QUAD / 2;
    const int blocks = outputs / LANES, quads_a_tap = inputs / QUAD;
    is_full.assign(static_cast<std::size_t>(blocks * quads()), 0);
    for (int block = 0; block < blocks; ++block) {
        std::array<int, PAIRS> above{}, below{};
        for (int quad = 0; quad < quads(); ++quad) {
            const std::int8_t* pair = weights.data() + (quad * blocks + block) * LANES * QUAD;
            std::array<int, PAIRS> more{}, less{};
            bool has_room = quad % quads_a_tap != 0;
            for (std::size_t i = 0; i < PAIRS; ++i, pair += 2) {
                more[i] = std::max<int>(pair[0], 0) + std::max<int>(pair[1], 0);
                less[i] = std::max<int>(-pair[0], 0) + std::max<int>(-pair[1], 0);
                has_room = has_room && above[i] + more[i] <= CAPACITY && below[i] + less[i] <= CAPACITY;
            }
            if (!has_room) {
                if (quad > 0) is_full[static_cast<std::size_t>(block * quads() + quad - 1)] = 1;
                above = more;
                below = less;
                continue;
            }
            for (std::size_t i = 0; i < PAIRS; ++i) {
                above[i] += more[i];
                below[i] += less[i];
            }
        }
        is_full[static_cast<std::size_t>((block + 1) * quads() - 1)] = 1;
    }
}

void convolve(InstructionSet set, const Convolution& layer, const TapTable& taps, const std::uint8_t* in,
              const std::int32_t* bias, const std::uint8_t* residual, std::uint8_t* out) {
    const Job job{layer, taps, in, bias, residual, out};
    switch (set) {
#ifdef HAS_X86
        case InstructionSet::avx512_vnni: convolve_vnni(job); return;
#ifdef HAS_AVX_VNNI
        case InstructionSet::avx_vnni: convolve_avx_vnni(job); return;
#endif
        case InstructionSet::avx2: convolve_avx2(job); return;
#endif
#ifdef HAS_NEON
        case InstructionSet::neon: convolve_neon(job); return;
#endif
        default: convolve_plain(job); return;
    }
}

}  // namespace kernel
