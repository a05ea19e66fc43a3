/* The filters of this build, and those that this machine supports. */
#include "filter.h"

int spool_png_filter_levels(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.1") ? 2 : 1;
#elif defined(__aarch64__)
    return 2;
#else
    return 1;
#endif
}

const char *spool_png_filter_name(int level)
{
#if defined(__aarch64__)
    return level > 0 ? "neon" : "scalar";
#else
    return level > 0 ? "sse4.1" : "scalar";
#endif
}

spool_png_unfilter *spool_png_filter_at(int level)
{
#if defined(__x86_64__) || defined(__aarch64__)
    if (level > 0)
        return spool_png_unfilter_simd;
#endif
    return spool_png_unfilter_scalar;
}

void spool_png_unfilter_at(int level, uint8_t *row, size_t stride, int n, size_t bytes, int distance)
{
    spool_png_filter_at(level)(row, stride, n, bytes, distance);
}
