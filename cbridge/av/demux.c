#include "demux.h"

#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <libavutil/pixdesc.h>
#include <libavutil/samplefmt.h>

#include "cancel.h"

static int interrupted(void *flag)
{
    return spool_cancelled(flag);
}

/* An input is one file. Formats that do nothing but name other files or servers are refused outright ... */
static int is_playlist(const AVInputFormat *format)
{
    return av_match_name(format->name, "hls,dash,concat,imf,sdp");
}

/* ... and what a sound container names is not opened. */
static int refuse(AVFormatContext *input, AVIOContext **pb, const char *url, int flags, AVDictionary **options)
{
    (void)input, (void)pb, (void)url, (void)flags, (void)options;
    return AVERROR(EPERM);
}

int spool_av_open(const char *url, const int32_t *cancel, void **opened, spool_av_guess *guess)
{
    const AVIOInterruptCB interrupt = {interrupted, (void *)cancel};
    AVFormatContext *input = NULL;
    AVIOContext *pb = NULL;
    const AVInputFormat *format = NULL;

    *opened = NULL;
    int code = avio_open2(&pb, url, AVIO_FLAG_READ, &interrupt, NULL);
    if (code < 0)
        return code;
    code = av_probe_input_buffer2(pb, &format, "", NULL, 0, 0);
    if (format) {
        guess->score = code;
        av_strlcpy(guess->format, format->name, sizeof guess->format);
        if (is_playlist(format))
            code = AVERROR(EPERM);
    }
    if (code >= 0 && !(input = avformat_alloc_context()))
        code = AVERROR(ENOMEM);
    if (code >= 0) {
        input->pb = pb;
        input->interrupt_callback = interrupt;
        input->io_open = refuse;
        code = avformat_open_input(&input, "", format, NULL); /* frees the context when it fails, not pb */
    }
    if (code < 0) {
        avio_closep(&pb);
        return code;
    }
    *opened = input;
    return 0;
}

void spool_av_close(void *opened)
{
    AVFormatContext *input = opened;
    AVIOContext *pb = input->pb; /* ours, so that closing the input leaves it open */
    avformat_close_input(&input);
    avio_closep(&pb);
}

int spool_av_best(void *input, int type, int beside)
{
    return av_find_best_stream(input, type, -1, beside, NULL, 0);
}

void spool_av_describe(void *input, int stream, spool_av_details *details)
{
    const AVStream *s = ((AVFormatContext *)input)->streams[stream];
    const AVCodecParameters *p = s->codecpar;
    details->picture = (s->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
    if (p->codec_type == AVMEDIA_TYPE_VIDEO) {
        const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(p->format);
        details->bits = pixels ? pixels->comp[0].depth : 0;
    }
    if (p->codec_type == AVMEDIA_TYPE_AUDIO) {
        details->bits = p->bits_per_raw_sample ? p->bits_per_raw_sample : av_get_bits_per_sample(p->codec_id);
        if (p->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC ||
            av_channel_layout_describe(&p->ch_layout, details->layout, sizeof details->layout) < 0)
            details->layout[0] = '\0';
    }
}
