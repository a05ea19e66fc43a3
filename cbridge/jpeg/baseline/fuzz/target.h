/* Functions shared by the target and its mutations. */
#ifndef SPOOL_FUZZ_TARGET_H
#define SPOOL_FUZZ_TARGET_H

#include "decoder.h"
#include "rows.h"

/* The fuzzer's decoder. Its buffers are separate allocations, so that the sanitizer detects accesses beyond them. */
spool_baseline_decoder *fuzz_decoder(int level);

/* Reports whether a file is in scope, and small enough to be fast. */
int fuzz_layout(const uint8_t *data, size_t size, spool_baseline_layout *layout);

size_t fuzz_planes_bytes(const spool_baseline_layout *layout);

/* Numbers drawn from an input: a number below n, and a range [from, to) within n. */
int32_t fuzz_draw(uint64_t *knobs, int32_t n);
void fuzz_draw_range(uint64_t *knobs, int32_t n, int32_t *from, int32_t *to);

/* Ends this process; libFuzzer saves the input. */
void fuzz_differs(const char *what, int where);

/* Allocates exactly the memory that the engine's result requests. Returns 0 if it requests none. */
int fuzz_grow(spool_baseline_decoder *decoder, spool_baseline_strip *strip, int answer);

/* Compares bands of planes with those of the scalar kernels and with the planes. */
void fuzz_check_bands(const uint8_t *data, size_t size, const spool_baseline_layout *layout, int level, uint64_t knobs);

/* Checks that libjpeg-turbo reads these rows without a warning. */
void fuzz_check_clean(const uint8_t *data, size_t size, const spool_baseline_layout *layout, int first, int last);

#endif
