/*
 * Measures the kernels of each level that this machine runs: prints a line for each, with its name, the level, and the
 * nanoseconds for a block or a pixel. Levels alternate, and the least of all rounds counts: short runs are rarely
 * interrupted by other work.
 */
#include <float.h>
#include <stdio.h>
#include <time.h>

#include "baseline.h"
#include "color.h"
#include "scaled.h"

enum { BLOCKS = 96, WIDTH = 512, MARGIN = 64, ROUNDS = 2000, LEVELS = 8 };

static int16_t blocks[64 * BLOCKS] __attribute__((aligned(64)));
static uint16_t quant[64] __attribute__((aligned(64)));
static uint8_t samples[8 * 8 * BLOCKS], y[WIDTH], near[WIDTH], far[WIDTH], rgb[3 * WIDTH + MARGIN];
static int16_t sums[2][WIDTH + 2 * MARGIN];

static void idct(int level)
{
    spool_baseline_idct_at(level)(blocks, BLOCKS, quant, samples, 8 * BLOCKS);
}

static void scaled4(int level)
{
    spool_baseline_scaled_at(4, level)(blocks, BLOCKS, quant, samples, 8 * BLOCKS);
}

static void scaled2(int level)
{
    spool_baseline_scaled_at(2, level)(blocks, BLOCKS, quant, samples, 8 * BLOCKS);
}

static void add(int level)
{
    spool_baseline_color_at(level)->add(near, far, WIDTH / 2, &sums[0][MARGIN]);
}

static void convert_wide(int level)
{
    const spool_baseline_rounding rounding = {8, 7};
    spool_baseline_color_at(level)->convert_wide(y, &sums[0][MARGIN], &sums[1][MARGIN], rounding, WIDTH, rgb);
}

static void convert(int level)
{
    spool_baseline_color_at(level)->convert(y, near, far, WIDTH, rgb);
}

static const struct {
    const char *name;
    void (*run)(int level);
    int repeat, units; /* runs for a time, and blocks or pixels of a run */
} kernels[] = {
    {"idct", idct, 4, BLOCKS},
    {"scaled4", scaled4, 4, BLOCKS},
    {"scaled2", scaled2, 4, BLOCKS},
    {"add", add, 400, WIDTH / 2},
    {"convert-wide", convert_wide, 100, WIDTH},
    {"convert", convert, 100, WIDTH},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Blocks with 1 to 12 coefficients, most of them small, and rows of noise. */
static void fill(void)
{
    uint64_t state = 1;
    for (int i = 0; i < 64; i++)
        quant[i] = (uint16_t)(8 + i);
    for (int b = 0; b < BLOCKS; b++)
        for (int k = b % 12; k >= 0; k--) {
            state = state * 6364136223846793005 + 1442695040888963407;
            blocks[64 * b + (state >> 33) % 8 * 8 % (unsigned)(8 * (1 + k)) + k % 8] = (int16_t)((state >> 40) % 9) - 4;
        }
    for (int i = 0; i < WIDTH; i++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        y[i] = (uint8_t)(state >> 33);
        near[i] = (uint8_t)(state >> 41);
        far[i] = (uint8_t)(state >> 49);
    }
}

int main(void)
{
    const int levels = spool_baseline_levels();
    fill();
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        double least[LEVELS];
        for (int level = 0; level < levels; level++)
            least[level] = DBL_MAX;
        for (int round = 0; round < ROUNDS; round++)
            for (int level = 0; level < levels; level++) {
                const double start = now();
                for (int i = 0; i < kernels[k].repeat; i++)
                    kernels[k].run(level);
                const double took = now() - start;
                least[level] = took < least[level] ? took : least[level];
            }
        for (int level = 0; level < levels; level++)
            printf("%s %s %.3f\n", kernels[k].name, spool_baseline_level_name(level),
                   least[level] / kernels[k].repeat / kernels[k].units);
    }
    return 0;
}
