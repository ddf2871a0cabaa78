/* Asks the vendor's occupancy header: reads launches as 64-bit integers on stdin, writes its answers to stdout.
 *
 * A launch is IN integers, in the order read below; an answer is OUT integers: the occupancy's status and eleven
 * outputs, the block-size search's status, grid and block, the free dynamic shared memory's status and bytes.
 * With an argument the launches are read once and answered that many times, and the processor seconds of the
 * fastest round are printed. */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_occupancy.h"

enum { IN = 29, OUT = 17 };

static int64_t base, per_thread, per_warp, warp_size;

static size_t shared_for(int threads)
{
    return (size_t)(base + per_thread * threads + per_warp * ((threads + warp_size - 1) / warp_size));
}

static cudaOccDeviceProp device_of(const int64_t *in)
{
    cudaOccDeviceProp device;
    memset(&device, 0, sizeof device);
    device.computeMajor = (int)in[0];
    device.computeMinor = (int)in[1];
    device.maxThreadsPerBlock = (int)in[2];
    device.maxThreadsPerMultiprocessor = (int)in[3];
    device.regsPerBlock = (int)in[4];
    device.regsPerMultiprocessor = (int)in[5];
    device.warpSize = (int)in[6];
    device.sharedMemPerBlock = (size_t)in[7];
    device.sharedMemPerMultiprocessor = (size_t)in[8];
    device.numSms = (int)in[9];
    device.sharedMemPerBlockOptin = (size_t)in[10];
    device.reservedSharedMemPerBlock = (size_t)in[11];
    return device;
}

static cudaOccFuncAttributes kernel_of(const int64_t *in)
{
    cudaOccFuncAttributes kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.maxThreadsPerBlock = (int)in[12];
    kernel.numRegs = (int)in[13];
    kernel.sharedSizeBytes = (size_t)in[14];
    kernel.partitionedGCConfig = (cudaOccPartitionedGCConfig)in[15];
    kernel.shmemLimitConfig = (cudaOccFuncShmemConfig)in[16];
    kernel.maxDynamicSharedSizeBytes = (size_t)in[17];
    kernel.numBlockBarriers = (int)in[18];
    kernel.virtualResourceCount = (int)in[19];
    return kernel;
}

static void occupancy(const int64_t *in, int64_t *out)
{
    cudaOccDeviceProp device = device_of(in);
    cudaOccFuncAttributes kernel = kernel_of(in);
    cudaOccDeviceState state = {(cudaOccCacheConfig)in[20], (int)in[21]};
    cudaOccResult result;
    memset(&result, 0, sizeof result);
    out[0] = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, (int)in[22], (size_t)in[23]);
    if (out[0])
        return;
    out[1] = result.activeBlocksPerMultiprocessor;
    out[2] = result.limitingFactors;
    out[3] = result.blockLimitRegs;
    out[4] = result.blockLimitSharedMem;
    out[5] = result.blockLimitWarps;
    out[6] = result.blockLimitBlocks;
    out[7] = result.blockLimitBarriers;
    out[8] = result.blockLimitVirtual;
    out[9] = result.allocatedRegistersPerBlock;
    out[10] = (int64_t)result.allocatedSharedMemPerBlock;
    out[11] = result.partitionedGCConfig;
}

static void searches(const int64_t *in, int64_t *out)
{
    cudaOccDeviceProp device = device_of(in);
    cudaOccFuncAttributes kernel = kernel_of(in);
    cudaOccDeviceState state = {(cudaOccCacheConfig)in[20], (int)in[21]};
    int grid = 0, block = 0;
    size_t bytes = 0;
    if (in[24]) {
        base = in[25], per_thread = in[26], per_warp = in[27], warp_size = in[6];
        out[12] = cudaOccMaxPotentialOccupancyBlockSize(
            &grid, &block, &device, &kernel, &state, in[24] == 2 ? shared_for : NULL, (size_t)in[23]);
        out[13] = grid;
        out[14] = block;
    }
    out[15] = cudaOccAvailableDynamicSMemPerBlock(&bytes, &device, &kernel, &state, (int)in[28], (int)in[22]);
    out[16] = out[15] ? 0 : (int64_t)bytes;
}

static int time_it(long rounds)
{
    size_t room = 1 << 20, count = 0;
    int64_t *launches = malloc(room * IN * sizeof *launches), sum = 0;
    struct timespec start, end;
    double best = 0;
    while (launches && fread(launches + count * IN, sizeof *launches, IN, stdin) == IN)
        if (++count == room)
            launches = realloc(launches, (room *= 2) * IN * sizeof *launches);
    if (!launches)
        return 1;
    for (long round = 0; round < rounds; round++) {
        double seconds;
        sum = 0;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
        for (size_t i = 0; i < count; i++) {
            int64_t out[OUT];
            occupancy(launches + i * IN, out);
            sum += out[1];
        }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        seconds = (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) * 1e-9;
        best = round && best < seconds ? best : seconds;
    }
    printf("%.9f %lld\n", best, (long long)sum);
    return 0;
}

int main(int argc, char **argv)
{
    int64_t in[IN], out[OUT];
    if (argc > 1)
        return time_it(strtol(argv[1], NULL, 10));
    while (fread(in, sizeof *in, IN, stdin) == IN) {
        memset(out, 0, sizeof out);
        occupancy(in, out);
        searches(in, out);
        if (fwrite(out, sizeof *out, OUT, stdout) != OUT)
            return 1;
    }
    return 0;
}
