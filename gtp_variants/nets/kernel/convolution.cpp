// A path for each instruction set, chosen while the program runs: no other file is built for a special processor.
#include "convolution.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>

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
// GCC's own headers leave registers undefined on purpose, and it warns of them.
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

    const std::int8_t* weights_of(int block) const { return layer.weights.data() + block * LANES * QUAD; }
    // From the weights of four inputs to those of the next four.
    std::ptrdiff_t stride() const { return static_cast<std::ptrdiff_t>(layer.outputs) * QUAD; }
    std::size_t place(int tile, int point, int block) const {
        return static_cast<std::size_t>((tile * TILE + point) * layer.outputs + block * LANES);
    }
};

// -- plain ------------------------------------------------------------------------------------------------------------

void convolve_plain(const Job& job) {
    const int blocks = job.layer.outputs / LANES;
    for (int tile = 0; tile < job.taps.tiles; ++tile)
        for (int point = 0; point < TILE; ++point)
            for (int block = 0; block < blocks; ++block) {
                std::int32_t sums[LANES];
                std::copy_n(job.bias + block * LANES, LANES, sums);
                const std::int8_t* weights = job.weights_of(block);
                for (int tap = 0; tap < job.taps.taps; ++tap) {
                    const auto row = job.taps.rows[static_cast<std::size_t>((tile * job.taps.taps + tap) * TILE + point)];
                    const std::uint8_t* in = job.in + row * static_cast<std::size_t>(job.layer.inputs);
                    for (int input = 0; input < job.layer.inputs; input += QUAD, weights += job.stride())
                        for (int lane = 0; lane < LANES; ++lane)
                            for (int k = 0; k < QUAD; ++k) sums[lane] += in[input + k] * weights[lane * QUAD + k];
                }
                const std::size_t at = job.place(tile, point, block);
                for (int lane = 0; lane < LANES; ++lane) {
                    const int before = job.residual ? job.residual[at + static_cast<std::size_t>(lane)] : 0;
                    const int value = before + ((sums[lane] + ROUNDING) >> SHIFT);
                    job.out[at + static_cast<std::size_t>(lane)] = static_cast<std::uint8_t>(std::clamp(value, 0, MOST));
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

// Two blocks of outputs at a time, which leaves registers for a tile of points.
template <int BLOCKS> TARGET("avx512f,avx512bw,avx512vl,avx512vnni") void convolve_vnni_blocks(const Job& job, int first) {
    const auto inputs = static_cast<std::size_t>(job.layer.inputs);
    for (int tile = 0; tile < job.taps.tiles; ++tile) {
        __m512i sums[TILE][BLOCKS];
        UNROLL for (int point = 0; point < TILE; ++point)
            UNROLL for (int block = 0; block < BLOCKS; ++block)
                sums[point][block] = _mm512_loadu_si512(job.bias + (first + block) * LANES);
        const std::int8_t* weights = job.weights_of(first);
        const std::uint32_t* rows = job.taps.rows.data() + static_cast<std::size_t>(tile * job.taps.taps * TILE);
        for (int tap = 0; tap < job.taps.taps; ++tap, rows += TILE) {
            const std::uint8_t* in[TILE];
            UNROLL for (int point = 0; point < TILE; ++point) in[point] = job.in + rows[point] * inputs;
            for (std::size_t input = 0; input < inputs; input += QUAD, weights += job.stride()) {
                __m512i four[BLOCKS];
                UNROLL for (int block = 0; block < BLOCKS; ++block)
                    four[block] = _mm512_loadu_si512(weights + block * LANES * QUAD);
                UNROLL for (int point = 0; point < TILE; ++point) {
                    const __m512i seen = _mm512_set1_epi32(quad_at(in[point] + input));
                    UNROLL for (int block = 0; block < BLOCKS; ++block)
                        sums[point][block] = _mm512_dpbusd_epi32(sums[point][block], seen, four[block]);
                }
            }
        }
        UNROLL for (int point = 0; point < TILE; ++point)
            UNROLL for (int block = 0; block < BLOCKS; ++block) {
                const std::size_t at = job.place(tile, point, first + block);
                __m512i value = _mm512_add_epi32(sums[point][block], _mm512_set1_epi32(ROUNDING));
                value = _mm512_srai_epi32(value, SHIFT);
                if (job.residual) {
                    const auto before = _mm_loadu_si128(reinterpret_cast<const __m128i*>(job.residual + at));
                    value = _mm512_add_epi32(value, _mm512_cvtepu8_epi32(before));
                }
                value = _mm512_min_epi32(_mm512_max_epi32(value, _mm512_setzero_si512()), _mm512_set1_epi32(MOST));
                _mm_storeu_si128(reinterpret_cast<__m128i*>(job.out + at), _mm512_cvtepi32_epi8(value));
            }
    }
}

void convolve_vnni(const Job& job) {
    const int blocks = job.layer.outputs / LANES;
    int first = 0;
    for (; first + 2 <= blocks; first += 2) convolve_vnni_blocks<2>(job, first);
    if (first < blocks) convolve_vnni_blocks<1>(job, first);
}

// The sums of a block of a point become its activations.
TARGET("avx2") inline void store_avx2(const Job& job, std::size_t at, const __m256i* sums) {
    const __m256i rounding = _mm256_set1_epi32(ROUNDING);
    const __m256i low = _mm256_srai_epi32(_mm256_add_epi32(sums[0], rounding), SHIFT);
    const __m256i high = _mm256_srai_epi32(_mm256_add_epi32(sums[1], rounding), SHIFT);
    // What saturates here is far outside of 0 to MOST, and stays there with the residual added.
    __m256i value = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0b11011000);
    if (job.residual) {
        const auto before = _mm_loadu_si128(reinterpret_cast<const __m128i*>(job.residual + at));
        value = _mm256_adds_epi16(value, _mm256_cvtepu8_epi16(before));
    }
    const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(value), _mm256_extracti128_si256(value, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(job.out + at), _mm_min_epu8(bytes, _mm_set1_epi8(MOST)));
}

#ifdef HAS_AVX_VNNI

// A block of outputs at a time: twelve sums, two registers of weights and what is seen are fifteen of sixteen registers.
TARGET("avx2,avxvnni") void convolve_avx_vnni_tile(const Job& job, int block, int tile) {
    constexpr int HALVES = 2;
    const auto inputs = static_cast<std::size_t>(job.layer.inputs);
    __m256i sums[TILE][HALVES];
    UNROLL for (int point = 0; point < TILE; ++point)
        UNROLL for (int half = 0; half < HALVES; ++half)
            sums[point][half] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(job.bias + block * LANES + half * 8));
    const std::int8_t* weights = job.weights_of(block);
    const std::uint32_t* rows = job.taps.rows.data() + static_cast<std::size_t>(tile * job.taps.taps * TILE);
    for (int tap = 0; tap < job.taps.taps; ++tap, rows += TILE) {
        const std::uint8_t* in[TILE];
        UNROLL for (int point = 0; point < TILE; ++point) in[point] = job.in + rows[point] * inputs;
        for (std::size_t input = 0; input < inputs; input += QUAD, weights += job.stride()) {
            const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights));
            const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights + 32));
            UNROLL for (int point = 0; point < TILE; ++point) {
                const __m256i seen = _mm256_set1_epi32(quad_at(in[point] + input));
                sums[point][0] = _mm256_dpbusd_avx_epi32(sums[point][0], seen, low);
                sums[point][1] = _mm256_dpbusd_avx_epi32(sums[point][1], seen, high);
            }
        }
    }
    UNROLL for (int point = 0; point < TILE; ++point) store_avx2(job, job.place(tile, point, block), sums[point]);
}

