/* Which kernels this build has, and which of them this machine runs. */
#include "kernels.h"

static const spool_resample_kernels *const levels[] = {&spool_resample_scalar};

int spool_resample_levels(void)
{
    return 1;
}

const spool_resample_kernels *spool_resample_kernels_at(int level)
{
    return levels[level];
}
