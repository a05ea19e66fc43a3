#ifndef SPOOL_NVJPEG_FAILURE_H
#define SPOOL_NVJPEG_FAILURE_H

#include "bridge.h"

/* Gives the code back, with *f filled where it is no success. */
nvjpegStatus_t spool_nvjpeg_fail(const char *call, nvjpegStatus_t code, spool_nvjpeg_failure *f);

#endif
