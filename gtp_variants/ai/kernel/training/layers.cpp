#include "layers.hpp"

#include <algorithm>
#include <cstdint>

namespace kernel {

namespace narrow {
constexpr int WIDTH = 4, MANY = 4;
#include "layers.inl"
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define HAS_WIDER 1
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,fma")
namespace wide {
constexpr int WIDTH = 16, MANY = 8;
#include "layers.inl"
}
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace middle {
constexpr int WIDTH = 8, MANY = 4;
#include "layers.inl"
}
#pragma GCC pop_options
#endif

const Layers& best_layers() {
    static const Layers best = [] {
#ifdef HAS_WIDER
        // What the loops are compiled for is a little more than what the integer network asks for.
        const bool has_fma = __builtin_cpu_supports("fma");
        if (has_fma && is_available(InstructionSet::avx512_vnni) && __builtin_cpu_supports("avx512dq")) return wide::layers();
        if (has_fma && is_available(InstructionSet::avx2)) return middle::layers();
#endif
        return narrow::layers();
    }();
    return best;
}

}  // namespace kernel
