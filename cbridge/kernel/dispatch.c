/* The kernels of this build, and those that this machine supports. */
#include "kernels.h"

#if defined(__x86_64__)

static const spool_kernels *const levels[] = {&spool_kernels_scalar, &spool_kernels_sse41, &spool_kernels_avx2,
                                              &spool_kernels_vnni};

int spool_kernels_levels(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("sse4.1"))
        return 1;
    if (!__builtin_cpu_supports("avx2"))
        return 2;
    return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vnni")
               ? 4
               : 3;
}

#elif defined(__aarch64__)

static const spool_kernels *const levels[] = {&spool_kernels_scalar, &spool_kernels_neon};

int spool_kernels_levels(void)
{
    return 2;
}

#else

static const spool_kernels *const levels[] = {&spool_kernels_scalar};

int spool_kernels_levels(void)
{
    return 1;
}

#endif

const spool_kernels *spool_kernels_at(int level)
{
    return levels[level];
}
