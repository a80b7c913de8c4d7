// Gumbel and Dirichlet random variables.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "ai/kernel/belief/rng.hpp"

namespace kernel {

// Lower bound of uniform variables whose logarithm is taken.
inline constexpr double SMALLEST_DRAWN = 0x1p-60;

inline double gumbel(Rng& rng) { return -std::log(-std::log(std::max(rng.random(), SMALLEST_DRAWN))); }

// Returns a standard normal variable (Marsaglia's polar method, without the second of each pair).
inline double normal(Rng& rng) {
    while (true) {
        const double x = 2 * rng.random() - 1;
        const double y = 2 * rng.random() - 1;
        const double square = x * x + y * y;
        if (square > 0 && square < 1) return x * std::sqrt(-2 * std::log(square) / square);
    }
}

// Returns a gamma variable with scale 1.
//
// Source: G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", 2000.
inline double gamma(Rng& rng, double shape) {
    if (shape < 1) {
        const double power = std::exp(std::log(std::max(rng.random(), SMALLEST_DRAWN)) / shape);
        return gamma(rng, shape + 1) * power;
    }
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    while (true) {
        const double x = normal(rng);
        const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
        if (v > 0 && std::log(std::max(rng.random(), SMALLEST_DRAWN)) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
}

// Returns `count` parts of 1 from a symmetric Dirichlet distribution.
inline std::vector<double> dirichlet(Rng& rng, double parameter, std::size_t count) {
    std::vector<double> drawn;
    double total = 0;
    for (std::size_t i = 0; i < count; ++i) {
        drawn.push_back(gamma(rng, parameter));
        total += drawn.back();
    }
    for (double& each : drawn) each = total > 0 ? each / total : 1 / static_cast<double>(count);
    return drawn;
}

}  // namespace kernel
