/* Video and audio. Programs include spool.h. */
#ifndef SPOOL_MEDIA_H
#define SPOOL_MEDIA_H

#include "spool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- video ---- */

/*
 * Options for opening videos, and for the selection and the format of frames. It never changes, and may be used by any
 * number of concurrent calls.
 */
typedef struct spool_video_spec spool_video_spec;

/*
 * Parses options for videos. Keys have the meaning and the defaults of `spool decode video`.
 *   - Selection: frames range times start end sample. At most one way may be used; by default, all frames are selected.
 *   - Pixels: filters filter_files size mode resize_shorter max_size crop filter profile color dtype layout mean std
 *     orient planes chroma pad_color fill on_damage. filters is FFmpeg's, as for its option -vf; each frame is filtered
 *     by itself. With filter_files, true, filters may open files that they name (false).
 *   - Opening: stream language threads codec codec_option hwaccel index_dir max_pixels max_bytes max_frames max_memory
 * max_cpu. The keys for stores are those of spool_source.
 */
int32_t spool_video_spec_new(const char *json, spool_video_spec **spec, spool_error *error);

void spool_video_spec_release(spool_video_spec *spec);

/* An open video. Concurrent calls with it wait for each other. A file may be opened several times. */
typedef struct spool_video spool_video;

/*
 * Opens a video, and indexes it unless its index is saved: 1 to 10 ms, and one pass over the file. Bytes in memory must
 * stay valid until spool_video_close. Cancel may be NULL. Errors: those of an input; SPOOL_NO_SUCH_FRAME for a stream
 * that does not exist; SPOOL_CANCELED.
 */
int32_t spool_video_open(spool_video_spec *spec, const spool_source *source, spool_cancel *cancel, spool_video **video,
                         spool_error *error);

void spool_video_close(spool_video *video);

/*
 * Describes the video, as a JSON object.
 *   - The stream: format, stream, codec, pix_fmt, bits, rate, and bytes, the size of its packets.
 *   - Frames: their number frames, and width and height of the upright frames, with rotation and orientation.
 *   - Time: start_s and end_s, in seconds of the container's time.
 *   - The index: cut is true if the file is truncated, and saved if the index was saved.
 */
int32_t spool_video_info(spool_video *video, spool_array **json, spool_error *error);

/* States of a frame. States other than SPOOL_WHOLE occur only if on_damage is skip or repeat. */
enum {
    SPOOL_WHOLE = 0,
    SPOOL_DAMAGED = 1,  /* partially decoded */
    SPOOL_REPEATED = 2, /* replaced by the last whole frame */
    SPOOL_MISSING = 3   /* filled with the color "fill" */
};

typedef struct spool_frame {
    int64_t index;   /* in order of presentation, from 0 */
    double pts;      /* start of presentation in seconds, in the container's time; the first may differ from 0 */
    double duration; /* until the start of the next frame */
    int32_t state;
    int32_t key; /* of spool_video_frames: 1 if decoding can begin here */
} spool_frame;

/* Lists all frames of the video without decoding: an array of n spool_frames, as bytes [n sizeof(spool_frame)]. */
int32_t spool_video_frames(spool_video *video, spool_array **frames, spool_error *error);

/* Frames of a video, and the cost of decoding them. The caller releases both arrays. */
typedef struct spool_clip {
    spool_array *pixels;   /* [n h w c], or with "layout": "nchw" [n c h w]; NULL from spool_video_decode_into */
    spool_array_view view; /* of the pixels, in either case */
    spool_array *frames;   /* n spool_frames, as bytes [n sizeof(spool_frame)] */
    int64_t read, decoded, skipped, seeks; /* packets read, sent to the decoder, and skipped by it; seeks */
    int64_t damaged;                       /* packets found damaged */
} spool_clip;

