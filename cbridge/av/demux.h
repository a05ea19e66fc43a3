#ifndef SPOOL_AV_DEMUX_H
#define SPOOL_AV_DEMUX_H

#include <stdint.h>

/*
 * What go-astiav v0.16 has no way to do: open an input under our cancellation flag and our rules, and
 * read the fields it does not show. Contexts go through Go as void *, because the types that cgo makes
 * of FFmpeg's structs differ from package to package.
 */

/* Fields of an open input's stream. */
typedef struct {
    int32_t bits;    /* of a sample or of a pixel's component; 0 when the codec has no such number */
    int32_t picture; /* 1: an attached picture, a cover */
    char layout[64]; /* of the channels; empty when the stream has none */
} spool_av_details;

/* How opening ended. */
typedef struct {
    int32_t score;   /* FFmpeg's certainty about the format, 0..100 */
    char format[64]; /* its names for the format; empty when it knows none */
} spool_av_guess;

/*
 * Opens the local file (a URL of the file protocol) and reads its header. The format is found by content only. On
 * success *input is an AVFormatContext, to be given to spool_av_close; else it is NULL and the result an AVERROR.
 * Reading stops when the flag is set, also later through the input; the flag must outlive it.
 */
int spool_av_open(const char *url, const int32_t *cancel, void **input, spool_av_guess *guess);

void spool_av_close(void *input);

/* The best stream of a media type, in the company of stream beside (-1: of none); negative when there is none. */
int spool_av_best(void *input, int type, int beside);

void spool_av_describe(void *input, int stream, spool_av_details *details);

#endif
