/*
 * What the kernels are told, as the driver hands it over: a launch's parameters are one block of memory, whose layout
 * nvcc and C compilers agree on.
 */
#ifndef SPOOL_KERNELS_PARAMS_H
#define SPOOL_KERNELS_PARAMS_H

enum {
    SPOOL_THREADS = 256, /* of a block */
    SPOOL_UNIT = 16,     /* bytes that a thread stores at once, of one channel or of whole pixels */
    SPOOL_FLIPS = 4096,  /* samples to a launch: two bits each are a quarter of what parameters may take everywhere */

    SPOOL_FLOAT32 = 0,
    SPOOL_FLOAT16 = 1,
    SPOOL_BFLOAT16 = 2,

    SPOOL_FLIP_COLUMNS = 1,
    SPOOL_FLIP_ROWS = 2,
};

/* What becomes of a byte: (x / 255 - mean) / std, in float32 arithmetic, and rounded to the type. */
typedef struct {
    unsigned int type;
    float mean[4], std[4];
} spool_scale;

/* Pictures of bytes, interleaved, one behind the other. */
typedef struct {
    unsigned int width, height;
    unsigned int wide; /* whole units: rows of units where something is flipped, and all is aligned */
    spool_scale scale;
    unsigned int flips[SPOOL_FLIPS / 16];
} spool_normalize;

/* Frames of video. Pitches and the distance of frames are in bytes, the others in samples. */
typedef struct {
    unsigned long long luma_pitch, chroma_pitch, luma_frame, chroma_frame;
    unsigned int frames, width, height;
    unsigned int chroma_x, chroma_y; /* shifts */
    unsigned int step;               /* of a sample of chroma to the next in its row */
    unsigned int shift;              /* of words, to the left */
    unsigned int wide;               /* rows of whole units, and the output is aligned */
    int luma, bias, red_v, green_u, green_v, blue_u;
    spool_scale scale;
} spool_frames;

/* The block of parameters of each kernel. */
typedef struct {
    unsigned long long in, out;
    spool_normalize p;
} spool_normalize_launch;

typedef struct {
    unsigned long long y, u, v, out;
    spool_frames p;
} spool_frames_launch;

typedef struct {
    unsigned long long in, out, nanoseconds;
} spool_spin_launch;

#endif
