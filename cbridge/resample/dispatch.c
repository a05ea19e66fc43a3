/* The kernels of this build, and those that this machine supports. */
#include "kernels.h"

#if defined(__x86_64__)

static const spool_resample_kernels *const levels[] = {&spool_resample_scalar, &spool_resample_sse41,
                                                       &spool_resample_avx2};

int spool_resample_levels(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("sse4.1"))
        return 1;
    return __builtin_cpu_supports("avx2") ? 3 : 2;
}

#elif defined(__aarch64__)

static const spool_resample_kernels *const levels[] = {&spool_resample_scalar, &spool_resample_neon};

int spool_resample_levels(void)
{
    return 2;
}

#else

static const spool_resample_kernels *const levels[] = {&spool_resample_scalar};

int spool_resample_levels(void)
{
    return 1;
}

#endif

const spool_resample_kernels *spool_resample_kernels_at(int level)
{
    return levels[level];
}
