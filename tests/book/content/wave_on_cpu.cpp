// Runs docs/kernels/wave.cu on the CPU, thread by thread, and compares with the plain loop over points.
// Compiled by test_session.py, with the options of the builds that chapter 12 looks at.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Index {
    int x = 0;
};
static Index threadIdx, blockIdx;

#define __global__
#define __constant__
#define __launch_bounds__(...)
#include KERNEL

int main()
{
    const int blocks = 2, plane = blocks * THREADS * COLUMNS, depth = 2 * REACH + 3;
    std::vector<float> now(plane * depth), speed(plane * depth), next(plane * depth);
    for (auto* field : {&now, &speed, &next})
        for (float& value : *field) value = std::rand() / float(RAND_MAX) - 0.5f;
    for (int r = 0; r <= REACH; ++r) weight[r] = 1.0f / (r + 1) - 0.6f;

    std::vector<float> wanted = next;
    for (int z = REACH; z < depth - REACH; ++z)
        for (int p = 0; p < plane; ++p) {
            const int i = z * plane + p;
            double sum = weight[0] * now[i];
            for (int r = 1; r <= REACH; ++r) sum += weight[r] * (now[i - r * plane] + now[i + r * plane]);
            wanted[i] = 2 * now[i] - next[i] + speed[i] * sum;
        }

    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < THREADS; ++threadIdx.x)
            wave(now.data(), speed.data(), next.data(), plane, depth);
    double worst = 0;
    for (size_t i = 0; i < wanted.size(); ++i) worst = std::fmax(worst, std::fabs(wanted[i] - next[i]));
    std::printf("largest difference: %g\n", worst);
    return worst < 1e-5 ? 0 : 1;
}
