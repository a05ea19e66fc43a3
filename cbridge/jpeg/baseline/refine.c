/* Refinement scans for any machine. */
#include "scan_bits.h"

INLINE uint64_t highest(uint64_t set)
{
    return bit_of(__builtin_clzll(set));
}

INLINE uint64_t nth(uint64_t set, int n)
{
    for (; n > 0 && set != 0; n--)
        set ^= highest(set);
    return set != 0 ? highest(set) : 0;
}

INLINE uint64_t read_bits(bit_reader *reader, uint64_t set)
{
    uint64_t ones = 0;
    for (; set != 0; set ^= highest(set)) {
        if (reader->count < 1)
            fill_bits(reader);
        if (reader->bits >> 63)
            ones |= highest(set);
        take_bits(reader, 1);
    }
    return ones;
}

#define REFINE_BAND spool_baseline_refine_band
#include "refine_band.h"

int spool_baseline_refine_dc(scan_reader *s, const row_blocks blocks[], int y, int first, int last)
{
    const jpeg_scan *scan = s->scan;
    bit_reader reader = same(&s->coded.reader);

    for (int mcu = first; mcu < last; mcu++) {
        const int reason = make_ready(&s->coded, &reader);
        if (UNLIKELY(reason != SPOOL_BASELINE_DONE))
            return reason;
        fill_bits(&reader); /* an MCU of MCU_BLOCKS blocks takes as many bits */
        for (int i = 0; i < scan->components; i++) {
            const row_blocks *c = &blocks[scan->component[i]];
            const int h = scan->components > 1 ? c->h : 1, v = scan->components > 1 ? c->v : 1;
            int16_t *line = c->blocks + ((ptrdiff_t)y * c->columns + (ptrdiff_t)mcu * h) * BLOCK;
            for (int j = 0; j < v; j++, line += (ptrdiff_t)c->columns * BLOCK)
                for (int x = 0; x < h; x++) {
                    line[x * BLOCK] |= reader.bits >> 63 << scan->low;
                    take_bits(&reader, 1);
                }
        }
    }
    return finish_run(&s->coded, &reader);
}

/* Machines with BMI2 also have BMI, LZCNT and POPCNT. Zen and Zen 2 have BMI2, but deposit bits one by one. */
spool_baseline_band *spool_baseline_refine_band_at(int level)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (level > 0 && __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2"))
        return spool_baseline_refine_band_bmi2;
#else
    (void)level;
#endif
    return spool_baseline_refine_band;
}
