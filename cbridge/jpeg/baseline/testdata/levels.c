/*
 * Compares the kernels of each level that this machine runs with the scalar ones: blocks from ordinary to absurd, each
 * color, rows of any width. Prints what was compared, and fails on any difference.
 */
#include <stdio.h>
#include <string.h>

#include "baseline.h"
#include "color.h"
#include "scaled.h"

enum { BLOCKS = 9, WIDTH = 300, MARGIN = 64 };

static uint64_t state = 1;

static unsigned draw(unsigned n)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    return (unsigned)(state >> 33) % n;
}

static int differing, compared;

static void compare(const char *what, int level, const void *ours, const void *scalar, size_t n)
{
    compared++;
    if (memcmp(ours, scalar, n) != 0 && differing++ == 0)
        printf("%s: %s differs from scalar\n", spool_baseline_level_name(level), what);
}

/* From ordinary to absurd values, with some blocks whose nonzero coefficients are all in the first rows. */
static void draw_blocks(int16_t *blocks, int n, uint16_t *quant)
{
    const int most = 1 << draw(16), step = 1 << draw(9);
    memset(blocks, 0, n * 64 * sizeof *blocks);
    for (int i = 0; i < 64; i++)
        quant[i] = 1 + draw(step);
    for (int i = 0; i < n; i++)
        for (int k = draw(4) == 0 ? 64 : draw(10); k > 0; k--)
            blocks[64 * i + draw(draw(2) ? 8 : 64)] = (int)draw(2 * most) - most;
}

static void compare_idct(int level)
{
    static int16_t blocks[64 * BLOCKS] __attribute__((aligned(64)));
    static uint16_t quant[64] __attribute__((aligned(64)));
    static uint8_t out[2][8][8 * BLOCKS];
    const int n = 1 + draw(BLOCKS);

    draw_blocks(blocks, n, quant);
    memset(out, 0, sizeof out);
    const int beyond[2] = {
        spool_baseline_idct_scalar(blocks, n, quant, out[0][0], 8 * BLOCKS) != 0,
        spool_baseline_idct_at(level)(blocks, n, quant, out[1][0], 8 * BLOCKS) != 0,
    };
    compare("the range of blocks", level, &beyond[1], &beyond[0], sizeof(int));
    if (!beyond[0])
        compare("idct", level, out[1], out[0], sizeof out[0]);
}

/* Blocks as above. A margin detects writes beyond the samples. */
static void compare_scaled(int level, int side)
{
    static int16_t blocks[64 * BLOCKS] __attribute__((aligned(16)));
    static uint16_t quant[64] __attribute__((aligned(16)));
    static uint8_t out[2][8][4 * BLOCKS + MARGIN];
    const int n = 1 + draw(BLOCKS);

    draw_blocks(blocks, n, quant);
    memset(out, 0xA5, sizeof out);
    for (int i = 0; i < 2; i++)
        spool_baseline_scaled_at(side, i * level)(blocks, n, quant, out[i][0], sizeof out[i][0]);
    compare("a scaled transform", level, out[1], out[0], sizeof out[0]);
}

/* All luma values with one color. */
static void compare_color(int level, uint8_t cb, uint8_t cr)
{
    uint8_t y[256], b[256], r[256], out[2][3 * 256] = {{0}};
    for (int i = 0; i < 256; i++)
        y[i] = i;
    memset(b, cb, sizeof b);
    memset(r, cr, sizeof r);
    const size_t n = draw(257);
    spool_baseline_color_scalar.convert(y, b, r, n, out[0]);
    spool_baseline_color_at(level)->convert(y, b, r, n, out[1]);
    compare("convert", level, out[1], out[0], sizeof out[0]);
}

static void compare_row(int level)
{
    static uint8_t y[WIDTH], near[WIDTH], far[WIDTH], out[2][3 * WIDTH];
    static int16_t sums[2][2][WIDTH + MARGIN];
    const spool_baseline_color *const color[2] = {&spool_baseline_color_scalar, spool_baseline_color_at(level)};
    const spool_baseline_rounding rounding = {draw(16), draw(16)};
    const size_t n = 1 + draw(WIDTH), chroma = (n + 1) / 2;

    memset(out, 0, sizeof out);
    memset(sums, 0, sizeof sums);
    for (int plane = 0; plane < 2; plane++) {
        for (int i = 0; i < WIDTH; i++) {
            y[i] = draw(256);
            near[i] = draw(3) ? draw(256) : 255 * draw(2);
            far[i] = draw(3) ? draw(256) : 255 * draw(2);
        }
        for (int i = 0; i < 2; i++)
            color[i]->add(near, far, chroma, &sums[i][plane][1]);
        compare("add", level, sums[1][plane], sums[0][plane], sizeof sums[0][0]);
    }
    for (int i = 0; i < 2; i++)
        color[i]->convert_wide(y, &sums[i][0][1], &sums[i][1][1], rounding, n, out[i]);
    compare("convert_wide", level, out[1], out[0], sizeof out[0]);
}

int main(void)
{
    for (int level = 1; level < spool_baseline_levels(); level++) {
        for (int i = 0; i < 20000; i++)
            compare_idct(level);
        for (int i = 0; i < 40000; i++)
            compare_scaled(level, i % 2 ? 4 : 2);
        for (int color = 0; color < 1 << 16; color++)
            compare_color(level, color >> 8, color & 255);
        for (int i = 0; i < 5000; i++)
            compare_row(level);
        printf("%s: %d of %d differ\n", spool_baseline_level_name(level), differing, compared);
    }
    return differing > 0;
}
