#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <libavutil/display.h>
#include <libavutil/pixdesc.h>
#include <libavutil/samplefmt.h>

#include "av.h"
#include "reader.h"
#include "tables.h"

static int interrupted(void *input)
{
    return spool_cancelled(((spool_av_input *)input)->flag);
}

/*
 * An input is one file. Demuxers that do not read it but open files, servers and devices themselves are rejected
 * (AVFMT_NOFILE), and so are formats that only name other files or servers, and scripts. FFmpeg has no flag for these.
 */
static int opens_others(const AVInputFormat *format)
{
    return (format->flags & AVFMT_NOFILE) ||
           av_match_name(format->name, "hls,dash,concat,imf,sdp,avisynth,vapoursynth");
}

/* FFmpeg 5.1 loses the memory of this format's metadata if the header is bad: a file may claim gigabytes of it. */
static int leaks(const AVInputFormat *format)
{
    return av_match_name(format->name, "vqf");
}

/* Other files that a container names are not opened. */
static int refuse(AVFormatContext *input, AVIOContext **pb, const char *url, int flags, AVDictionary **options)
{
    (void)input, (void)pb, (void)url, (void)flags, (void)options;
    return AVERROR(EPERM);
}

/* Finds the format by its name, or by content if name is NULL. */
static int find_format(AVIOContext *pb, const char *name, const AVInputFormat **format, spool_av_guess *guess)
{
    int code = AVPROBE_SCORE_MAX;

    if (name) {
        *format = av_find_input_format(name);
        if (!*format)
            return AVERROR_DEMUXER_NOT_FOUND;
    } else {
        code = av_probe_input_buffer2(pb, format, "", NULL, 0, 0);
    }
    if (!*format)
        return code;
    guess->score = code;
    av_strlcpy(guess->format, (*format)->name, sizeof guess->format);
    return opens_others(*format) || leaks(*format) ? AVERROR(EPERM) : code;
}

/*
 * Checks the demuxer's index, for compressed tables and for other containers than MP4, which are not checked before.
 * Returns the number of entries if the file cannot hold as many, else 0.
 */
static int64_t overindexed(const AVFormatContext *context)
{
    const int64_t size = avio_size(context->pb);
    int64_t entries = 0;

    for (unsigned i = 0; i < context->nb_streams; i++)
        entries += avformat_index_get_entries_count(context->streams[i]);
    return size > 0 && entries > size ? entries : 0;
}

int spool_av_open(spool_av_input *input, const char *name, void *options, spool_av_guess *guess)
{
    const AVIOInterruptCB interrupt = {interrupted, input};
    const AVInputFormat *format = NULL;
    AVFormatContext *context = NULL;
    AVIOContext *pb = NULL;
    int code;

    code = spool_av_reader(input, &pb);
    if (code < 0)
        return code;
    code = find_format(pb, name, &format, guess);
    if (code >= 0 && av_match_name("mov", format->name) && (guess->claimed = spool_av_overclaims(pb)) > 0)
        code = AVERROR_INVALIDDATA;
    if (code >= 0 && !(context = avformat_alloc_context()))
        code = AVERROR(ENOMEM);
    if (code >= 0) /* some demuxers do not ask io_open: those of RTP, and VobSub's for the file of the pictures */
        code = av_dict_set(options, "protocol_whitelist", "none", 0);
    if (code >= 0) {
        context->pb = pb;
        context->interrupt_callback = interrupt;
        context->io_open = refuse;
        code = avformat_open_input(&context, "", format, options); /* on failure frees the context, but not pb */
    }
    if (code >= 0 && (guess->claimed = overindexed(context)) > 0)
        code = AVERROR_INVALIDDATA;
    input->context = context;
    input->pb = pb;
    if (code < 0) {
        spool_av_close(input);
        return code;
    }
    return 0;
}

const char *spool_av_demuxer(void **at)
{
    const AVInputFormat *format = av_demuxer_iterate(at);
    return format ? format->name : NULL;
}

void spool_av_close(spool_av_input *input)
{
    AVFormatContext *context = input->context;
    AVIOContext *pb = input->pb;

    avformat_close_input(&context);
    spool_av_reader_close(&pb);
    input->context = input->pb = NULL;
    spool_av_forget_runs(&input->runs);
}

void spool_av_tables(spool_av_input *input)
{
    ((AVFormatContext *)input->context)->flags |= AVFMT_FLAG_NOPARSE;
    input->zeros = 1;
}

int spool_av_find_streams(void *opened, int64_t max_pixels)
{
    AVFormatContext *context = opened;
    const unsigned n = context->nb_streams; /* FFmpeg may add streams meanwhile */
    AVDictionary **options = av_calloc(n + 1, sizeof *options);
    int code = options ? 0 : AVERROR(ENOMEM);

    for (unsigned i = 0; i < n && code >= 0; i++)
        code = av_dict_set_int(&options[i], "max_pixels", max_pixels, 0);
    if (code >= 0)
        code = avformat_find_stream_info(context, options);
    for (unsigned i = 0; options && i < n; i++)
        av_dict_free(&options[i]);
    av_free(options);
    return code;
}

int spool_av_best(void *context, int type, int beside)
{
    return av_find_best_stream(context, type, -1, beside, NULL, 0);
}

/* Returns the stream's display matrix of nine int32, or NULL. FFmpeg 6.1 moved it from the stream to its parameters. */
static const int32_t *display_matrix(const AVStream *s)
{
    enum { BYTES = 9 * sizeof(int32_t) };
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
    const AVPacketSideData *data = av_packet_side_data_get(s->codecpar->coded_side_data,
                                                           s->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return data && data->size >= BYTES ? (const int32_t *)data->data : NULL;
#else
    size_t size;
    const uint8_t *data = av_stream_get_side_data(s, AV_PKT_DATA_DISPLAYMATRIX, &size);
    return data && size >= BYTES ? (const int32_t *)data : NULL;
#endif
}

void spool_av_describe(void *context, int stream, spool_av_details *details)
{
    const AVStream *s = ((AVFormatContext *)context)->streams[stream];
    const AVCodecParameters *p = s->codecpar;

    details->attached = (s->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
    details->is_default = (s->disposition & AV_DISPOSITION_DEFAULT) != 0;
    if (p->codec_type == AVMEDIA_TYPE_VIDEO) {
        const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(p->format);
        details->bits = pixels ? pixels->comp[0].depth : 0;
        const int32_t *matrix = display_matrix(s);
        details->rotation = matrix ? av_display_rotation_get(matrix) : 0;
        details->mirrored =
            matrix && (int64_t)matrix[0] * matrix[4] < (int64_t)matrix[1] * matrix[3]; /* the determinant is negative */
    }
    if (p->codec_type == AVMEDIA_TYPE_AUDIO) {
        details->channels = p->ch_layout.nb_channels;
        details->bits = p->bits_per_raw_sample ? p->bits_per_raw_sample : av_get_bits_per_sample(p->codec_id);
        if (p->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC ||
            av_channel_layout_describe(&p->ch_layout, details->layout, sizeof details->layout) < 0)
            details->layout[0] = '\0';
    }
}

void spool_av_select(void *context, int stream, int wanted)
{
    ((AVFormatContext *)context)->streams[stream]->discard = wanted ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
}

int spool_av_poll(const int32_t *flag)
{
    return spool_cancelled(flag);
}

int spool_av_read_error(void *context)
{
    const AVIOContext *pb = ((AVFormatContext *)context)->pb;
    return pb->error != AVERROR_EOF ? pb->error : 0;
}
