#ifndef SPOOL_CUDA_FAILURE_H
#define SPOOL_CUDA_FAILURE_H

#include "bridge.h"

/* Returns the code, and fills *f if it is an error. */
CUresult spool_cuda_fail(const spool_cuda *d, const char *call, CUresult code, spool_cuda_failure *f);

#endif
