// Runs docs/kernels/wave.cu on the CPU, a thread for each of the block's, and compares with the plain triple loop.
// Compiled by test_session.py, with the options of the builds that chapter 12 looks at.
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

struct Index {
    int x = 0, y = 0;
};
thread_local Index threadIdx, blockIdx;
static std::barrier<>* block;

#define __global__
#define __constant__
#define __shared__ static
#define __launch_bounds__(...)
#define __restrict__
#define __syncthreads() block->arrive_and_wait()
#include KERNEL

int main()
{
    const int across = 2, down = 2, width = across * TX + 2 * RIM, height = down * ROWS + 2 * RIM, depth = 2 * RIM + 3;
    const int plane = width * height;
    std::vector<float> now(plane * depth), speed(plane * depth), next(plane * depth);
    for (auto* field : {&now, &speed, &next})
        for (float& value : *field) value = std::rand() / float(RAND_MAX) - 0.5f;
    for (int r = 0; r <= RIM; ++r) weight[r] = 1.0f / (r + 1) - 0.6f;

    std::vector<float> wanted = next;
    for (int z = RIM; z < depth - RIM; ++z)
        for (int y = RIM; y < height - RIM; ++y)
            for (int x = RIM; x < width - RIM; ++x) {
                const int i = z * plane + y * width + x;
                double sum = 3.0 * weight[0] * now[i];
                for (int r = 1; r <= RIM; ++r)
                    for (int step : {1, width, plane}) sum += weight[r] * (now[i - r * step] + now[i + r * step]);
                wanted[i] = 2 * now[i] - next[i] + speed[i] * sum;
            }

    for (int b = 0; b < across * down; ++b) {
        std::barrier<> here(TX * TY);
        block = &here;
        std::vector<std::thread> threads;
        for (int t = 0; t < TX * TY; ++t)
            threads.emplace_back([&, t] {
                threadIdx = {t % TX, t / TX};
                blockIdx = {b % across, b / across};
                wave(now.data(), speed.data(), next.data(), width, plane, depth);
            });
        for (auto& thread : threads) thread.join();
    }
    double worst = 0;
    for (size_t i = 0; i < wanted.size(); ++i) worst = std::fmax(worst, std::fabs(wanted[i] - next[i]));
    std::printf("largest difference: %g\n", worst);
    return worst < 1e-5 ? 0 : 1;
}
