/* The kernels of the planes sink in this build, and those that this machine supports. */
#include "planes_kernels.h"

#if defined(__x86_64__)

static const spool_planes_kernels *const levels[] = {&spool_planes_scalar, &spool_planes_sse41, &spool_planes_avx2,
                                                     &spool_planes_avx512};

int spool_planes_levels(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("sse4.1"))
        return 1;
    if (!__builtin_cpu_supports("avx2"))
        return 2;
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") ? 4 : 3;
}

#elif defined(__aarch64__)

static const spool_planes_kernels *const levels[] = {&spool_planes_scalar, &spool_planes_neon};

int spool_planes_levels(void)
{
    return 2;
}

#else

static const spool_planes_kernels *const levels[] = {&spool_planes_scalar};

int spool_planes_levels(void)
{
    return 1;
}

#endif

/* On Intel's processors, vectors of 64 bytes cost more than they save (docs/adr/0055-kernels-by-level.md). */
int spool_planes_best(void)
{
    const int last = spool_planes_levels() - 1;
#if defined(__x86_64__)
    if (levels[last] == &spool_planes_avx512 && __builtin_cpu_is("intel"))
        return last - 1;
#endif
    return last;
}

const spool_planes_kernels *spool_planes_kernels_at(int level)
{
    return levels[level];
}
