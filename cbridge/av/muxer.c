#include "muxer.h"

#include <string.h>

#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <libavutil/display.h>

#include "cancel.h"

static int interrupted(void *muxer)
{
    return spool_cancelled(((spool_av_muxer *)muxer)->flag);
}

/* Some muxers read the file that they have written, to move data. Other files are not opened. */
static int reopen(AVFormatContext *context, AVIOContext **pb, const char *url, int flags, AVDictionary **options)
{
    if (flags != AVIO_FLAG_READ || !context->url || strcmp(url, context->url) != 0)
        return AVERROR(EPERM);
    return avio_open2(pb, url, flags, &context->interrupt_callback, options);
}

#if LIBAVFORMAT_VERSION_MAJOR >= 61
typedef const uint8_t written;
#else
typedef uint8_t written;
#endif

static int keep(void *pending, written *data, int size)
{
    avio_write(*(AVIOContext **)pending, data, size);
    return size;
}

/* The size of FFmpeg's write buffer. */
enum { BUFFER = 32 << 10 };

static int open_stream(spool_av_muxer *muxer, AVIOContext **pb)
{
    uint8_t *buffer = av_malloc(BUFFER);
    int code = avio_open_dyn_buf((AVIOContext **)&muxer->pending);

    if (code >= 0 && buffer)
        *pb = avio_alloc_context(buffer, BUFFER, 1, &muxer->pending, NULL, keep, NULL);
    if (code >= 0 && !*pb)
        code = AVERROR(ENOMEM);
    if (code < 0)
        av_free(buffer);
    return code;
}

/* Ends writing to memory and returns the bytes. */
static int close_memory(void *memory, uint8_t **data, size_t *size)
{
    const int n = avio_close_dyn_buf(memory, data);

    *size = (size_t)n;
    return n < 0 ? n : 0;
}

int spool_av_muxer_take(spool_av_muxer *muxer, uint8_t **data, size_t *size)
{
    AVIOContext *next = NULL, *pb = ((AVFormatContext *)muxer->context)->pb;

    avio_flush(pb);
    const int code = avio_open_dyn_buf(&next);
    if (code < 0)
        return code;
    const int taken = close_memory(muxer->pending, data, size);
    muxer->pending = next;
    return taken;
}

int spool_av_container_of(const char *format, const char *file, spool_av_container *container)
{
    const AVOutputFormat *f = av_guess_format(format, format ? NULL : file, NULL);

    if (!f)
        return AVERROR_MUXER_NOT_FOUND;
    if ((f->flags & AVFMT_NOFILE) || av_match_name(f->name, "hls,dash,segment,tee,smoothstreaming"))
        return AVERROR(EPERM);
    *container = (spool_av_container){
        .name = f->name,
        .video = f->video_codec != AV_CODEC_ID_NONE ? avcodec_get_name(f->video_codec) : NULL,
        .audio = f->audio_codec != AV_CODEC_ID_NONE ? avcodec_get_name(f->audio_codec) : NULL,
        .global = (f->flags & AVFMT_GLOBALHEADER) != 0,
    };
    return 0;
}

int spool_av_muxer_open(spool_av_muxer *muxer, const char *format, const char *url, int streamed)
{
    const AVIOInterruptCB interrupt = {interrupted, muxer};
    AVFormatContext *context = NULL;
    int code = avformat_alloc_output_context2(&context, NULL, format, url);

    if (code < 0)
        return code;
    context->interrupt_callback = interrupt;
    context->io_open = reopen;
    if (url)
        code = avio_open2(&context->pb, url, AVIO_FLAG_WRITE, &interrupt, NULL);
    else if (streamed)
        code = open_stream(muxer, &context->pb);
    else
        code = avio_open_dyn_buf(&context->pb);
    muxer->context = context;
    muxer->in_memory = !url && !streamed;
    if (code < 0)
        spool_av_muxer_close(muxer);
    return code < 0 ? code : 0;
}

/* Ends writing. */
static int close_output(spool_av_muxer *muxer, uint8_t **data, size_t *size)
{
    AVFormatContext *context = muxer->context;
    AVIOContext *pb = context->pb, *pending = muxer->pending;

    muxer->pending = NULL;
    context->pb = NULL;
    if (pending) {
        if (pb) {
            avio_flush(pb);
            av_freep(&pb->buffer);
            avio_context_free(&pb);
        }
        return close_memory(pending, data, size);
    }
    if (!pb)
        return 0;
    if (muxer->in_memory)
        return close_memory(pb, data, size);
    const int code = pb->error;
    const int closed = avio_close(pb);
    return code < 0 ? code : closed;
}

