/* Blocks of decoded audio: block.c. Contexts and errors are as in av.h. */
#ifndef SPOOL_AV_BLOCK_H
#define SPOOL_AV_BLOCK_H

#include "av.h"

/* What ended a block. */
enum {
    SPOOL_AV_BLOCK_FULL = 0,   /* it has the samples that were asked for, or little room */
    SPOOL_AV_BLOCK_FRAME = 1,  /* a frame that is not appended: of another format, damaged, or too long */
    SPOOL_AV_BLOCK_READ = 2,   /* reading failed, or found the end */
    SPOOL_AV_BLOCK_DECODE = 3, /* the decoder reported an error */
    SPOOL_AV_BLOCK_END = 4,    /* the decoder has no more frames */
};

/* Samples of several frames: a plane for each channel, or one of interleaved channels. */
typedef struct {
    uint8_t *memory;
    int64_t bytes;  /* of the memory */
    int64_t room;   /* samples of a plane that fit; plane i begins at i * room * step */
    int64_t wanted; /* samples after which to stop */
    int64_t samples;
    int32_t format, channels, rate; /* of all frames */
    int32_t planes, step;           /* step: bytes of a plane's sample, which has all channels if there is one plane */
    int32_t code;                   /* of an error */
} spool_av_block;

/*
 * Reads packets of a stream, decodes them, and puts the samples of the frames into a block. The caller sets memory,
 * bytes, wanted, format, channels and rate. Returns what ended the block. After SPOOL_AV_BLOCK_FRAME, frame is the one
 * that is not in the block.
 */
int spool_av_block_fill(spool_av_block *block, spool_av_input *input, int stream, void *decoder, void *packet,
                        void *frame);

#endif
