#ifndef SPOOL_CUDA_FAILURE_H
#define SPOOL_CUDA_FAILURE_H

#include "bridge.h"

/* Gives the code back, with *f filled where it is no success. */
CUresult spool_cuda_fail(const spool_cuda *d, const char *call, CUresult code, spool_cuda_failure *f);

#endif