void spool_av_muxer_close(spool_av_muxer *muxer)
{
    uint8_t *data = NULL;
    size_t size;

    close_output(muxer, &data, &size);
    av_free(data);
    avformat_free_context(muxer->context);
    muxer->context = NULL;
}

int spool_av_muxer_add(spool_av_muxer *muxer, const void *parameters, int base_num, int base_den, int steady)
{
    AVFormatContext *context = muxer->context;
    AVStream *s = avformat_new_stream(context, NULL);

    if (!s)
        return AVERROR(ENOMEM);
    const int code = avcodec_parameters_copy(s->codecpar, parameters);
    if (code < 0)
        return code;
    /* Clears a codec tag of another container. */
    const struct AVCodecTag *const *tags = (const struct AVCodecTag *const *)context->oformat->codec_tag;
    if (tags && av_codec_get_id(tags, s->codecpar->codec_tag) != s->codecpar->codec_id)
        s->codecpar->codec_tag = 0;
    s->time_base = (AVRational){base_num, base_den};
    if (steady)
        s->avg_frame_rate = (AVRational){base_den, base_num};
    s->sample_aspect_ratio = s->codecpar->sample_aspect_ratio;
    return s->index;
}

/* Adds side data to a stream, for the caller to fill. NULL: out of memory. FFmpeg 6.1 moved them to its parameters. */
static uint8_t *add_side_data(AVStream *to, enum AVPacketSideDataType type, size_t size)
{
#if LIBAVFORMAT_VERSION_MAJOR < 60
    return av_stream_new_side_data(to, type, size);
#else
    AVPacketSideData *d =
        av_packet_side_data_new(&to->codecpar->coded_side_data, &to->codecpar->nb_coded_side_data, type, size, 0);
    return d ? d->data : NULL;
#endif
}

int spool_av_muxer_show(spool_av_muxer *muxer, int stream, const spool_av_display *display)
{
    AVStream *to = ((AVFormatContext *)muxer->context)->streams[stream];

    to->avg_frame_rate = (AVRational){display->rate_num, display->rate_den};
    if (!display->mirrored && display->rotation == 0)
        return 0;
    int32_t *matrix = (int32_t *)add_side_data(to, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof *matrix);
    if (!matrix)
        return AVERROR(ENOMEM);
    av_display_rotation_set(matrix, -display->rotation); /* it takes clockwise degrees */
    if (display->mirrored) {                             /* before the rotation */
        matrix[3] = -matrix[3];
        matrix[4] = -matrix[4];
    }
    return 0;
}

int spool_av_muxer_like(spool_av_muxer *muxer, int stream, const void *input, int from)
{
    AVStream *to = ((AVFormatContext *)muxer->context)->streams[stream];
    const AVStream *s = ((const AVFormatContext *)input)->streams[from];

    to->disposition = s->disposition;
    to->avg_frame_rate = s->avg_frame_rate;
    to->r_frame_rate = s->r_frame_rate;
    to->sample_aspect_ratio = s->sample_aspect_ratio;
#if LIBAVFORMAT_VERSION_MAJOR < 60
    const AVPacketSideData *side = s->side_data;
    const int n = s->nb_side_data;
#else
    const AVPacketSideData *side = s->codecpar->coded_side_data;
    const int n = s->codecpar->nb_coded_side_data;
#endif
    for (int i = 0; i < n; i++) {
        uint8_t *copy = add_side_data(to, side[i].type, side[i].size);
        if (!copy)
            return AVERROR(ENOMEM);
        memcpy(copy, side[i].data, side[i].size);
    }
    return av_dict_copy(&to->metadata, s->metadata, 0);
}

int spool_av_muxer_begin(spool_av_muxer *muxer, void *options)
{
    const int code = avformat_write_header(muxer->context, options);
    muxer->begun = code >= 0;
    return code;
}

int spool_av_muxer_write(spool_av_muxer *muxer, void *packet, int stream, int base_num, int base_den)
{
    AVFormatContext *context = muxer->context;
    AVPacket *p = packet;

    if (spool_cancelled(muxer->flag))
        return AVERROR_EXIT;
    av_packet_rescale_ts(p, (AVRational){base_num, base_den}, context->streams[stream]->time_base);
    p->stream_index = stream;
    p->pos = -1;
    return av_interleaved_write_frame(context, p);
}

int spool_av_muxer_finish(spool_av_muxer *muxer, uint8_t **data, size_t *size)
{
    const int code = muxer->begun ? av_write_trailer(muxer->context) : 0;
    const int closed = close_output(muxer, data, size);
    return code < 0 ? code : closed;
}

void spool_av_muxer_free(uint8_t *data)
{
    av_free(data);
}
