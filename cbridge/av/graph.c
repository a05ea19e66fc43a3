#include "graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/avstring.h>
#include <libavutil/imgutils.h>
#include <libavutil/mem.h>
#include <libavutil/samplefmt.h>

#include "audio.h"

/* Maximum inputs or outputs of a graph, more than any real graph has. */
enum { ENDS = 64 };

struct spool_av_graph {
    AVFilterGraph *graph;
    AVFilterContext *sources[ENDS], *sinks[ENDS];
    char labels[ENDS][64]; /* of the sinks */
    int ended[ENDS];       /* of the sources */
    int32_t inputs, outputs;
};

/* Creates a filter of the graph with arguments, or returns the error. */
static int make(spool_av_graph *g, const char *filter, const char *args, AVFilterContext **made)
{
    const AVFilter *f = avfilter_get_by_name(filter);

    if (!f)
        return AVERROR_FILTER_NOT_FOUND;
    *made = avfilter_graph_alloc_filter(g->graph, f, NULL);
    return *made ? avfilter_init_str(*made, args) : AVERROR(ENOMEM);
}

static int is_video(const AVFrame *f)
{
    return f->width > 0;
}

static int make_source(spool_av_graph *g, const spool_av_graph_input *in)
{
    const AVFrame *f = in->frame;
    AVBufferSrcParameters *p = av_buffersrc_parameters_alloc();
    AVFilterContext *source;

    if (!p)
        return AVERROR(ENOMEM);
    source = avfilter_graph_alloc_filter(g->graph, avfilter_get_by_name(is_video(f) ? "buffer" : "abuffer"), NULL);
    p->format = f->format;
    p->time_base = (AVRational){in->base_num, in->base_den};
    if (is_video(f)) {
        p->width = f->width;
        p->height = f->height;
        p->sample_aspect_ratio = f->sample_aspect_ratio;
        p->frame_rate = (AVRational){in->rate_num, in->rate_den ? in->rate_den : 1};
        p->hw_frames_ctx = f->hw_frames_ctx;
#if LIBAVFILTER_VERSION_MAJOR >= 10
        p->color_space = f->colorspace;
        p->color_range = f->color_range;
#endif
    } else {
        p->sample_rate = f->sample_rate;
        if (f->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC)
            p->ch_layout = spool_av_usual_layout(f->ch_layout.nb_channels);
        else
            av_channel_layout_copy(&p->ch_layout, &f->ch_layout);
    }
    int code = source ? av_buffersrc_parameters_set(source, p) : AVERROR(ENOMEM);
    av_channel_layout_uninit(&p->ch_layout);
    av_free(p);
    if (code >= 0)
        code = avfilter_init_str(source, NULL);
    g->sources[g->inputs] = source;
    return code;
}

/* Returns the input of an unconnected pad. A pad or input without a label must be the only one. */
static int find_input(const spool_av_graph_input *inputs, int32_t n, const AVFilterInOut *end)
{
    for (int32_t i = 0; i < n; i++)
        if (end->name ? !strcmp(inputs[i].label, end->name) || (n == 1 && !*inputs[i].label) : n == 1)
            return i;
    return -1;
}

static const char *name_of(const AVFilterInOut *end)
{
    return end->name ? end->name : "without a label";
}