void convolve_avx_vnni(const Job& job) {
    for (int block = 0; block < job.layer.outputs / LANES; ++block)
        for (int tile = 0; tile < job.taps.tiles; ++tile) convolve_avx_vnni_tile(job, block, tile);
}

#endif

// What a tile needs seldom and the sixteen registers have no room for. It belongs to the caller, who is compiled for
// every processor and so cannot take the function in: what is the function's own GCC would copy at every step.
struct Spill {
    alignas(32) std::array<std::int32_t, std::size_t{TILE} * LANES> totals{};
    alignas(32) std::array<std::int16_t, LANES> ones{};
};

// A block of outputs at a time: twelve sums in 16 bits, two registers of weights, what is seen and a product.
TARGET("avx2") void convolve_avx2_tile(const Job& job, int block, int tile, Spill& spill) {
    constexpr int HALVES = 2;
    auto* const totals = reinterpret_cast<__m256i*>(spill.totals.data());
    const auto* const ones = reinterpret_cast<const __m256i*>(spill.ones.data());
    const auto inputs = static_cast<std::size_t>(job.layer.inputs);
    __m256i sums[TILE][HALVES];
    UNROLL for (int point = 0; point < TILE; ++point)
        UNROLL for (int half = 0; half < HALVES; ++half) {
            const auto* bias = reinterpret_cast<const __m256i*>(job.bias + block * LANES + half * 8);
            _mm256_store_si256(totals + point * HALVES + half, _mm256_loadu_si256(bias));
            sums[point][half] = _mm256_setzero_si256();
        }
    const std::int8_t* weights = job.weights_of(block);
    const std::uint8_t* is_full = job.layer.is_full.data() + static_cast<std::size_t>(block * job.layer.steps());
    const std::uint32_t* rows = job.taps.rows.data() + static_cast<std::size_t>(tile * job.taps.taps * TILE);
    for (int tap = 0; tap < job.taps.taps; ++tap, rows += TILE) {
        const std::uint8_t* in[TILE];
        UNROLL for (int point = 0; point < TILE; ++point) in[point] = job.in + rows[point] * inputs;
        for (std::size_t input = 0; input < inputs; input += QUAD, weights += job.stride()) {
            const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights));
            const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights + 32));
            UNROLL for (int point = 0; point < TILE; ++point) {
                const __m256i seen = _mm256_set1_epi32(quad_at(in[point] + input));
                sums[point][0] = _mm256_add_epi16(sums[point][0], _mm256_maddubs_epi16(seen, low));
                sums[point][1] = _mm256_add_epi16(sums[point][1], _mm256_maddubs_epi16(seen, high));
            }
            if (*is_full++) [[unlikely]]
                UNROLL for (int point = 0; point < TILE; ++point)
                    UNROLL for (int half = 0; half < HALVES; ++half) {
                        __m256i* total = totals + point * HALVES + half;
                        const __m256i wide = _mm256_madd_epi16(sums[point][half], _mm256_load_si256(ones));
                        _mm256_store_si256(total, _mm256_add_epi32(_mm256_load_si256(total), wide));
                        sums[point][half] = _mm256_setzero_si256();
                    }
        }
    }
    UNROLL for (int point = 0; point < TILE; ++point)
        store_avx2(job, job.place(tile, point, block), totals + point * HALVES);
}

