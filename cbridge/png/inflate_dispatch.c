/* The implementations of this build, and those that this machine supports. */
#include "inflate.h"

int spool_inflate_levels(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("bmi2") ? 2 : 1;
#else
    return 1;
#endif
}

spool_inflate_codes *spool_inflate_codes_at(int level)
{
#if defined(__x86_64__)
    if (level > 0)
        return spool_inflate_codes_bmi2;
#else
    (void)level;
#endif
    return spool_inflate_codes_plain;
}
