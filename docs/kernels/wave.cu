// One time step of a wave through a layered medium, eighth order in depth (chapter 12).
// Each column of points under the surface moves on its own. A thread marches COLUMNS of them down through the planes of
// a volume and keeps nine points of each in registers; neighbouring threads have neighbouring columns, so that every
// load of a warp is one access of 128 bytes. `next` holds the step before on entry and the new one on exit.
// The surface is a multiple of THREADS * COLUMNS points, so that no thread has a bound to check.
#ifndef THREADS
#define THREADS 1024
#endif
#ifndef COLUMNS
#define COLUMNS 2
#endif
#define REACH 4

__constant__ float weight[REACH + 1];

// What the compiler is told of the launch (chapter 10): threads, blocks, a cluster; or a number of registers; or nothing.
#if defined(CLUSTER)
__launch_bounds__(THREADS, BLOCKS, CLUSTER)
#elif defined(REGISTERS)
__maxnreg__(REGISTERS)
#elif defined(BLOCKS)
__launch_bounds__(THREADS, BLOCKS)
#elif !defined(UNBOUND)
__launch_bounds__(THREADS)
#endif
__global__ void wave(const float* now, const float* speed, float* next, int plane, int depth)
{
#ifdef SHARED_SPILLS
    asm volatile(".pragma \"enable_smem_spilling\";");
#endif
    const int first = blockIdx.x * THREADS * COLUMNS + threadIdx.x;
    float column[COLUMNS][2 * REACH + 1];
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c)
#pragma unroll
        for (int k = 1; k <= 2 * REACH; ++k) column[c][k] = now[first + c * THREADS + (size_t)(k - 1) * plane];

#pragma unroll 1
    for (int z = REACH; z < depth - REACH; ++z) {
        const size_t here = (size_t)z * plane + first;
        float ahead[COLUMNS], before[COLUMNS], rate[COLUMNS];
        // What a column needs for its next point: three loads.
#define LOAD(c)                                                            \
    ahead[c] = now[here + c * THREADS + (size_t)REACH * plane];            \
    before[c] = next[here + c * THREADS];                                  \
    rate[c] = speed[here + c * THREADS];
#ifdef EARLY
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) { LOAD(c) }
#endif
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
#ifndef EARLY
            LOAD(c)
#endif
#pragma unroll
            for (int k = 0; k < 2 * REACH; ++k) column[c][k] = column[c][k + 1];
            column[c][2 * REACH] = ahead[c];
            float sum = weight[0] * column[c][REACH];
#pragma unroll
            for (int r = 1; r <= REACH; ++r) sum += weight[r] * (column[c][REACH - r] + column[c][REACH + r]);
            next[here + c * THREADS] = 2 * column[c][REACH] - before[c] + rate[c] * sum;
        }
    }
}