void convolve_avx2_block(const Job& job, int block) {
    Spill spill;
    spill.ones.fill(1);
    for (int tile = 0; tile < job.taps.tiles; ++tile) convolve_avx2_tile(job, block, tile, spill);
}

void convolve_avx2(const Job& job) {
    for (int block = 0; block < job.layer.outputs / LANES; ++block) convolve_avx2_block(job, block);
}

#ifdef _MSC_VER
bool has_x86(InstructionSet set) {
    int leaf1[4], leaf7[4];
    __cpuid(leaf1, 1);
    __cpuidex(leaf7, 7, 0);
    if (!(leaf1[2] & (1 << 27))) return false;  // the system saves these registers
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

__attribute__((target("arch=armv8.2-a+dotprod"))) void convolve_neon_block(const Job& job, int block) {
    constexpr int QUARTERS = LANES / 4;
    const auto inputs = static_cast<std::size_t>(job.layer.inputs);
    for (int tile = 0; tile < job.taps.tiles; ++tile) {
        int32x4_t sums[TILE][QUARTERS];
        UNROLL for (int point = 0; point < TILE; ++point)
            UNROLL for (int quarter = 0; quarter < QUARTERS; ++quarter)
                sums[point][quarter] = vld1q_s32(job.bias + block * LANES + quarter * 4);
        const std::int8_t* weights = job.weights_of(block);
        const std::uint32_t* rows = job.taps.rows.data() + static_cast<std::size_t>(tile * job.taps.taps * TILE);
        for (int tap = 0; tap < job.taps.taps; ++tap, rows += TILE) {
            const std::uint8_t* in[TILE];
            UNROLL for (int point = 0; point < TILE; ++point) in[point] = job.in + rows[point] * inputs;
            for (std::size_t input = 0; input < inputs; input += QUAD, weights += job.stride()) {
                int8x16_t four[QUARTERS];
                UNROLL for (int quarter = 0; quarter < QUARTERS; ++quarter) four[quarter] = vld1q_s8(weights + quarter * 16);
                UNROLL for (int point = 0; point < TILE; ++point) {
                    std::int32_t bytes = 0;
                    std::memcpy(&bytes, in[point] + input, sizeof bytes);
                    // Activations are below 128: signed or not is the same.
                    const int8x16_t seen = vreinterpretq_s8_s32(vdupq_n_s32(bytes));
                    UNROLL for (int quarter = 0; quarter < QUARTERS; ++quarter)
                        sums[point][quarter] = vdotq_s32(sums[point][quarter], four[quarter], seen);
                }
            }
        }
        UNROLL for (int point = 0; point < TILE; ++point) {
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
}

void convolve_neon(const Job& job) {
    for (int block = 0; block < job.layer.outputs / LANES; ++block) convolve_neon_block(job, block);
}

bool has_neon() {
#if defined(__APPLE__)
    return true;  // every one of Apple's has the dot product
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
    rows.assign(static_cast<std::size_t>(tiles * taps * TILE), static_cast<std::uint32_t>(empty_row()));
    for (int point = 0; point < points; ++point)
        for (int tap = 0; tap < taps; ++tap) {
            const std::int32_t near = table[static_cast<std::size_t>(point * taps + tap)];
            if (near < 0 || near > points) throw std::invalid_argument("taps: a point that is not on the board");
            if (near == points) continue;
            const int at = (point / TILE * taps + tap) * TILE + point % TILE;
            rows[static_cast<std::size_t>(at)] = static_cast<std::uint32_t>(near);
        }
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
    // Activations are not negative: a sum lies between MOST times its negative weights and MOST times its positive ones.
    constexpr int CAPACITY = INT16_MAX / MOST, PAIRS = LANES * QUAD / 2;
    const int blocks = outputs / LANES;
    is_full.assign(static_cast<std::size_t>(blocks * steps()), 0);
    for (int block = 0; block < blocks; ++block) {
        std::array<int, PAIRS> above{}, below{};
        for (int step = 0; step < steps(); ++step) {
            const std::int8_t* pair = weights.data() + (step * blocks + block) * LANES * QUAD;
            std::array<int, PAIRS> more{}, less{};
            bool has_room = true;
            for (std::size_t i = 0; i < PAIRS; ++i, pair += 2) {
                more[i] = std::max<int>(pair[0], 0) + std::max<int>(pair[1], 0);
                less[i] = std::max<int>(-pair[0], 0) + std::max<int>(-pair[1], 0);
                has_room = has_room && above[i] + more[i] <= CAPACITY && below[i] + less[i] <= CAPACITY;
            }
            if (!has_room) {
                is_full[static_cast<std::size_t>(block * steps() + step - 1)] = 1;
                above = more;
                below = less;
                continue;
            }
            for (std::size_t i = 0; i < PAIRS; ++i) {
                above[i] += more[i];
                below[i] += less[i];
            }
        }
        is_full[static_cast<std::size_t>((block + 1) * steps() - 1)] = 1;
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
