/*
 * The functions called by Go: those that go-astiav v0.16 lacks, and those that are called many times per frame.
 * FFmpeg's contexts pass through Go as void *, because cgo's types of FFmpeg's structs differ between packages.
 * Functions that can fail return an AVERROR, which is negative.
 */
#ifndef SPOOL_AV_H
#define SPOOL_AV_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"
#include "planes.h"
#include "sink.h"

/* Results of functions that push to a sink, besides an AVERROR. */
enum {
    SPOOL_AV_SINK = 1,  /* the sink rejected the rows */
    SPOOL_AV_SHAPE = 2, /* the sink is not for such a frame */
};

/* Input: input.c, reader.c */

/* Long runs of index entries that an edit list hides: see seek.c. */
typedef struct spool_av_run spool_av_run;
typedef struct {
    spool_av_run *runs;
    size_t n;
    int64_t entries; /* number of entries of all streams at the last search */
    int32_t code;    /* result of the last search */
} spool_av_runs;

/*
 * An open input. FFmpeg's reads stop early while *flag is set. Go sets flag during each call. The bytes come from a
 * file, from memory, or from Go.
 */
typedef struct {
    void *context; /* AVFormatContext */
    void *pb;      /* AVIOContext, owned by the input: closing the context leaves it open */
    const int32_t *flag;
    const uint8_t *data; /* memory, which must outlive the input */
    int64_t size;        /* of the bytes; -1 if unknown, then seeking is disabled */
    int64_t at;          /* offset of the next read */
    uintptr_t reader;    /* handle of a reader in Go */
    int32_t file;        /* file descriptor, if data and reader are unset */
    int32_t zeros;       /* 1: reads return zeros */
    spool_av_runs runs;
} spool_av_input;

/* Result of detecting the format. */
typedef struct {
    int32_t score;   /* FFmpeg's score of the format, 0..100 */
    char format[64]; /* its names of the format; empty if unknown */
    int64_t claimed; /* number of samples in an MP4's tables if the file cannot hold them, else 0 */
} spool_av_guess;

/* Properties of a stream. */
typedef struct {
    int32_t bits;       /* of a sample or of a pixel's component; 0 for codecs without a fixed depth */
    int32_t attached;   /* 1: an attached image, a cover */
    int32_t is_default; /* 1: the file marks it as the default stream */
    int32_t channels;   /* of audio */
    char layout[64];    /* of the channels; empty if the stream has none */
    double rotation; /* degrees counterclockwise, from the display matrix; 0 without one, NaN if it is not a rotation */
    int32_t mirrored; /* 1: the matrix also mirrors */
} spool_av_details;

/*
 * Opens the memory, the reader or the file of the input. The format is the named one, or detected by content. options
 * is an AVDictionary ** for the demuxer; unknown options are left in it. On success input->context is set, and the
 * caller must call spool_av_close.
 */
int spool_av_open(spool_av_input *input, const char *format, void *options, spool_av_guess *guess);

/* Returns the name of the next demuxer, or NULL after the last. *at is NULL at first. */
const char *spool_av_demuxer(void **at);
void spool_av_close(spool_av_input *input);

/* From now on only the container's tables of an open input are used: packets contain zeros, and are not parsed. */
void spool_av_tables(spool_av_input *input);
/* Finds stream parameters that the header lacks. Decoders that run for it reject larger frames. */
int spool_av_find_streams(void *context, int64_t max_pixels);

/*
 * Returns the best stream of a media type, or a negative number. beside is a stream that should be in the same program,
 * or -1.
 */
int spool_av_best(void *context, int type, int beside);
void spool_av_describe(void *context, int stream, spool_av_details *details);

/* Sets whether packets of a stream are read or skipped. */
void spool_av_select(void *context, int stream, int wanted);

/* Returns the error of a read that the demuxer may have taken for the end, or 0. */
int spool_av_read_error(void *context);
/* Polls the flag of a call, see spool_cancelled. */
int spool_av_poll(const int32_t *flag);

/* A packet without its payload. */
typedef struct {
    int64_t pts, dts, duration, pos;
    int32_t size;
    uint8_t key, discard, corrupt, refresh;
    uint8_t disposable; /* see disposable.h */
    int8_t layer;
    uint8_t hidden, second; /* see fields.h */
} spool_av_entry;

/* Like av_seek_frame, but its time grows with the size of the index instead of its square. */
int spool_av_seek(spool_av_input *input, int stream, int64_t to, int flags);
void spool_av_forget_runs(spool_av_runs *all);
/* Reads the next packet. Returns 1 for a packet of H.264 to whose frame no other frame refers, else 0 or an error. */
int spool_av_read(void *context, void *packet);
/*
 * Reports whether a container's table of packets describes the frames of a stream: each packet is a frame, and
 * spool_av_scan would find nothing more in the packets, except the gradual refresh of H.264.
 */