/*
 * Decodes n frames by their numbers, in any order, with repetitions. If frames is NULL, it decodes the frames that spec
 * selects. Each GOP is decoded once. With "on_damage": "skip", frames that cannot be decoded are left out of the clip.
 * Cancel may be NULL.
 *
 * Errors: SPOOL_NO_SUCH_FRAME, before anything is decoded. SPOOL_CORRUPT and SPOOL_TRUNCATED, depending on on_damage.
 * SPOOL_UNSUPPORTED for frames of different sizes if spec has no size. SPOOL_TOO_LARGE, SPOOL_CANCELED.
 */
int32_t spool_video_decode(spool_video *video, spool_video_spec *spec, const int64_t *frames, size_t n,
                           spool_cancel *cancel, spool_clip *clip, spool_error *error);

/*
 * Decodes frames into the caller's memory. size must be exactly the size of all requested frames; any alignment is
 * allowed. On error the contents of out are unspecified. Errors: those of spool_video_decode, and SPOOL_SHAPE.
 */
int32_t spool_video_decode_into(spool_video *video, spool_video_spec *spec, const int64_t *frames, size_t n,
                                spool_cancel *cancel, void *out, size_t size, spool_clip *clip, spool_error *error);

/* ---- audio ---- */

/* Options for opening and decoding audio. It never changes, and may be used by any number of concurrent calls. */
typedef struct spool_audio_spec spool_audio_spec;

/*
 * Parses options for audio. Keys have the meaning and the defaults of `spool decode audio`.
 *   - Selection: rate channels start end.
 *   - Samples: dtype layout quality on_damage.
 *   - Opening: stream language codec codec_option max_bytes max_memory and the other limits.
 *     The keys for stores are those of spool_source.
 */
int32_t spool_audio_spec_new(const char *json, spool_audio_spec **spec, spool_error *error);

void spool_audio_spec_release(spool_audio_spec *spec);

/* Open audio, of a file that may also contain video. Concurrent calls with it wait for each other. */
typedef struct spool_audio spool_audio;

/*
 * Opens audio: 20 us for WAV, 0.2 to 5 ms for other formats. Bytes in memory must stay valid until spool_audio_close.
 * Cancel may be NULL. Errors: those of an input (SPOOL_NOT_MEDIA also if there is no audio); SPOOL_NO_SUCH_FRAME for a
 * stream that does not exist; SPOOL_CANCELED.
 */
int32_t spool_audio_open(spool_audio_spec *spec, const spool_source *source, spool_cancel *cancel, spool_audio **audio,
                         spool_error *error);

void spool_audio_close(spool_audio *audio);

/*
 * Describes the audio, as a JSON object.
 *   - The stream: format, stream, codec, language, rate, bits, channels and their layout.
 *   - Length: samples of each channel, an estimate unless exact is true, and -1 if the file does not contain it.
 *   - Time: start_s, the time of the first sample in the container's time, and duration_s.
 */
int32_t spool_audio_info(spool_audio *audio, spool_array **json, spool_error *error);

/* A window of audio. The caller releases the array. */
typedef struct spool_audio_samples {
    spool_array *samples; /* [channels n], or with "layout": "tc" [n channels] */
    int64_t first;        /* number of the first sample, counted from the beginning of the audio, at rate */
    int32_t rate;         /* samples a second */
    int32_t damaged;      /* packets found damaged */
} spool_audio_samples;

/*
 * Decodes the samples in [window[0], window[1]), in seconds from the first sample of the audio. An infinite end is the
 * end of the audio. If window is NULL, spec has the window. A window equals that range of the whole audio bit for bit;
 * it ends at the end of the audio. Cancel may be NULL. Errors: SPOOL_OPTIONS for a window that begins before 0 or ends
 * before it begins; SPOOL_CORRUPT and SPOOL_TRUNCATED, depending on on_damage; SPOOL_TOO_LARGE; SPOOL_CANCELED.
 */
int32_t spool_audio_decode(spool_audio *audio, spool_audio_spec *spec, const double *window, spool_cancel *cancel,
                           spool_audio_samples *samples, spool_error *error);

#ifdef __cplusplus
}
#endif

#endif
