/* Filter graphs: frames to frames. graph.c */
#ifndef SPOOL_AV_GRAPH_H
#define SPOOL_AV_GRAPH_H

#include <stddef.h>
#include <stdint.h>

typedef struct spool_av_graph spool_av_graph;

/* An input: where frames like this one come in. */
typedef struct {
    const char *label; /* in the description; "" fits the only open end */
    const void *frame;
    int32_t base_num, base_den; /* of the frames' times */
    int32_t rate_num, rate_den; /* of video; 0 when unknown */
    const char *trim;           /* of audio: arguments of atrim; NULL: nothing is cut off */
} spool_av_graph_input;

/* An output. Times are in its base. */
typedef struct {
    char label[64];
    int32_t video, base_num, base_den;
} spool_av_graph_output;

/* What spool_av_graph_pull wants or has. */
enum {
    SPOOL_AV_GRAPH_END = 0,
    SPOOL_AV_GRAPH_FRAME = 1, /* a frame of output *which */
    SPOOL_AV_GRAPH_WANTS = 2, /* a frame, or the end, of input *which */
};

/*
 * Opens the graph of a description in FFmpeg's language, of which all open ends are inputs or outputs. Outputs give
 * pixels and samples in these formats. A description that does not fit the inputs leaves a word about it in complaint.
 */
int spool_av_graph_open(const char *description, const spool_av_graph_input *inputs, int32_t n, const char *pixels,
                        const char *samples, char *complaint, size_t room, spool_av_graph **graph);
void spool_av_graph_close(spool_av_graph *graph);

int32_t spool_av_graph_outputs(const spool_av_graph *graph);
void spool_av_graph_output_of(const spool_av_graph *graph, int32_t i, spool_av_graph_output *output);

/* Gives an input a frame, which stays the caller's, with a time; NULL: the end. */
int spool_av_graph_push(spool_av_graph *graph, int32_t input, void *frame, int64_t pts);
int spool_av_graph_pull(spool_av_graph *graph, void *frame, int32_t *which);

/* Pixels or samples of a frame without gaps, planes one after the other: how many bytes, and a copy. Negative: none
 * that can be copied. */
int64_t spool_av_graph_bytes(const void *frame);
int spool_av_graph_copy(const void *frame, uint8_t *to, size_t bytes);

#endif
