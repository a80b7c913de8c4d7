// The loops of layers.hpp in 32-bit floats; included once for each kind of processor, in a namespace that says WIDTH, how
// many floats one of its registers holds, and MANY, for how many inputs it has registers when weights are learnt.
//
// Points are rows of channels. Weights lie by tap, input, output; two registers of outputs are worked on together.

// A register's floats. Types wider than a register compile, too, but to code that is many times as slow.
#if defined(__GNUC__)
typedef float Floats __attribute__((vector_size(4 * WIDTH), aligned(4)));
inline Floats load(const float* from) { return *reinterpret_cast<const Floats*>(from); }
inline void store(float* to, Floats value) { *reinterpret_cast<Floats*>(to) = value; }
#else
struct Floats {
    float v[WIDTH];
};
inline Floats load(const float* from) {
    Floats floats;
    std::copy_n(from, WIDTH, floats.v);
    return floats;
}
inline void store(float* to, const Floats& value) { std::copy_n(value.v, WIDTH, to); }
inline Floats operator*(float a, const Floats& b) {
    Floats floats;
    for (int i = 0; i < WIDTH; ++i) floats.v[i] = a * b.v[i];
    return floats;
}
inline Floats& operator+=(Floats& a, const Floats& b) {
    for (int i = 0; i < WIDTH; ++i) a.v[i] += b.v[i];
    return a;
}
#endif

// out = bias + the sum over taps and inputs, for BLOCKS registers of outputs.
template <int BLOCKS>
void convolve_blocks(const TapTable& taps, const float* in, int inputs, const float* weights, int outputs, const float* bias,
                     float* out) {
    for (int tile = 0; tile < taps.tiles; ++tile) {
        Floats sums[TILE][BLOCKS];
        for (int point = 0; point < TILE; ++point)
            for (int block = 0; block < BLOCKS; ++block) sums[point][block] = load(bias + block * WIDTH);
        const std::size_t end = taps.first_steps[static_cast<std::size_t>(tile + 1)];
        for (std::size_t step = taps.first_steps[static_cast<std::size_t>(tile)]; step < end; ++step) {
            const float* row_weights = weights + std::ptrdiff_t{taps.step_taps[step]} * inputs * outputs;
            const std::uint32_t* rows = taps.rows.data() + step * TILE;
            const float* from[TILE];
            for (int point = 0; point < TILE; ++point) from[point] = in + rows[point] * static_cast<std::size_t>(inputs);
            for (int input = 0; input < inputs; ++input, row_weights += outputs) {
                Floats four[BLOCKS];
                for (int block = 0; block < BLOCKS; ++block) four[block] = load(row_weights + block * WIDTH);
                for (int point = 0; point < TILE; ++point)
                    for (int block = 0; block < BLOCKS; ++block) sums[point][block] += from[point][input] * four[block];
            }
        }
        for (int point = 0; point < TILE; ++point) {
            const std::size_t row = taps.order[static_cast<std::size_t>(tile * TILE + point)];
            for (int block = 0; block < BLOCKS; ++block)
                store(out + row * static_cast<std::size_t>(outputs) + static_cast<std::size_t>(block * WIDTH), sums[point][block]);
        }
    }
}

void convolve_floats(const TapTable& taps, const float* in, int inputs, const float* weights, int outputs, const float* bias,
                     float* out) {
    int block = 0;
    for (; block + 2 * WIDTH <= outputs; block += 2 * WIDTH)
        convolve_blocks<2>(taps, in, inputs, weights + block, outputs, bias + block, out + block);
    if (block < outputs) convolve_blocks<1>(taps, in, inputs, weights + block, outputs, bias + block, out + block);
}

// gradient of the weights += for each tap, input and output the sum over points of input times gradient.
template <int BLOCKS, int INPUTS>
void correlate_blocks(const TapTable& taps, int tap, const float* in, int inputs, const float* grads, int outputs, float* into) {
    Floats sums[INPUTS][BLOCKS];
    for (int input = 0; input < INPUTS; ++input)
        for (int block = 0; block < BLOCKS; ++block) sums[input][block] = load(into + input * outputs + block * WIDTH);
    for (int point = 0; point < taps.points; ++point) {
        const std::size_t near = taps.row(point, tap);
        if (near == taps.empty_row()) continue;
        const float* from = in + near * static_cast<std::size_t>(inputs);
        Floats grad[BLOCKS];
        for (int block = 0; block < BLOCKS; ++block)
            grad[block] = load(grads + static_cast<std::size_t>(point * outputs + block * WIDTH));
        for (int input = 0; input < INPUTS; ++input)
            for (int block = 0; block < BLOCKS; ++block) sums[input][block] += from[input] * grad[block];
    }
    for (int input = 0; input < INPUTS; ++input)
        for (int block = 0; block < BLOCKS; ++block) store(into + input * outputs + block * WIDTH, sums[input][block]);
}

template <int BLOCKS>
void correlate_outputs(const TapTable& taps, const float* in, int inputs, const float* grads, int outputs, float* into) {
    for (int tap = 0; tap < taps.taps; ++tap) {
        float* row = into + static_cast<std::size_t>(tap * inputs * outputs);
        int input = 0;
        for (; input + MANY <= inputs; input += MANY)
            correlate_blocks<BLOCKS, MANY>(taps, tap, in + input, inputs, grads, outputs, row + input * outputs);
        for (; input < inputs; ++input)
            correlate_blocks<BLOCKS, 1>(taps, tap, in + input, inputs, grads, outputs, row + input * outputs);
    }
}

void correlate_floats(const TapTable& taps, const float* in, int inputs, const float* grads, int outputs, float* into) {
    int block = 0;
    for (; block + 2 * WIDTH <= outputs; block += 2 * WIDTH)
        correlate_outputs<2>(taps, in, inputs, grads + block, outputs, into + block);
    if (block < outputs) correlate_outputs<1>(taps, in, inputs, grads + block, outputs, into + block);
}

// Rounds sums to activations as the integer network does: floor(32 x + 1/2) / 32 from 0 to 127 / 32, with a residual.
void activate_floats(float* sums, const float* residual, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto level = static_cast<std::int32_t>(sums[i] * 4096.0F);
        const float value = static_cast<float>((level + 64) >> 7) * 0.03125F + (residual ? residual[i] : 0.0F);
        sums[i] = std::min(std::max(value, 0.0F), 127.0F / 32);
    }
}

// What passes back through an activation: nothing where it is at a bound, but for what draws it off the upper one.
void gate_floats(const float* activations, float* grads, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const bool passes = activations[i] > 0 && (activations[i] < 127.0F / 32 || grads[i] > 0);
        grads[i] = passes ? grads[i] : 0.0F;
    }
}

inline Layers layers() { return {convolve_floats, correlate_floats, activate_floats, gate_floats}; }
