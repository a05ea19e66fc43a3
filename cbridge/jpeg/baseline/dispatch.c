/* Which kernels this build has, and which of them this machine runs. */
#include "baseline.h"
#include "color.h"
#include "idct.h"

int spool_baseline_levels(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? 2 : 1;
#else
    return 1;
#endif
}

const char *spool_baseline_level_name(int level)
{
    return level > 0 ? "avx2" : "scalar";
}

spool_baseline_idct *spool_baseline_idct_at(int level)
{
#if defined(__x86_64__)
    if (level > 0)
        return spool_baseline_idct_avx2;
#else
    (void)level;
#endif
    return spool_baseline_idct_scalar;
}

const spool_baseline_color *spool_baseline_color_at(int level)
{
#if defined(__x86_64__)
    if (level > 0)
        return &spool_baseline_color_avx2;
#else
    (void)level;
#endif
    return &spool_baseline_color_scalar;
}
