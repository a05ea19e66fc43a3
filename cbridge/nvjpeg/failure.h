#ifndef SPOOL_NVJPEG_FAILURE_H
#define SPOOL_NVJPEG_FAILURE_H

#include "bridge.h"

/* Returns the code, and fills *f if it is not a success. */
nvjpegStatus_t spool_nvjpeg_fail(const char *call, nvjpegStatus_t code, spool_nvjpeg_failure *f);

#endif
