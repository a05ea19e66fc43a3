/*
 * The calls that Go makes: what go-astiav v0.16 has no way to do, or what is done many times a frame. Contexts of
 * FFmpeg go through Go as void *, because the types that cgo makes of FFmpeg's structs differ from package to
 * package. Functions that can fail return an AVERROR, which is negative.
 */
#ifndef SPOOL_AV_H
#define SPOOL_AV_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"
#include "planes.h"
#include "sink.h"

/* What the functions that feed a sink return besides an AVERROR. */
enum {
    SPOOL_AV_SINK = 1,  /* the sink refused the rows */
    SPOOL_AV_SHAPE = 2, /* the frame is not what the sink was made for */
};

/* Input: input.c, reader.c */

/*
 * An open input. All that FFmpeg reads for it ends early while *flag is set; Go sets flag for the time of each call.
 * Bytes come from a path, from memory, or from Go.
 */
/* Long runs of entries of an index that an edit list leaves out: seek.c. */
typedef struct spool_av_run spool_av_run;
typedef struct {
    spool_av_run *runs;
    size_t n;
    int64_t entries; /* of all streams, when they were looked for */
    int32_t code;    /* how that ended */
} spool_av_runs;

typedef struct {
    void *context; /* AVFormatContext */
    void *pb;      /* AVIOContext, ours: closing the context leaves it open */
    const int32_t *flag;
    const uint8_t *data; /* memory, which outlives the input */
    int64_t size;        /* of what is read; -1 where it is unknown: there is no seeking then */
    int64_t at;          /* the offset of the next read */
    uintptr_t reader;    /* of a reader in Go: its handle */
    int32_t file;        /* without data and reader: a file's descriptor */
    int32_t hollow;      /* 1: what is read are zeros */
    spool_av_runs runs;
} spool_av_input;

/* How opening ended. */
typedef struct {
    int32_t score;   /* FFmpeg's certainty about the format, 0..100 */
    char format[64]; /* its names for the format; empty when it knows none */
    int64_t claimed; /* samples that an MP4 claims, where its file cannot hold as many; else 0 */
} spool_av_guess;

/* Fields of a stream. */
typedef struct {
    int32_t bits;     /* of a sample or of a pixel's component; 0 when the codec has no such number */
    int32_t picture;  /* 1: an attached picture, a cover */
    int32_t chosen;   /* 1: the file marks it as the one to take by default */
    int32_t channels; /* of sound */
    char layout[64];  /* of the channels; empty when the stream has none */
    double
        rotation; /* degrees counter-clockwise, by the display matrix; 0 without one, NaN of one that is no rotation */
    int32_t mirrored; /* 1: the matrix mirrors as well */
} spool_av_details;

/*
 * Opens the memory, the reader or the file that the input names. The format is found by content, or is the one named.
 * Options, an AVDictionary **, are the demuxer's; those that it does not know are left in it. On success input->context
 * is set, and the input is to be given to spool_av_close.
 */
int spool_av_open(spool_av_input *input, const char *format, void *options, spool_av_guess *guess);
void spool_av_close(spool_av_input *input);

/* Of an open input only the container's tables are wanted from now on: packets hold zeros, and nobody
 * looks into them. */
void spool_av_tables(spool_av_input *input);
/* Learns of the streams what the header does not say. Decoders that run for that refuse pictures of more pixels. */
int spool_av_find_streams(void *context, int64_t max_pixels);

/* The best stream of a media type, in the company of stream beside (-1: of none); negative when there is none. */
int spool_av_best(void *context, int type, int beside);
void spool_av_describe(void *context, int stream, spool_av_details *details);

/* Has packets of a stream read, or passed over. */
void spool_av_select(void *context, int stream, int wanted);

/* The error that reading met below FFmpeg, which demuxers may take for the end; 0: none. */
int spool_av_read_error(void *context);

/* A packet without its payload. */
typedef struct {
    int64_t pts, dts, duration, pos;
    int32_t size;
    uint8_t key, discard, corrupt, refresh;
    uint8_t disposable; /* see disposable.h */
    int8_t layer;
    uint8_t hidden, second; /* see picture.h */
} spool_av_entry;

/* As av_seek_frame, in a time that grows with the index and not with its square. */
int spool_av_seek(spool_av_input *input, int stream, int64_t to, int flags);
void spool_av_forget_runs(spool_av_runs *all);
/* Whether no other picture refers to that of an H.264 packet which the input gave. */
int spool_av_spare(void *context, const void *packet);
/* Reads a stream's packets to the end. *entries is to be freed, also on error; the end is no error. */
int spool_av_scan(spool_av_input *input, int stream, spool_av_entry **entries, size_t *n);

/* Parameters: parameters.c */

