/* The kernels of this build, and those that this machine runs. */
#include "baseline.h"
#include "color.h"
#include "scaled.h"

static const struct {
    const char *name;
    spool_baseline_idct *idct, *scaled4, *scaled2;
    const spool_baseline_color *color;
} levels[] = {
    {"scalar", spool_baseline_idct_scalar, spool_baseline_scaled4_scalar, spool_baseline_scaled2_scalar,
     &spool_baseline_color_scalar},
#if defined(__x86_64__)
    [SPOOL_BASELINE_SSE41] = {"sse4.1", spool_baseline_idct_sse41, spool_baseline_scaled4_sse41,
                              spool_baseline_scaled2_sse41, &spool_baseline_color_sse41},
    [SPOOL_BASELINE_AVX2] = {"avx2", spool_baseline_idct_avx2, spool_baseline_scaled4_avx2, spool_baseline_scaled2_avx2,
                             &spool_baseline_color_avx2},
    [SPOOL_BASELINE_AVX512VL] = {"avx512vl", spool_baseline_idct_avx512vl, spool_baseline_scaled4_avx2,
                                 spool_baseline_scaled2_avx2, &spool_baseline_color_avx512vl},
    [SPOOL_BASELINE_AVX512] = {"avx512", spool_baseline_idct_avx512, spool_baseline_scaled4_avx2,
                               spool_baseline_scaled2_avx2, &spool_baseline_color_avx512},
#elif defined(__aarch64__)
    [SPOOL_BASELINE_NEON] = {"neon", spool_baseline_idct_neon, spool_baseline_scaled4_neon, spool_baseline_scaled2_neon,
                             &spool_baseline_color_neon},
#endif
};

int spool_baseline_levels(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("sse4.1"))
        return SPOOL_BASELINE_SSE41;
    if (!__builtin_cpu_supports("avx2"))
        return SPOOL_BASELINE_AVX2;
    if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("avx512vnni") || !__builtin_cpu_supports("avx512vbmi"))
        return SPOOL_BASELINE_AVX512VL;
#endif
    return sizeof levels / sizeof *levels;
}

/* On Intel's processors, vectors of 64 bytes cost more than they save (docs/adr/0055-kernels-by-level.md). */
int spool_baseline_best(void)
{
    const int last = spool_baseline_levels() - 1;
#if defined(__x86_64__)
    if (last == SPOOL_BASELINE_AVX512 && __builtin_cpu_is("intel"))
        return SPOOL_BASELINE_AVX512VL;
#endif
    return last;
}

const char *spool_baseline_level_name(int level)
{
    return levels[level].name;
}

spool_baseline_idct *spool_baseline_idct_at(int level)
{
    return levels[level].idct;
}

spool_baseline_idct *spool_baseline_scaled_at(int side, int level)
{
    switch (side) {
    case 4:
        return levels[level].scaled4;
    case 2:
        return levels[level].scaled2;
    case 1:
        return spool_baseline_scaled1;
    }
    return levels[level].idct;
}

const spool_baseline_color *spool_baseline_color_at(int level)
{
    return levels[level].color;
}