/* Connects the inputs to the graph's unconnected input pads. */
static int link_inputs(spool_av_graph *g, const spool_av_graph_input *inputs, const AVFilterInOut *ends,
                       char *complaint, size_t room)
{
    AVFilterContext *last[ENDS] = {0};

    for (; ends; ends = ends->next) {
        const int i = find_input(inputs, g->inputs, ends);
        if (i < 0 || last[i]) {
            snprintf(complaint, room, "%s for the end %s", i < 0 ? "no input" : "an input in use", name_of(ends));
            return AVERROR(EINVAL);
        }
        last[i] = g->sources[i];
        if (inputs[i].trim) {
            int code = make(g, "atrim", inputs[i].trim, &last[i]);
            if (code >= 0)
                code = avfilter_link(g->sources[i], 0, last[i], 0);
            if (code < 0)
                return code;
        }
        const int video = is_video(inputs[i].frame);
        if ((avfilter_pad_get_type(ends->filter_ctx->input_pads, ends->pad_idx) == AVMEDIA_TYPE_VIDEO) != video) {
            snprintf(complaint, room, "%s where the end %s needs %s", video ? "video" : "audio", name_of(ends),
                     video ? "audio" : "video");
            return AVERROR(EINVAL);
        }
        const int code = avfilter_link(last[i], 0, ends->filter_ctx, (unsigned)ends->pad_idx);
        if (code < 0)
            return code;
    }
    for (int32_t i = 0; i < g->inputs; i++)
        if (!last[i]) {
            snprintf(complaint, room, "no end for the input \"%s\"", inputs[i].label);
            return AVERROR(EINVAL);
        }
    return 0;
}

/* Connects the graph's unconnected output pads to sinks with the requested formats. */
static int link_outputs(spool_av_graph *g, const AVFilterInOut *ends, const char *pixels, const char *samples)
{
    for (; ends; ends = ends->next) {
        const int video = avfilter_pad_get_type(ends->filter_ctx->output_pads, ends->pad_idx) == AVMEDIA_TYPE_VIDEO;
        AVFilterContext *format = NULL, *sink = NULL;
        if (g->outputs == ENDS)
            return AVERROR(ENOSYS);
        int code = make(g, video ? "format" : "aformat", video ? pixels : samples, &format);
        if (code >= 0)
            code = make(g, video ? "buffersink" : "abuffersink", NULL, &sink);
        if (code >= 0)
            code = avfilter_link(ends->filter_ctx, (unsigned)ends->pad_idx, format, 0);
        if (code >= 0)
            code = avfilter_link(format, 0, sink, 0);
        if (code < 0)
            return code;
        av_strlcpy(g->labels[g->outputs], ends->name ? ends->name : "", sizeof g->labels[0]);
        g->sinks[g->outputs++] = sink;
    }
    return 0;
}

static int build(spool_av_graph *g, const char *description, const spool_av_graph_input *inputs, int32_t n,
                 const char *pixels, const char *samples, char *complaint, size_t room)
{
    AVFilterInOut *in = NULL, *out = NULL;
    int code = 0;

    for (; g->inputs < n && code >= 0; g->inputs++)
        code = make_source(g, &inputs[g->inputs]);
    if (code >= 0)
        code = avfilter_graph_parse2(g->graph, description, &in, &out);
    if (code >= 0)
        code = link_inputs(g, inputs, in, complaint, room);
    if (code >= 0)
        code = link_outputs(g, out, pixels, samples);
    avfilter_inout_free(&in);
    avfilter_inout_free(&out);
    return code < 0 ? code : avfilter_graph_config(g->graph, NULL);
}

int spool_av_graph_open(const char *description, const spool_av_graph_input *inputs, int32_t n, const char *pixels,
                        const char *samples, char *complaint, size_t room, spool_av_graph **opened)
{
    spool_av_graph *g;

    *opened = NULL;
    *complaint = '\0';
    if (n > ENDS)
        return AVERROR(ENOSYS);
    g = calloc(1, sizeof *g);
    if (!g)
        return AVERROR(ENOMEM);
    g->graph = avfilter_graph_alloc();
    int code = AVERROR(ENOMEM);
    if (g->graph) {
        g->graph->nb_threads = 1;
        code = build(g, description, inputs, n, pixels, samples, complaint, room);
    }
    if (code < 0) {
        spool_av_graph_close(g);
        return code;
    }
    *opened = g;
    return 0;
}

void spool_av_graph_close(spool_av_graph *g)
{
    avfilter_graph_free(&g->graph);
    free(g);
}

