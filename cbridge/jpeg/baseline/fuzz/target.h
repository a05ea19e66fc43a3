/* What the target and its mutations share. */
#ifndef SPOOL_FUZZ_TARGET_H
#define SPOOL_FUZZ_TARGET_H

#include "decoder.h"
#include "rows.h"

/* The fuzzer's decoder, with buffers of their own, so that the sanitizer sees when one of them is left. */
spool_baseline_decoder *fuzz_decoder(int level);

/* Whether a file is in scope, and small enough to be quick. */
int fuzz_layout(const uint8_t *data, size_t size, spool_baseline_layout *layout);

size_t fuzz_planes_bytes(const spool_baseline_layout *layout);

/* Numbers drawn from an input: one below n, and a range [from, to) within n. */
int32_t fuzz_draw(uint64_t *knobs, int32_t n);
void fuzz_draw_range(uint64_t *knobs, int32_t n, int32_t *from, int32_t *to);

/* The end of this process: libFuzzer keeps the input. */
void fuzz_differs(const char *what, int where);

/* Gives the memory that the engine's answer asks for, as large as it has to be. Returns 0 where it asks for none. */
int fuzz_grow(spool_baseline_decoder *decoder, spool_baseline_strip *strip, int answer);

/* Holds bands of planes to those of the scalar kernels and to the planes. */
void fuzz_check_bands(const uint8_t *data, size_t size, const spool_baseline_layout *layout, int level, uint64_t knobs);

/* libjpeg-turbo reads these rows without a warning. */
void fuzz_check_clean(const uint8_t *data, size_t size, const spool_baseline_layout *layout, int first, int last);

#endif