int spool_av_tables_tell(void *context, int stream);
/* Reports Entry.Refresh of a key packet, from its first bytes (recovery.h). */
int spool_av_key_recovers_later(void *context, int stream, const uint8_t *packet, size_t size);
/* Reads a stream's packets to the end, which is not an error. The caller frees *entries, also after an error. */
int spool_av_scan(spool_av_input *input, int stream, spool_av_entry **entries, size_t *n);

/* Parameters: parameters.c */

/* The parameters of a decoder. Names are FFmpeg's; NULL for none. */
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
    int32_t base_num, base_den; /* time base of time stamps */
} spool_av_parameters;

/* Gets the parameters of a stream. The stream owns the extradata. */
void spool_av_parameters_of(void *context, int stream, spool_av_parameters *p);

/* Gets the parameters of AVCodecParameters, which own the extradata and names. */
void spool_av_parameters_from(const void *parameters, int base_num, int base_den, spool_av_parameters *p);

/* Writes the parameters to AVCodecParameters. */
int spool_av_parameters_to(const spool_av_parameters *p, void *parameters);

/* Decoder: decoder.c */

void spool_av_decoder_prepare(void *decoder, int base_num, int base_den, int64_t max_pixels);
void spool_av_decoder_flush(void *decoder);

/* Restores a flushed decoder to its state after opening. The delay is set, and Go sets what it skips. */
void spool_av_decoder_reset(void *decoder, int base_num, int base_den, int64_t max_pixels, int delay);

/* Skips non-reference frames, or none. */
void spool_av_decoder_skip(void *decoder, int nonref);

/* Device: device.c */

/*
 * Makes an unopened decoder use a device: FFmpeg's type ("cuda"), and the device's name or NULL. The codec is an
 * AVCodec. EINVAL: unknown type; ENOSYS: the type does not decode the codec; other errors: no such device.
 */
int spool_av_device(void *decoder, const char *type, const char *which);

/* Reports whether FFmpeg has such a device type. */
int spool_av_device_type(const char *type);

/* Returns -1 if a library cannot be loaded, with the linker's text. */
int spool_av_library(const char *file, char *why, size_t size);

/* Reports whether the device rejected the stream. It is known once frames have been received. */
int spool_av_device_refused(const void *decoder);

/* Returns FFmpeg's decoder for a codec that supports CUDA but does not require it, or NULL. */
const char *spool_av_cuda_decoder(int codec);

/*
 * Makes an unopened decoder decode in a CUDA context, a CUcontext, and leave frames there. They are complete in the
 * order of a stream, a CUstream. At most `held` frames may be held at once. ENOSYS: the codec is not supported; other
 * errors: no device can be used.
 */
int spool_av_cuda(void *decoder, uintptr_t context, uintptr_t stream, int held);

/* A frame in device memory: luma, and pairs of chroma samples, of 8 bits or in the high bits of 16. */
typedef struct {
    uint64_t luma, chroma;
    int32_t pitch, bits;
} spool_av_surface;

/* Returns 0 if the frame is not in device memory or has another format. */
int spool_av_surface_of(const void *frame, spool_av_surface *s);

/* Replaces a frame in device memory by a copy in host memory. */
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

/* Pushes the rows of the first plane that a sink needs. The sink is for one channel and the depth of these samples. */
int spool_av_frame_luma(const void *frame, spool_sink *sink);

/* Pushes the rows that a planes sink needs. */
int spool_av_frame_push(const void *frame, spool_planes *planes);

/* Scaler: scaler.c */

/*
 * A swscale conversion of frames at their own size to rows of RGB, with 8 bits or 16 bits (in the machine's order) a
 * sample. The context is for frames with these parameters.
 */
typedef struct {
    int32_t width, height, format;
    int32_t matrix, range; /* AVColorSpace, AVColorRange */
    int32_t deep;          /* 1: 16 bits per sample */
    int32_t bilinear;      /* 1: chroma is interpolated bilinearly; 0: bicubically, FFmpeg's default */
} spool_av_scaling;

typedef struct spool_av_scaler spool_av_scaler;

int spool_av_scaler_open(const spool_av_scaling *s, spool_av_scaler **scaler);
void spool_av_scaler_close(spool_av_scaler *scaler);

/* Pushes the rows that a sink needs. */
int spool_av_scaler_rows(spool_av_scaler *scaler, const void *frame, spool_sink *sink, const int32_t *flag);

#endif