int32_t spool_av_graph_outputs(const spool_av_graph *g)
{
    return g->outputs;
}

void spool_av_graph_output_of(const spool_av_graph *g, int32_t i, spool_av_graph_output *output)
{
    const AVRational base = av_buffersink_get_time_base(g->sinks[i]);

    av_strlcpy(output->label, g->labels[i], sizeof output->label);
    output->video = av_buffersink_get_type(g->sinks[i]) == AVMEDIA_TYPE_VIDEO;
    output->width = output->video ? av_buffersink_get_w(g->sinks[i]) : 0;
    output->height = output->video ? av_buffersink_get_h(g->sinks[i]) : 0;
    output->base_num = base.num;
    output->base_den = base.den;
}

int spool_av_graph_push(spool_av_graph *g, int32_t input, void *frame, int64_t pts)
{
    AVFrame *f = frame;

    if (!f) {
        g->ended[input] = 1;
    } else {
        f->pts = pts;
        if (f->ch_layout.nb_channels > 0 && f->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC)
            f->ch_layout = spool_av_usual_layout(f->ch_layout.nb_channels);
    }
    return av_buffersrc_add_frame_flags(g->sources[input], f, AV_BUFFERSRC_FLAG_KEEP_REF);
}

/* Returns the input with the most failed requests for a frame. */
static int32_t wanted(const spool_av_graph *g)
{
    int32_t best = -1;
    unsigned most = 0;

    for (int32_t i = 0; i < g->inputs; i++) {
        const unsigned failed = av_buffersrc_get_nb_failed_requests(g->sources[i]);
        if (!g->ended[i] && (best < 0 || failed > most)) {
            best = i;
            most = failed;
        }
    }
    return best;
}

/* Returns a frame that is ready. */
static int ready(spool_av_graph *g, AVFrame *frame, int32_t *which)
{
    for (int32_t i = 0; i < g->outputs; i++) {
        const int code = av_buffersink_get_frame_flags(g->sinks[i], frame, AV_BUFFERSINK_FLAG_NO_REQUEST);
        *which = i;
        if (code >= 0)
            return SPOOL_AV_GRAPH_FRAME;
        if (code != AVERROR(EAGAIN) && code != AVERROR_EOF)
            return code;
    }
    return 0;
}

int spool_av_graph_pull(spool_av_graph *g, void *frame, int32_t *which)
{
    av_frame_unref(frame);
    for (;;) {
        int code = ready(g, frame, which);
        if (code != 0)
            return code;
        code = avfilter_graph_request_oldest(g->graph);
        if (code == AVERROR_EOF) {
            code = ready(g, frame, which);
            return code != 0 ? code : SPOOL_AV_GRAPH_END;
        }
        if (code == AVERROR(EAGAIN)) {
            *which = wanted(g);
            return *which < 0 ? SPOOL_AV_GRAPH_END : SPOOL_AV_GRAPH_WANTS;
        }
        if (code < 0)
            return code;
    }
}

int64_t spool_av_graph_bytes(const void *frame)
{
    const AVFrame *f = frame;

    if (is_video(f))
        return av_image_get_buffer_size(f->format, f->width, f->height, 1);
    return (int64_t)f->nb_samples * f->ch_layout.nb_channels * av_get_bytes_per_sample(f->format);
}

int spool_av_graph_copy(const void *frame, uint8_t *to, size_t bytes)
{
    const AVFrame *f = frame;

    if (is_video(f))
        return av_image_copy_to_buffer(to, (int)bytes, (const uint8_t *const *)f->data, f->linesize, f->format,
                                       f->width, f->height, 1);
    const int planes = av_sample_fmt_is_planar(f->format) ? f->ch_layout.nb_channels : 1;
    const size_t plane = bytes / (size_t)planes;
    for (int i = 0; i < planes; i++)
        memcpy(to + (size_t)i * plane, f->extended_data[i], plane);
    return 0;
}
