/* Intake: from the pixels that are pushed to those that are resized. */
#include "engine.h"

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
