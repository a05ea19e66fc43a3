/*
 * Operations on an image of bytes, interleaved, without gaps between rows, with 1 or 3 channels. They work in place.
 * Float arithmetic is in single precision and without fused operations, so that every build gives the same bytes.
 */
#ifndef SPOOL_IMAGEOPS_H
#define SPOOL_IMAGEOPS_H

#include <stddef.h>
#include <stdint.h>

/* The operations, with the numbers of the Kinds in augment/step.go. */
enum {
    SPOOL_BRIGHTNESS,
    SPOOL_CONTRAST,
    SPOOL_SATURATION,
    SPOOL_HUE,
    SPOOL_GRAYSCALE,
    SPOOL_SOLARIZE,
    SPOOL_POSTERIZE,
    SPOOL_INVERT,
    SPOOL_AUTOCONTRAST,
    SPOOL_EQUALIZE,
    SPOOL_SHARPNESS,
    SPOOL_BLUR,
    SPOOL_ERASE,
    SPOOL_AFFINE,
};

#define SPOOL_MOST_TAPS 255 /* of a blur */

/* An operation. augment/step.go documents the fields. */
typedef struct {
    int32_t kind, size;
    double value;
    double matrix[6];
    int32_t box[4];
    uint8_t color[4], noise[4];
    uint64_t seed;
} spool_step;

typedef struct {
    uint8_t *pixels;
    int32_t width, height, channels;
    uint8_t *scratch; /* see spool_ops_run */
} spool_raster;

/* The kernels of an instruction set. Those of all sets are compiled from kernels.h, and give the same bytes. */
typedef struct {
    const char *name;
    uint64_t (*luma)(const spool_raster *r); /* sum of all pixels' luma, each rounded down */
    void (*histogram)(const spool_raster *r, uint32_t counts[3][256]);
    void (*lookup)(const spool_raster *r, uint8_t tables[3][256]);
    void (*saturate)(const spool_raster *r, float factor);
    void (*gray)(const spool_raster *r);
    void (*turn)(const spool_raster *r, float hue);
    void (*sharpen)(const spool_raster *r, float factor);
    void (*blur)(const spool_raster *r, const float *taps, int32_t n);
    void (*warp)(const spool_raster *r, const float across[3], const float down[3], const uint8_t *color);
} spool_ops;

extern const spool_ops spool_ops_scalar;
#if defined(__x86_64__)
extern const spool_ops spool_ops_avx2;
#endif

/* The number of sets that this machine supports, and set i of them, from the slowest to the fastest. */
int spool_ops_levels(void);
const spool_ops *spool_ops_at(int level);

/* The bytes of scratch memory that a step needs. */
size_t spool_step_scratch(const spool_step *step, int32_t width, int32_t height, int32_t channels);

/*
 * Applies n steps in order to an image. Neighboring ones that map bytes to bytes share one pass. scratch has as much as
 * the step that needs most, and is aligned to 64 bytes.
 */
void spool_ops_run(const spool_step *steps, int32_t n, uint8_t *pixels, int32_t width, int32_t height, int32_t channels,
                   uint8_t *scratch, int level);

#endif
