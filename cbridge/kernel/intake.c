/* Intake: converts pushed pixels to the pixels that are resized. */
#include "engine.h"

/* Colors times alpha, divided by 255 and rounded, as in Pillow's MULDIV255. */
static void premultiply(const uint8_t *rgba, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++, rgba += 4, out += 4) {
        const int alpha = rgba[3];
        for (int c = 0; c < 3; c++) {
            const int product = rgba[c] * alpha + 128;
            out[c] = (uint8_t)((product + (product >> 8)) >> 8);
        }
        out[3] = rgba[3];
    }
}

void spool_unpremultiply(uint8_t *rgba, size_t n)
{
    for (size_t i = 0; i < n; i++, rgba += 4)
        for (int c = 0; c < 3 && rgba[3] != 0; c++)
            rgba[c] = (uint8_t)spool_min(255 * rgba[c] / rgba[3], 255);
}

static void convert(spool_engine *e, const uint8_t **row, uint8_t *to[2])
{
    const spool_plan *p = &e->plan;
    const size_t columns = (size_t)(p->right - p->left);
    const uint8_t *from = *row + (size_t)p->left * e->pushed_pixel;
    int step = 0;

    if (p->words && e->sample == 1) {
        e->kernels->narrow(from, to[step], columns * p->channels);
        from = to[step++];
    }
    if (p->alpha != SPOOL_ALPHA_KEEP) {
        if (p->alpha == SPOOL_ALPHA_DROP)
            e->depth->remap(&e->drop_map, from, to[step], columns);
        else
            e->depth->blend(from, p->background, to[step], columns);
        from = to[step];
        step ^= 1;
    }
    if (p->premultiply) {
        premultiply(from, to[step], columns);
        from = to[step];
    }
    if (p->luma) {
        e->depth->gray(from, to[step], columns);
        from = to[step];
    }
    *row = from;
}

void spool_intake(spool_engine *e, const uint8_t *row[SPOOL_GROUP], int n)
{
    for (int i = 0; i < n; i++) {
        uint8_t *to[2] = {e->converted[0], e->converted[1]};
        for (int k = 0; k < 2 && to[k]; k++)
            to[k] += i * e->converted_stride;
        convert(e, &row[i], to);
    }
}
