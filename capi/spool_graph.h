/* Filter graphs over video and audio. Programs include spool.h. */
#ifndef SPOOL_GRAPH_H
#define SPOOL_GRAPH_H

#include "spool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- graph ---- */

/* An open graph of FFmpeg's filters. Concurrent calls with it wait for each other. */
typedef struct spool_graph spool_graph;

typedef struct spool_graph_input {
    spool_source source; /* bytes in memory must stay valid until spool_graph_close */
    /*
     * May be NULL. Keys: label, in the description, which a single input does not need; medium, video (the default) or
     * audio; stream, its index in the file, by default the best one; start and end, a window in seconds of the
     * container's time, of frames that begin in it, or of samples; threads of the decoder (1).
     */
    const char *options;
} spool_graph_input;

/*
 * Opens inputs, decodes a frame of each, and builds a graph. The description is in FFmpeg's language, as for its option
 * -filter_complex: "[a][b]vstack[out]". Its unconnected pads are the inputs and outputs, by their labels. Keys
 * of the options, which may be NULL:
 *   - color rgb|bgr|gray|rgba (rgb), of frames; dtype float32|s16|s32 and layout ct|tc, of samples.
 *   - files, true to let filters open files, libraries, fonts and sockets (false).
 *   - skip_damage, true to drop the output of damaged packets, which is an error otherwise.
 *   - The limits max_pixels max_bytes max_frames max_memory max_cpu, and the keys for stores, see spool_source.
 * Cancel may be NULL. Errors: SPOOL_OPTIONS, also for a description that FFmpeg does not accept or that does not match
 * the inputs; those of spool_video_open and spool_audio_open; SPOOL_CANCELED.
 */
int32_t spool_graph_open(const char *description, const spool_graph_input *inputs, size_t n, const char *options,
                         spool_cancel *cancel, spool_graph **graph, spool_error *error);

/* Describes a graph, as a JSON object: outputs, their labels, in FFmpeg's order. */
int32_t spool_graph_info(spool_graph *graph, spool_array **json, spool_error *error);

/* A frame, or samples, from a graph. The caller releases the array. */
typedef struct spool_graph_output {
    spool_array *data; /* [h w c] of uint8, or [channels n], or with "layout": "tc" [n channels] */
    double pts;        /* in seconds; NaN if unknown */
    int32_t output;    /* the number of the output, in the order of spool_graph_info */
    int32_t video;     /* 1 for a frame, 0 for samples */
    int32_t rate;      /* samples a second */
    int32_t reserved;
} spool_graph_output;

/*
 * Returns the next frame, or the next samples, of any output. SPOOL_END: there are no more. Cancel may be NULL. Errors:
 * those of decoding; SPOOL_TOO_LARGE for frames beyond the limits; SPOOL_CANCELED.
 */
int32_t spool_graph_next(spool_graph *graph, spool_cancel *cancel, spool_graph_output *output, spool_error *error);

void spool_graph_close(spool_graph *graph);

#ifdef __cplusplus
}
#endif

#endif
