/*
 * The parameters of the kernels. The driver copies the parameters of a launch as one block of memory, whose layout is
 * the same for nvcc and C compilers.
 */
#ifndef SPOOL_KERNELS_PARAMS_H
#define SPOOL_KERNELS_PARAMS_H

enum {
    SPOOL_THREADS = 256, /* of a block */
    SPOOL_UNIT = 16,     /* bytes that a thread stores at once, of one channel or of whole pixels */
    SPOOL_PIXELS = 4,    /* of a thread where units are not possible: all are loaded before the first is converted */
    SPOOL_FLIPS = 4096,  /* samples per launch: two bits each are a quarter of every driver's limit for parameters */

    SPOOL_FLOAT32 = 0,
    SPOOL_FLOAT16 = 1,
    SPOOL_BFLOAT16 = 2,
    SPOOL_UINT8 = 3,

    SPOOL_FLIP_COLUMNS = 1,
    SPOOL_FLIP_ROWS = 2,
};

/* The conversion of a byte: (x / 255 - mean) / std in float32 arithmetic, rounded to the type. */
typedef struct {
    unsigned int exact; /* multiplying by the inverses gives the same results as dividing (scaled.h), for all bytes */
    float mean[4], std[4], inverse[4];
} spool_scale;

/* Images of bytes, interleaved, one after another. */
typedef struct {
    unsigned int width, height;
    unsigned int wide; /* process whole units: scale, alignment and size allow it, with flips also the width */
    spool_scale scale;
    unsigned int flips[SPOOL_FLIPS / 16];
} spool_normalize;

/* Frames of video. Pitches and distances of frames are in bytes, other sizes in samples. */
typedef struct {
    unsigned long long luma_pitch, chroma_pitch, luma_frame, chroma_frame;
    unsigned int width, height;
    unsigned int chroma_x, chroma_y; /* shifts */
    unsigned int step;               /* distance of chroma samples in a row */
    unsigned int shift;              /* left shift of words */
    unsigned int wide;               /* process whole units: scale, width, pitches and alignment allow it */
    int luma, bias, red_v, green_u, green_v, blue_u;
    spool_scale scale;
} spool_frames;

/*
 * A pass of a resize. Lines of `in` places become lines of `out` places, each of `inner` bytes. For a pass along rows, a line
 * is a row and a place a pixel; for one along columns, there is one line, and a place is a row. Taps of an output place are
 * its first place of the input, their number, and `stride` weights, of which the others are zero.
 */
typedef struct {
    unsigned int lines, in, out, inner;
    unsigned int line_pitch, tap_pitch; /* bytes from one line of the input to the next, and from one place to the next */
    unsigned int stride, precision;
} spool_resize;

/* The parameter block of each kernel. */
typedef struct {
    unsigned long long in, out;
    spool_normalize p;
} spool_normalize_launch;

typedef struct {
    unsigned long long y, u, v, out;
    spool_frames p;
} spool_frames_launch;

typedef struct {
    unsigned long long in, taps, out;
    spool_resize p;
} spool_resize_launch;

typedef struct {
    unsigned long long in, out, nanoseconds;
} spool_spin_launch;

#endif
