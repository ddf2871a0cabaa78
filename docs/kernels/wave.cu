// One time step of the acoustic wave equation, eighth order in space (chapter 12).
// A block marches its tile through the planes of a volume. Each thread computes COLUMNS points of every plane and keeps
// nine planes of their columns in registers; the tile of the current plane, with a rim of four points, is shared.
// Width and rows are multiples of the tile plus a rim of four on each side, so that no thread has a bound to check.
#ifndef TX
#define TX 32
#endif
#ifndef TY
#define TY 32
#endif
#ifndef COLUMNS
#define COLUMNS 2
#endif
#define RIM 4
#define ROWS (TY * COLUMNS)

__constant__ float weight[RIM + 1];

#ifdef BLOCKS
__launch_bounds__(TX * TY, BLOCKS)
#else
__launch_bounds__(TX * TY)
#endif
__global__ void wave(const float* __restrict__ now, const float* __restrict__ speed, float* __restrict__ next,
                     int width, int plane, int depth)
{
    __shared__ float tile[ROWS + 2 * RIM][TX + 2 * RIM];
    const int x = threadIdx.x, y = threadIdx.y;
    const int first = (blockIdx.y * ROWS + y + RIM) * width + blockIdx.x * TX + x + RIM;
    float column[COLUMNS][2 * RIM + 1];
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c)
#pragma unroll
        for (int k = 1; k <= 2 * RIM; ++k) column[c][k] = now[first + c * TY * width + (size_t)(k - 1) * plane];

    for (int z = RIM; z < depth - RIM; ++z) {
        const size_t here = (size_t)z * plane + first;
        // The new plane: one load a column, all independent of each other.
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
#pragma unroll
            for (int k = 0; k < 2 * RIM; ++k) column[c][k] = column[c][k + 1];
            column[c][2 * RIM] = now[here + c * TY * width + (size_t)RIM * plane];
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) tile[y + c * TY + RIM][x + RIM] = column[c][RIM];
        if (y < RIM) {
            tile[y][x + RIM] = now[here - RIM * width];
            tile[y + ROWS + RIM][x + RIM] = now[here + ROWS * width];
        }
        if (x < RIM) {
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                tile[y + c * TY + RIM][x] = now[here + c * TY * width - RIM];
                tile[y + c * TY + RIM][x + TX + RIM] = now[here + c * TY * width + TX];
            }
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            const size_t point = here + c * TY * width;
            const int row = y + c * TY + RIM;
            float sum = 3 * weight[0] * column[c][RIM];
#pragma unroll
            for (int r = 1; r <= RIM; ++r)
                sum += weight[r] * (tile[row][x + RIM - r] + tile[row][x + RIM + r] + tile[row - r][x + RIM]
                                    + tile[row + r][x + RIM] + column[c][RIM - r] + column[c][RIM + r]);
            next[point] = 2 * column[c][RIM] - next[point] + speed[point] * sum;
        }
    }
}
