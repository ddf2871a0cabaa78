// Times one build of one kernel on the first GPU. measure.py compiles this file once for each build, with one of
//
//   -DCOPY                        a copy with 1, 2, 4 and 8 loads in flight per thread, against warps per SM
//   -DSGEMM -DKERNEL='"…/sgemm8x8.cu"'   the SGEMM of docs/kernels, 4096 × 4096 × 4096
//   -DWAVE -DKERNEL='"…/wave.cu"'        the wave of docs/kernels, one step of 256 planes of 2^18 points
//
// and reads what it prints: a line `device,…`, then one line a measurement. Every time is the median of nine; the
// results of SGEMM and WAVE are compared with the CPU's at a thousand points first. Exit status 1: a CUDA error, or a
// wrong result.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#ifdef KERNEL
#include KERNEL
#endif

#define CHECK(call)                                                                                        \
    do {                                                                                                   \
        const cudaError_t error = (call);                                                                  \
        if (error != cudaSuccess) {                                                                        \
            std::fprintf(stderr, "%s, line %d: %s\n", #call, __LINE__, cudaGetErrorString(error));         \
            std::exit(1);                                                                                  \
        }                                                                                                  \
    } while (0)

static const int REPEATS = 9;

// Milliseconds of `run`, the median; a first run warms up and is not counted.
template <typename Run> static float milliseconds(Run run)
{
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<float> times;
    for (int i = 0; i <= REPEATS; ++i) {
        CHECK(cudaEventRecord(start));
        run();
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        float took = 0;
        CHECK(cudaEventElapsedTime(&took, start, stop));
        if (i) times.push_back(took);
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    std::nth_element(times.begin(), times.begin() + REPEATS / 2, times.end());
    return times[REPEATS / 2];
}

static cudaDeviceProp device()
{
    cudaDeviceProp found;
    int driver = 0;
    CHECK(cudaGetDeviceProperties(&found, 0));
    CHECK(cudaDriverGetVersion(&driver));
    std::printf("device,%s,sm_%d%d,%d,%d,%d\n", found.name, found.major, found.minor, found.multiProcessorCount,
                found.maxThreadsPerMultiProcessor, driver);
    return found;
}

static float* filled(size_t count, unsigned seed)
{
    std::vector<float> values(count);
    for (float& value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = (seed >> 8) / float(1 << 24) - 0.5f;
    }
    float* there = nullptr;
    CHECK(cudaMalloc(&there, count * sizeof(float)));
    CHECK(cudaMemcpy(there, values.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    return there;
}

[[maybe_unused]] static std::vector<float> fetched(const float* there, size_t count)
{
    std::vector<float> values(count);
    CHECK(cudaMemcpy(values.data(), there, count * sizeof(float), cudaMemcpyDeviceToHost));
    return values;
}

#ifdef COPY
// All loads of a pass stand before its first store, and no pointer is `__restrict__`: the compiler cannot move a later
// pass's loads up, so a thread has exactly LOADS in flight.
template <int LOADS> __global__ void copy(const float* in, float* out, size_t passes)
{
    extern __shared__ float held_back[];
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (passes == 0) out[at] = held_back[threadIdx.x];
#pragma unroll 1
    for (size_t pass = 0; pass < passes; ++pass, at += LOADS * stride) {
        float value[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) value[k] = in[at + k * stride];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) out[at + k * stride] = value[k];
    }
}

static const int BLOCKS = 2;
static const size_t COUNT = (size_t)1 << 28;

template <int LOADS> static void sweep(const cudaDeviceProp& gpu, const float* in, float* out)
{
    // Half of the SM's shared memory for each block, so that two fit and no third.
    const size_t reserved = gpu.reservedSharedMemPerBlock;
    const size_t half = std::min(gpu.sharedMemPerMultiprocessor / BLOCKS - reserved, gpu.sharedMemPerBlockOptin);
    const size_t shared = half / 1024 * 1024;
    CHECK(cudaFuncSetAttribute(copy<LOADS>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    const int most = std::min(gpu.maxThreadsPerMultiProcessor / BLOCKS, gpu.maxThreadsPerBlock);
    for (int threads = 32; threads <= most; threads += 32) {
        int blocks = 0;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, copy<LOADS>, threads, shared));
        if (blocks != BLOCKS) {
            std::fprintf(stderr, "%d threads: %d blocks are resident, not %d\n", threads, blocks, BLOCKS);
            std::exit(1);
        }
        const int grid = BLOCKS * gpu.multiProcessorCount;
        const size_t stride = (size_t)grid * threads, passes = COUNT / (LOADS * stride);
        const float took = milliseconds([&] { copy<LOADS><<<grid, threads, shared>>>(in, out, passes); });
        const double bytes = 2.0 * sizeof(float) * LOADS * stride * passes;
        std::printf("copy,%d,%d,%d,%.1f,%.4f\n", LOADS, threads, BLOCKS * threads / 32, bytes / took * 1e-6, took);
        std::fflush(stdout);
    }
}

int main()
{
    const cudaDeviceProp gpu = device();
    float *in = filled(COUNT, 1), *out = filled(COUNT, 2);
    sweep<1>(gpu, in, out);
    sweep<2>(gpu, in, out);
    sweep<4>(gpu, in, out);
    sweep<8>(gpu, in, out);
    return 0;
}
#endif

#ifdef SGEMM
int main()
{
    device();
    const int size = 4096;
    const size_t count = (size_t)size * size;
    float *a = filled(count, 1), *b = filled(count, 2), *c = filled(count, 3);
    const dim3 grid(size / BN, size / BM);
    auto run = [&] { sgemm8x8<<<grid, 256>>>(size, size, size, 1.0f, a, b, 0.0f, c); };
    run();
    CHECK(cudaGetLastError());
    const std::vector<float> left = fetched(a, count), right = fetched(b, count), made = fetched(c, count);
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
        const int y = i * 7919 % size, x = i * 104729 % size;
        double sum = 0;
        for (int k = 0; k < size; ++k) sum += (double)left[(size_t)y * size + k] * right[(size_t)k * size + x];
        worst = std::fmax(worst, std::fabs(sum - made[(size_t)y * size + x]));
    }
    if (!(worst < 1e-3)) {
        std::fprintf(stderr, "a wrong result: off by %g\n", worst);
        return 1;
    }
    const float took = milliseconds(run);
    std::printf("sgemm,0,256,0,%.1f,%.4f\n", 3.0 * count * sizeof(float) / took * 1e-6, took);
    return 0;
}
#endif

#ifdef WAVE
int main()
{
    device();
    const int plane = 1 << 18, depth = 256 + 2 * REACH;
    const size_t count = (size_t)plane * depth;
    float weights[REACH + 1];
    for (int r = 0; r <= REACH; ++r) weights[r] = 1.0f / (r + 1) - 0.6f;
    CHECK(cudaMemcpyToSymbol(weight, weights, sizeof weights));
    float *now = filled(count, 1), *speed = filled(count, 2), *next = filled(count, 3);
    const std::vector<float> field = fetched(now, count), rate = fetched(speed, count), last = fetched(next, count);
    auto run = [&] { wave<<<plane / (THREADS * COLUMNS), THREADS>>>(now, speed, next, plane, depth); };
    run();
    CHECK(cudaGetLastError());
    const std::vector<float> made = fetched(next, count);
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
        const size_t at = (size_t)(REACH + i * 31 % 256) * plane + (size_t)i * 104729 % plane;
        double sum = weights[0] * field[at];
        for (int r = 1; r <= REACH; ++r) sum += weights[r] * (field[at - (size_t)r * plane] + field[at + (size_t)r * plane]);
        worst = std::fmax(worst, std::fabs(2 * field[at] - last[at] + rate[at] * sum - made[at]));
    }
    if (!(worst < 1e-4)) {
        std::fprintf(stderr, "a wrong result: off by %g\n", worst);
        return 1;
    }
    const float took = milliseconds(run);
    // Four streams: two fields are read, the third is read and written.
    std::printf("wave,0,%d,0,%.1f,%.4f\n", THREADS, 4.0 * plane * 256 * sizeof(float) / took * 1e-6, took);
    return 0;
}
#endif