/* What a decoder has to know. Names are FFmpeg's; NULL where there is none. */
typedef struct {
    const char *codec, *pixel_format, *sample_format;
    const uint8_t *extradata;
    char layout[64];
    int64_t bit_rate;
    int32_t type; /* AVMediaType */
    uint32_t tag;
    int32_t extradata_size, bits_coded, bits_raw, profile, level;
    int32_t width, height, delay, field_order, aspect_num, aspect_den;
    int32_t range, primaries, transfer, matrix, chroma_location;
    int32_t channels, rate, block_align, frame_size, padding, trailing, preroll;
    int32_t base_num, base_den; /* of the time stamps */
} spool_av_parameters;

/* A stream's. Extradata remain the stream's. */
void spool_av_parameters_of(void *context, int stream, spool_av_parameters *p);

/* Those of AVCodecParameters, whose extradata and names remain theirs. */
void spool_av_parameters_from(const void *parameters, int base_num, int base_den, spool_av_parameters *p);

/* Writes them to an AVCodecParameters. */
int spool_av_parameters_to(const spool_av_parameters *p, void *parameters);

/* Decoder: decoder.c */

void spool_av_decoder_prepare(void *decoder, int base_num, int base_den, int64_t max_pixels);
void spool_av_decoder_flush(void *decoder);

/* Makes a flushed decoder what it was when it was opened: it learns the delay, and Go sets what it skips. */
void spool_av_decoder_reset(void *decoder, int base_num, int base_den, int64_t max_pixels, int delay);

/* Skips the frames that no other frame refers to, or none. */
void spool_av_decoder_skip(void *decoder, int nonref);

/* Device: device.c */

/*
 * Has a decoder that is not open yet decode by a device: a type of FFmpeg's ("cuda"), and which of them, or NULL. The
 * codec is an AVCodec. EINVAL: no such type; ENOSYS: none that decodes the codec; other errors: no such device.
 */
int spool_av_device(void *decoder, const char *type, const char *which);

/* Whether there is such a type. */
int spool_av_device_type(const char *type);

/* Gives -1 where a library cannot be loaded, with the linker's text. */
int spool_av_library(const char *file, char *why, size_t size);

/* Whether the device refused the stream, once frames have come. */
int spool_av_device_refused(const void *decoder);

/* FFmpeg's decoder for a codec that works with CUDA and need not; NULL where it has none. */
const char *spool_av_cuda_decoder(int codec);

/*
 * Has a decoder that is not open yet decode in a CUDA context, a CUcontext, and leave frames there, complete in the
 * order of a stream, a CUstream. So many may be held at once. ENOSYS: there is no device for the codec; other errors:
 * none at all.
 */
int spool_av_cuda(void *decoder, uintptr_t context, uintptr_t stream, int held);

/* A frame in a device's memory: luma, and pairs of chroma, of 8 bits or the high ones of 16. */
typedef struct {
    uint64_t luma, chroma;
    int32_t pitch, bits;
} spool_av_surface;

/* Gives 0 where the frame is no such one. */
int spool_av_surface_of(const void *frame, spool_av_surface *s);

/* Replaces a frame in a device's memory by a copy in the machine's. */
int spool_av_device_download(void *frame);

/* Frame: frame.c */

typedef struct {
    int64_t pts, guess, dts, duration, pos;
    int32_t width, height, format;
    int32_t matrix, range, primaries, transfer, chroma_location;
    int32_t samples, rate, channels;
    uint8_t key, corrupt, interlaced, hardware;
} spool_av_frame;

void spool_av_frame_describe(const void *frame, spool_av_frame *f);

/* Pushes the rows that a planes sink wants. */
int spool_av_frame_push(const void *frame, spool_planes *planes);

/* Scaler: scaler.c */

/*
 * What swscale makes of a frame at its own size: rows of RGB, 8 or 16 bits (of the machine's order) a sample. The
 * context belongs to the frame's parameters.
 */
typedef struct {
    int32_t width, height, format;
    int32_t matrix, range; /* AVColorSpace, AVColorRange */
    int32_t deep;          /* 1: 16 bits a sample */
    int32_t bilinear;      /* 1: chroma is interpolated bilinearly; 0: bicubically, FFmpeg's default */
} spool_av_scaling;

typedef struct spool_av_scaler spool_av_scaler;

void spool_av_scaling_of(const void *frame, spool_av_scaling *s);
int spool_av_scaler_open(const spool_av_scaling *s, spool_av_scaler **scaler);
void spool_av_scaler_close(spool_av_scaler *scaler);

/* Pushes the rows that a sink wants. */
int spool_av_scaler_rows(spool_av_scaler *scaler, const void *frame, spool_sink *sink, const int32_t *flag);

#endif
