/* Filter graphs: frames to frames. graph.c */
#ifndef SPOOL_AV_GRAPH_H
#define SPOOL_AV_GRAPH_H

#include <stddef.h>
#include <stdint.h>

typedef struct spool_av_graph spool_av_graph;

/* An input, with an example of its frames. */
typedef struct {
    const char *label; /* in the description; "" for the only input */
    const void *frame;
    int32_t base_num, base_den; /* time base of the frames */
    int32_t rate_num, rate_den; /* of video; 0 if unknown */
    const char *trim;           /* of audio: arguments of atrim; NULL: nothing is cut off */
} spool_av_graph_input;

/* An output. base is the time base of its frames; width and height are 0 for audio. */
typedef struct {
    char label[64];
    int32_t video, width, height, base_num, base_den;
} spool_av_graph_output;

/* Results of spool_av_graph_pull. */
enum {
    SPOOL_AV_GRAPH_END = 0,
    SPOOL_AV_GRAPH_FRAME = 1, /* a frame of output *which */
    SPOOL_AV_GRAPH_WANTS = 2, /* input *which needs a frame, or its end */
};

/*
 * Creates a graph from a description in FFmpeg's language. All its unconnected pads are inputs or outputs. The outputs
 * have the given pixel and sample formats. If the description does not match the inputs, complaint has a message.
 */
int spool_av_graph_open(const char *description, const spool_av_graph_input *inputs, int32_t n, const char *pixels,
                        const char *samples, char *complaint, size_t room, spool_av_graph **graph);

/*
 * Returns AVERROR(EPERM) and a complaint if a filter of a description would open a file, a library or a socket, and
 * another error for what FFmpeg cannot parse. It creates no filter. graphfiles.c
 */
int spool_av_graph_opens(const char *description, char *complaint, size_t room);
void spool_av_graph_close(spool_av_graph *graph);

int32_t spool_av_graph_outputs(const spool_av_graph *graph);
void spool_av_graph_output_of(const spool_av_graph *graph, int32_t i, spool_av_graph_output *output);

/* Passes a frame with a time to an input. The frame stays the caller's. NULL ends the input. */
int spool_av_graph_push(spool_av_graph *graph, int32_t input, void *frame, int64_t pts);
int spool_av_graph_pull(spool_av_graph *graph, void *frame, int32_t *which);

/*
 * The size in bytes of a frame's pixels or samples without gaps, planes one after another, and a copy of them. Negative
 * if they cannot be copied.
 */
int64_t spool_av_graph_bytes(const void *frame);
int spool_av_graph_copy(const void *frame, uint8_t *to, size_t bytes);

#endif
