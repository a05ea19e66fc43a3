/* What the target and its mutations share. */
#ifndef SPOOL_FUZZ_TARGET_H
#define SPOOL_FUZZ_TARGET_H

#include "decoder.h"

/* The fuzzer's decoder, with buffers of their own, so that the sanitizer sees when one of them is left. */
spool_baseline_decoder *fuzz_decoder(int level);

/* Whether a file is in scope, and small enough to be quick. */
int fuzz_layout(const uint8_t *data, size_t size, spool_baseline_layout *layout);

size_t fuzz_planes_bytes(const spool_baseline_layout *layout);

#endif
