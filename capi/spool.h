/*
 * spool: pictures, video and sound to arrays, from C and whatever can call C.
 *
 *     spool_image_spec *spec;
 *     spool_array *pixels;
 *     spool_error error;
 *     if (spool_image_spec_new("{\"size\": \"224x224\"}", &spec, &error) ||
 *         spool_decode_image(spec, &(spool_source){.path = "cat.jpg"}, NULL, &pixels, NULL, &error))
 *         return fprintf(stderr, "%s: %s\n", error.class_name, error.text), 1;
 *
 * Errors. A function that can fail returns 0 (SPOOL_OK) or a code, and fills the spool_error it is given as its last
 * argument, which may be NULL. Then nothing is owned that it would have given. No input crashes the process: a bug of
 * ours is SPOOL_INTERNAL.
 *
 * Handles (spool_image_spec, spool_cancel, ...) come from a function spool_X_new or spool_X_open and are the caller's,
 * to be given up once by spool_X_release or spool_X_close. NULL may be given up. They are numbers in disguise: one that
 * has been given up, or is of another kind, is SPOOL_CLOSED or SPOOL_OPTIONS, and is never followed. Giving up a handle
 * ends the calls that other threads make with it (SPOOL_CANCELED), and waits for them.
 *
 * Arguments are lent for the time of the call. Pointers marked "may be NULL" may be NULL, no others. Text is UTF-8,
 * names of files are bytes as the system has them.
 *
 * Options are a JSON object, whose keys are the long flags of the spool command with _ for -, and "" or NULL for none.
 * All that is wrong with them is told at once, a line each.
 *
 * Threads. Every function may be called from any number of threads at the same time, also with the same handle, but for
 * what a handle's own comment says. How many calls decode at a time is bounded, max(4, 2 x CPUs); the others wait.
 *
 * Fork. Go's runtime does not survive fork(): in the child of a process that had loaded the library every function
 * returns SPOOL_FORKED, but for those on arrays that exist, which work. Load the library in the child instead, or start
 * it by posix_spawn or exec.
 *
 * Signals. The library leaves SIGINT, SIGTERM and the like alone. It handles SIGSEGV, SIGBUS, SIGFPE, SIGPIPE and
 * SIGURG, as Go's runtime does, and hands on what is not its own to the handlers that it found when it was loaded.
 *
 * The library must stay loaded: dlclose() does not end the threads it has.
 */
#ifndef SPOOL_H
#define SPOOL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version ---- */

/*
 * The number of the interface in this header. It changes when a program has to be compiled anew; functions, codes, keys
 * of JSON and fields behind the last one of a struct that says its size may come without.
 */
#define SPOOL_ABI 2

/* The SPOOL_ABI of the library that was loaded, to be compared with the header's. */
int32_t spool_abi(void);

/* What was built: a version, or a commit. It is never freed. */
const char *spool_version(void);

/* ---- error ---- */

typedef enum spool_code {
    SPOOL_OK = 0,

    /* What is wrong with an input, in the words of the command. */
    SPOOL_NOT_FOUND = 1,      /* "not-found": nothing lies at that path */
    SPOOL_NOT_A_FILE = 2,     /* "not-a-file": a directory, device or socket */
    SPOOL_PERMISSION = 3,     /* "permission" */
    SPOOL_EMPTY = 4,          /* "empty": no bytes, or a folder with nothing to load */
    SPOOL_NOT_MEDIA = 5,      /* "not-media": no picture, video or sound that is known */
    SPOOL_UNSUPPORTED = 6,    /* "unsupported": media, but of a kind that this build does not decode */
    SPOOL_TRUNCATED = 7,      /* "truncated": ends before all of its content has come */
    SPOOL_CORRUPT = 8,        /* "corrupt": contradicts its own format */
    SPOOL_TOO_LARGE = 9,      /* "too-large": beyond a limit, which the text names */
    SPOOL_NO_SUCH_FRAME = 10, /* "no-such-frame": a frame, page or stream that the file does not have */
    SPOOL_IO = 11,            /* "io": reading failed */
    SPOOL_TIMEOUT = 12,       /* "timeout": the time has passed; nothing is lost, call again */
    SPOOL_CANCELED = 13,      /* "canceled": by a spool_cancel, or the handle was given up meanwhile */
    SPOOL_DEVICE = 14,        /* "device": a device that is not there, or failed */

    /* What is wrong with the call. */
    SPOOL_OPTIONS = 32,       /* "options": options or arguments that do not make sense */
    SPOOL_SHAPE = 33,         /* "shape": memory of another size than the result */
    SPOOL_CLOSED = 34,        /* "closed": a handle that was given up */
    SPOOL_OUT_OF_MEMORY = 35, /* "out-of-memory": the system gave no more */
    SPOOL_INTERNAL = 36,      /* "internal": a bug of ours */
    SPOOL_FORKED = 37,        /* "forked": the child of a process that had loaded the library */

    SPOOL_END = 38 /* "end": there is no more, which is no failure */
} spool_code;

/*
 * What went wrong. It is written on failure only. Texts end with a NUL and are empty where they do not apply; one that
 * does not fit is cut, at the border of a character.
 */
typedef struct spool_error {
    int32_t code;         /* a spool_code, as the function returned it */
    int32_t library_code; /* the library's own code, 0 where there is none */
    char class_name[32];  /* of the code, as quoted above */
    char op[32];          /* what was being done: "decode", "read" */
    char library[32];     /* what reported it, empty for spool itself */
    char file[4096];      /* as the caller named it */
    char text[4096];      /* for a person */
} spool_error;

/* ---- array ---- */

/* A run of memory with a shape. It is owned, and its holders are counted. Functions on it take nanoseconds. */
typedef struct spool_array spool_array;

#define SPOOL_MAX_DIMS 8

/* The kinds of numbers, by DLPack's codes. */
enum { SPOOL_INT = 0, SPOOL_UINT = 1, SPOOL_FLOAT = 2, SPOOL_BFLOAT = 4 };

/* The places of memory, by DLPack's codes. */
enum { SPOOL_CPU = 1, SPOOL_CUDA = 2, SPOOL_CUDA_HOST = 3 };

/* What lies in an array: elements in C order without gaps, of the machine's byte order. */
typedef struct spool_array_view {
    void *data; /* of size bytes, aligned to 64 */
    int64_t size;
    int32_t dtype_code;  /* SPOOL_INT, SPOOL_UINT, ... */
    int32_t dtype_bits;  /* 8, 16, 32 or 64 */
    int32_t device_type; /* SPOOL_CPU, SPOOL_CUDA or SPOOL_CUDA_HOST */
    int32_t device_id;
    int32_t ndim;
    char layout[12]; /* the order of dimensions: "HWC", "NCHW", "CT", ...; empty for none */
    int64_t shape[SPOOL_MAX_DIMS];
    int64_t strides[SPOOL_MAX_DIMS]; /* in elements */
} spool_array_view;

/* Says what lies in an array. The memory is valid until the caller's release. */
void spool_array_describe(const spool_array *array, spool_array_view *view);

/* Adds a holder, who has to release the array as well. It gives back its argument. */
spool_array *spool_array_retain(spool_array *array);

/* Gives up the caller's hold; with the last one the memory goes back. NULL is ignored. It may be called in a forked
 * child. */
void spool_array_release(spool_array *array);

/*
 * Makes a tensor of an array for another library: a DLManagedTensor of DLPack, or where versioned is not 0 a
 * DLManagedTensorVersioned, which read_only is for. It holds the array until its deleter is called, which whoever takes
 * it does once, on any thread. Nothing is copied.
 */
int32_t spool_array_dlpack(spool_array *array, int32_t versioned, int32_t read_only, void **tensor, spool_error *error);

/*
 * Is spool_array_dlpack for whoever uses the tensor in a CUDA stream, given as DLPack's consumers do: 0 or 1 for the
 * default one, UINT64_MAX for one who waits by himself. What is queued there from now on waits until the array is on
 * its device, and the array's memory is kept until the stream is through with what is queued when the deleter is
 * called. In the host's memory the stream does not count.
 */
int32_t spool_array_dlpack_in(spool_array *array, uint64_t stream, int32_t versioned, int32_t read_only, void **tensor,
                              spool_error *error);

/*
 * Texts (JSON, say) are arrays of one dimension, uint8, with a NUL behind the last byte that is not counted: view.data
 * may be used as a C string.
 */

/* ---- cancel ---- */

/* A wish that calls end, for any number of them. */
typedef struct spool_cancel spool_cancel;

int32_t spool_cancel_new(spool_cancel **cancel, spool_error *error);

/* Ends the calls that were given it, and those that will be, with SPOOL_CANCELED. At any time, from any thread, but not
 * in the handler of a signal. */
int32_t spool_cancel_set(spool_cancel *cancel, spool_error *error);

void spool_cancel_release(spool_cancel *cancel);

/* ---- source ---- */

/*
 * Where the bytes of a file are: at a path, at an address in a store on the network, or in memory.
 *
 * Addresses are "s3://bucket/key" and "https://host/path". Credentials of S3 are looked for where AWS's tools look.
 * Options of all that reads files have these keys for stores, as the flags of `spool run`: endpoint_url, region,
 * no_sign_request and max_concurrent_requests. Errors show addresses without user, password and query.
 */
typedef struct spool_source {
    const char *path; /* or address; ends with a NUL; may be NULL, then data is taken */
    const void *data; /* may be NULL when size is 0 */
    size_t size;
    const char *name; /* what errors call it; may be NULL: the path */
} spool_source;

/* ---- image ---- */

/* What is wanted of pictures. It never changes, and serves any number of calls at a time. */
typedef struct spool_image_spec spool_image_spec;

/*
 * Reads what is wanted of pictures. Keys, with the meaning and the defaults of `spool decode image`:
 * size mode resize_shorter crop filter profile color alpha dtype layout mean std orient icc frame accept fill pad_color
 * jpeg allow max_pixels max_bytes max_frames max_memory, and those for stores, see spool_source. A size is "WxH" or
 * [w, h]. Beside them for training:
 *   box           [left, top, width, height]: only this part of the picture
 *   random_scale  [a, b], and
 *   random_ratio  [a, b]: a random part, as torchvision's RandomResizedCrop has it; either asks for it
 *   random_crop   padding of [left, top, right, bottom], or of all sides: "crop" is taken from a random place
 *   flip_x flip_y the probability of mirroring, left to right and top to bottom
 * What is drawn for a picture follows from seed, epoch and id alone, see spool_images_options, and is what the loaders
 * draw. Functions for one picture draw what these draw for 0, 0 and 0.
 */
int32_t spool_image_spec_new(const char *json, spool_image_spec **spec, spool_error *error);

void spool_image_spec_release(spool_image_spec *spec);

/* Describes a result, with data NULL. Where the size depends on the picture, ndim is 0. */
int32_t spool_image_spec_describe(spool_image_spec *spec, spool_array_view *view, spool_error *error);

/* The part of an upright picture that a result shows, in its pixels, mirrored where flips say so. */
typedef struct spool_region {
    double left, top, width, height;
    int32_t flip_x, flip_y;
} spool_region;

/* How decoding a picture went. */
typedef struct spool_image_report {
    int32_t width, height; /* as stored, before orientation */
    int32_t channels, bits;
    int32_t frames;      /* in the file; 0 where they were not counted */
    int32_t orientation; /* EXIF's, 1 to 8 */
    int32_t damaged;     /* 1: a part is the colour "fill" */
    int32_t warnings;    /* what the library found odd but read */
    double fraction;     /* how much was read, 1 of a whole picture */
    spool_region region;
    int64_t shape[SPOOL_MAX_DIMS]; /* of the result: ndim of them, then zeros */
    int32_t ndim, reserved;
} spool_image_report;

/*
 * Decodes a picture into an array of its own: [h w c], with "layout": "nchw" [c h w], with "frame": "all" one more
 * dimension in front. Cancel and report may be NULL. Errors: all those of an input; SPOOL_CANCELED.
 */
int32_t spool_decode_image(spool_image_spec *spec, const spool_source *source, spool_cancel *cancel,
                           spool_array **array, spool_image_report *report, spool_error *error);

/*
 * Decodes a picture into memory of the caller's: out has exactly the size of the result, at any address. On error its
 * contents are unspecified. Errors: spool_decode_image's, and SPOOL_SHAPE.
 */
int32_t spool_decode_image_into(spool_image_spec *spec, const spool_source *source, spool_cancel *cancel, void *out,
                                size_t size, spool_image_report *report, spool_error *error);

/* What becomes of the pictures of a batch that cannot be decoded. */
enum {
    SPOOL_RAISE = 0, /* the call fails, with the error of the first one in the order of sources */
    SPOOL_SKIP = 1,  /* they are left out: the others are the first rows, in their order */
    SPOOL_MASK = 2   /* their rows are zero */
};

/* How pictures are decoded into a batch. All but struct_size may be 0. */
typedef struct spool_images_options {
    uint32_t struct_size; /* sizeof(spool_images_options) */
    int32_t errors;       /* SPOOL_RAISE, SPOOL_SKIP or SPOOL_MASK */
    int32_t threads;      /* pictures decoded at a time; 0: one for each core that the process may use */
    int32_t reserved;
    void *out;       /* memory for the batch, or NULL for an array of its own */
    size_t out_size; /* exactly that of all n rows */
    uint64_t seed, epoch;
    const uint64_t *ids;   /* n of them, for what is drawn; NULL: 0, 1, 2, ... */
    int32_t *codes;        /* n of them, or NULL: for each source SPOOL_OK or why it failed; filled on error as well */
    spool_region *regions; /* n of them, or NULL: for each source what its row shows, zero if it failed */
    spool_cancel *cancel;  /* or NULL */
} spool_images_options;

/*
 * Decodes n pictures into one batch, side by side: [n h w c], or [n c h w]. Options may be NULL. Pixels may be NULL
 * where the options have memory for them. Failures may be NULL; it is set to NULL when every picture was decoded, else
 * to JSON:
 * [{"index","file","class","code","op","library","library_code","text"}, ...] in the order of sources. The spec has to
 * give all pictures one size. Errors: SPOOL_OPTIONS and SPOOL_SHAPE, SPOOL_CANCELED, and with SPOOL_RAISE those of the
 * pictures.
 */
int32_t spool_decode_images(spool_image_spec *spec, const spool_source *sources, int64_t n,
                            const spool_images_options *options, spool_array **pixels, spool_array **failures,
                            spool_error *error);

/* ---- encode ---- */

/*
 * Makes a file of a picture: [h w c] with 1 (gray), 3 (RGB) or 4 channels (RGBA), or [h w], uint8, and for PNG uint16.
 * All of the view is read, as spool_array_describe fills it; memory may lie at any address, but without gaps. The array
 * is the file's bytes. Keys of the options: format jpeg|png|webp; quality 1 to 100; chroma 420|422|444, of JPEG;
 * lossless, of WebP; effort 1 to 12 (PNG), 6 (WebP) or 2 (JPEG). Cancel may be NULL. Errors: SPOOL_OPTIONS,
 * SPOOL_SHAPE, SPOOL_TOO_LARGE, SPOOL_CANCELED.
 */
int32_t spool_encode_image(const spool_array_view *pixels, const char *options, spool_cancel *cancel,
                           spool_array **file, spool_error *error);

/*
 * Writes a picture to a file, which is there as a whole or not at all. Without a format it is that of the name's
 * ending. Errors: those of spool_encode_image, SPOOL_UNSUPPORTED for another ending, and those of writing.
 */
int32_t spool_write_image(const char *path, const spool_array_view *pixels, const char *options, spool_cancel *cancel,
                          spool_error *error);

/* ---- probe ---- */

/*
 * Says what a file holds, by its content, without decoding it: the JSON object of `spool probe --json`. Keys of limits,
 * which may be NULL: max_pixels max_bytes max_frames max_memory, and those for stores, see spool_source. Cancel may be
 * NULL. Errors: all those of an input.
 */
int32_t spool_probe(const spool_source *source, const char *limits, spool_cancel *cancel, spool_array **json,
                    spool_error *error);

/* ---- doctor ---- */

/* Says what the library runs with, what limits it and what is missing: the JSON object of `spool doctor --json`. */
int32_t spool_doctor(spool_array **json, spool_error *error);

/*
 * Asks a store on the network how well it answers, for about ten seconds: the JSON object of `spool doctor ADDRESS
 * --json`, in which class and error say what is wrong with the store. Keys of options, which may be NULL, are those for
 * stores, see spool_source. Cancel may be NULL. Errors: SPOOL_OPTIONS, SPOOL_CANCELED.
 */
int32_t spool_doctor_store(const char *address, const char *options, spool_cancel *cancel, spool_array **json,
                           spool_error *error);

/*
 * Says what the library holds, as a JSON object: arrays and handles that were not given up, decoders, used_bytes and
 * kept_bytes of memory for results, c_bytes, libvips_bytes, go_heap_bytes, ffmpeg_handles, goroutines.
 */
int32_t spool_stats(spool_array **json, spool_error *error);

/* ---- video ---- */

/* How videos are opened, which of their frames are wanted, and as what. It never changes, and serves any number of
 * calls. */
typedef struct spool_video_spec spool_video_spec;

/*
 * Reads what is wanted of videos. Keys, with the meaning and the defaults of `spool decode video`:
 * which frames: frames range times start end sample (one way of these; none: all);
 * their pixels: size mode resize_shorter crop filter profile color dtype layout mean std orient planes pad_color fill
 * on_damage; how it is opened: stream language threads codec codec_option hwaccel index_dir max_pixels max_bytes
 * max_frames max_memory; and those for stores, see spool_source.
 */
int32_t spool_video_spec_new(const char *json, spool_video_spec **spec, spool_error *error);

void spool_video_spec_release(spool_video_spec *spec);

/* An open video. Calls with it from several threads wait for each other; several videos may be open of one file. */
typedef struct spool_video spool_video;

/*
 * Opens a video, and indexes it unless its index is saved: 1 to 10 ms, and reading the file once. Bytes in memory are
 * lent until spool_video_close. Cancel may be NULL. Errors: those of an input; SPOOL_NO_SUCH_FRAME for a stream that is
 * not there; SPOOL_CANCELED.
 */
int32_t spool_video_open(spool_video_spec *spec, const spool_source *source, spool_cancel *cancel, spool_video **video,
                         spool_error *error);

void spool_video_close(spool_video *video);

/*
 * Says what the video is, as a JSON object: format, stream, codec, width and height of the upright frames, pix_fmt,
 * bits, rotation, orientation, frames, rate, start_s and end_s (seconds, as the container counts), bytes (of the
 * packets), cut (the file breaks off), saved (the index was).
 */
int32_t spool_video_info(spool_video *video, spool_array **json, spool_error *error);

/* States of a frame. Others than SPOOL_WHOLE come only where on_damage is skip or repeat. */
enum {
    SPOOL_WHOLE = 0,
    SPOOL_DAMAGED = 1,  /* as far as the decoder could make it */
    SPOOL_REPEATED = 2, /* the last whole frame in its place */
    SPOOL_MISSING = 3   /* the colour "fill" */
};

typedef struct spool_frame {
    int64_t index;   /* in the order of presentation, from 0 */
    double pts;      /* when it begins to be shown, in seconds, as the container counts: a video need not begin at 0 */
    double duration; /* until the next one begins */
    int32_t state;
    int32_t key; /* of spool_video_frames: 1 where decoding can begin */
} spool_frame;

/* All frames of the video, without decoding: an array of n spool_frames, as bytes [n sizeof(spool_frame)]. */
int32_t spool_video_frames(spool_video *video, spool_array **frames, spool_error *error);

/* Frames of a video, and what it took to get them. The caller releases both arrays. */
typedef struct spool_clip {
    spool_array *pixels;   /* [n h w c], with "layout": "nchw" [n c h w]; NULL of spool_video_decode_into */
    spool_array_view view; /* of the pixels, wherever they are */
    spool_array *frames;   /* n spool_frames, as bytes [n sizeof(spool_frame)] */
    int64_t read, decoded, skipped, seeks; /* packets read, given to the decoder, skipped by it; seeks */
    int64_t damaged;                       /* packets that were found damaged */
} spool_clip;

/*
 * Decodes n frames by their numbers, in any order, some of them more than once; with frames NULL those that spec says.
 * Each group of pictures is decoded once. With "on_damage": "skip" the clip has no frames that did not come. Cancel may
 * be NULL. Errors: SPOOL_NO_SUCH_FRAME, before anything is decoded; SPOOL_CORRUPT and SPOOL_TRUNCATED, as on_damage
 * says; SPOOL_UNSUPPORTED for frames of different sizes without a size in spec; SPOOL_TOO_LARGE; SPOOL_CANCELED.
 */
int32_t spool_video_decode(spool_video *video, spool_video_spec *spec, const int64_t *frames, size_t n,
                           spool_cancel *cancel, spool_clip *clip, spool_error *error);

/*
 * Decodes frames into memory of the caller's: out has exactly the size of all that are asked for, at any address. On
 * error its contents are unspecified. Errors: spool_video_decode's, and SPOOL_SHAPE.
 */
int32_t spool_video_decode_into(spool_video *video, spool_video_spec *spec, const int64_t *frames, size_t n,
                                spool_cancel *cancel, void *out, size_t size, spool_clip *clip, spool_error *error);

/* ---- audio ---- */

/* How sounds are opened, and what is wanted of them. It never changes, and serves any number of calls at a time. */
typedef struct spool_audio_spec spool_audio_spec;

/*
 * Reads what is wanted of sounds. Keys, with the meaning and the defaults of `spool decode audio`:
 * rate channels start end dtype layout quality on_damage stream language codec codec_option max_bytes max_memory and
 * the other limits, and those for stores, see spool_source.
 */
int32_t spool_audio_spec_new(const char *json, spool_audio_spec **spec, spool_error *error);

void spool_audio_spec_release(spool_audio_spec *spec);

/* An open sound, of a file that may have pictures as well. Calls with it from several threads wait for each other. */
typedef struct spool_audio spool_audio;

/*
 * Opens a sound: 20 us for WAV, 0.2 to 5 ms for the rest. Bytes in memory are lent until spool_audio_close. Cancel may
 * be NULL. Errors: those of an input (SPOOL_NOT_MEDIA also: there is no sound); SPOOL_NO_SUCH_FRAME for a stream that
 * is not there; SPOOL_CANCELED.
 */
int32_t spool_audio_open(spool_audio_spec *spec, const spool_source *source, spool_cancel *cancel, spool_audio **audio,
                         spool_error *error);

void spool_audio_close(spool_audio *audio);

/*
 * Says what the sound is, as a JSON object: format, stream, codec, rate, channels, layout (of the channels), bits,
 * language, samples (of each channel, -1 where the file does not say; an estimate unless exact is true), start_s (when
 * the first sample is heard, as the container counts), duration_s.
 */
int32_t spool_audio_info(spool_audio *audio, spool_array **json, spool_error *error);

/* A window of a sound. The caller releases the array. */
typedef struct spool_sound {
    spool_array *samples; /* [channels n], with "layout": "tc" [n channels] */
    int64_t first;        /* the first one, counted from the sound's first at rate */
    int32_t rate;         /* samples a second */
    int32_t damaged;      /* packets that were found damaged */
} spool_sound;

/*
 * Decodes the samples in [window[0], window[1]), in seconds from the sound's first sample; an infinite end is the
 * sound's. With window NULL it is what spec says. A window is that part of the whole, to the last bit; behind the
 * sound's end there is nothing. Cancel may be NULL. Errors: SPOOL_OPTIONS for a window that begins before 0 or ends
 * before it begins; SPOOL_CORRUPT and SPOOL_TRUNCATED, as on_damage says; SPOOL_TOO_LARGE; SPOOL_CANCELED.
 */
int32_t spool_audio_decode(spool_audio *audio, spool_audio_spec *spec, const double *window, spool_cancel *cancel,
                           spool_sound *sound, spool_error *error);

/* ---- loader ---- */

/*
 * Goes through files, epoch by epoch, and gives batches of samples that are decoded ahead. Functions that move on
 * (next, start, resume, choose, weigh) wait for each other; the others may be called at any time beside them.
 */
typedef struct spool_loader spool_loader;

/*
 * Lists what n sources name (files, folders, globs, "@list", tables, tar shards, addresses of them, as `spool run`
 * takes them) and prepares a loader. Nothing is read before the first spool_loader_next. Kind is "images", "video" or
 * "audio".
 *
 * Keys, with the meaning and the defaults of `spool run KIND`: those of the kind's samples (size frames rate duration
 * train ...), and batch workers cpu_share epochs shuffle seed order last on_error max_failures limit headspace
 * streaming max_pixels max_bytes max_frames max_memory rank world mix label ignore_columns index_dir, and those for
 * stores, see spool_source, and disk_cache disk_cache_bytes disk_cache_of. Without rank and world the environment says
 * them, as it was when the library was loaded. Also: "prefetch": finished batches that wait (2); "cache": memory for
 * decoded samples, like "1GiB"; "ledger": a file for a JSON line about each bad sample; "device": "host", "pinned" or
 * "cuda:N", where arrays lie then, to be used by spool_array_dlpack_in; "ring": how many batches there may be on a CUDA
 * device (3): whoever holds all of them and waits for more gets SPOOL_OPTIONS after 5 seconds.
 *
 * Cancel may be NULL. Errors: SPOOL_OPTIONS; SPOOL_EMPTY where there are no samples; those of sources; SPOOL_DEVICE;
 * SPOOL_CANCELED.
 */
int32_t spool_loader_open(const char *kind, const char *const *sources, size_t n, const char *options,
                          spool_cancel *cancel, spool_loader **loader, spool_error *error);

/* Ends a loader, from any thread, also in the middle of a call. Batches that were delivered stay valid. */
void spool_loader_close(spool_loader *loader);

/* How a slot of a batch got its contents. */
enum { SPOOL_SAMPLE_WHOLE = 0, SPOOL_SAMPLE_DAMAGED = 1, SPOOL_SAMPLE_PLACEHOLDER = 2 };

/* What is known of a sample in a batch. */
typedef struct spool_sample {
    int64_t id;          /* its position in the sources */
    int64_t label;       /* its class, -1 for none */
    const char *name;    /* its file, bytes that end with a NUL */
    const char *key;     /* what the data set calls it, UTF-8; empty for nothing */
    spool_region region; /* of a picture or clip: what part of it the slot shows */
    double start;        /* of sound: when the slot's contents begin, in seconds */
    int64_t length;      /* of sound: samples of each channel that are not the silence behind it */
    int32_t state;       /* SPOOL_SAMPLE_WHOLE, ... */
    int32_t warnings;    /* what the decoder found odd but read */
    int32_t occurrence;  /* how often the sample came before in the epoch: each time is drawn anew */
    int32_t padding;     /* 1: the slot only fills the batch, or the rank's share, with a sample that comes elsewhere */
} spool_sample;

/* A batch. The caller gives it up by spool_batch_release, or releases both arrays, when he likes. */
typedef struct spool_batch {
    int64_t epoch, index;  /* which batch of which epoch, both from 0 */
    int32_t count, padded; /* slots, and how many at the end the batch repeats; see spool_sample.padding */
    spool_array *pixels;   /* [n h w c] of pictures, [n f h w c] of clips, [n c t] of sound, or as "layout" says */
    spool_array *about;    /* what the following lie in */
    const spool_sample *samples; /* count of them */
    const spool_frame *frames;   /* of clips: count times frames_each of them, slot by slot; else NULL */
    int32_t frames_each;
} spool_batch;

/*
 * Gives the next batch of the epoch, and waits for it for up to so many milliseconds, for ever if negative. A batch
 * keeps its memory until it is released, and the loader goes on in other memory: whoever keeps many batches needs
 * memory for them. Errors: SPOOL_TIMEOUT, and nothing is lost: call again; SPOOL_END at the end of an epoch, behind
 * which the next call begins the next one, and at the end of the last one, which stays; what a sample failed with,
 * under "on_error": "fail"; SPOOL_EMPTY, when not one sample of an epoch was good; SPOOL_CANCELED, when the loader is
 * closed meanwhile. A failure stays until the loader is started anew.
 */
int32_t spool_loader_next(spool_loader *loader, int64_t timeout_ms, spool_batch *batch, spool_error *error);

/* Releases a batch's arrays. */
void spool_batch_release(spool_batch *batch);

/* Has the next batch be the first of an epoch. It costs nothing where it would be that anyway. */
int32_t spool_loader_start(spool_loader *loader, int64_t epoch, spool_error *error);

/*
 * Says how far the loader has come: what was delivered will not come again where spool_loader_resume is given it, by a
 * loader of the same sources and options. A JSON object of some hundred bytes, which `spool run --resume` reads as
 * well. SPOOL_OPTIONS for "order": "any".
 */
int32_t spool_loader_state(spool_loader *loader, spool_array **json, spool_error *error);

/* The state before the batch that came last, for a caller that has received the batch and has not used it. */
int32_t spool_loader_state_before(spool_loader *loader, spool_array **json, spool_error *error);

/* Goes on from a state, or, where there were other ranks, from a JSON list of all of theirs. Errors: SPOOL_CORRUPT;
 * SPOOL_OPTIONS for the state of another loader. */
int32_t spool_loader_resume(spool_loader *loader, const char *states, spool_error *error);

/*
 * Has these samples come, by their positions in the sources, in this order, and starts with them at an epoch. They
 * are for all epochs from there on, or, with alone, for that one, which is the last one then. A sample that comes
 * several times is drawn anew each time.
 */
int32_t spool_loader_choose(spool_loader *loader, const int64_t *samples, size_t n, int64_t epoch, int32_t alone,
                            spool_error *error);

/* Has samples be drawn by chance, with replacement: weights for all of them, and how many an epoch, 0 for as many as
 * there are. It starts with epoch 0. */
int32_t spool_loader_weigh(spool_loader *loader, const double *weights, size_t n, int64_t draws, spool_error *error);

/* A JSON object: samples (of the sources), batches (of an epoch, if no sample is bad), both negative with "streaming":
 * nobody knows before the end; epoch and middle (where the next batch comes from), rank, world, classes (the names of
 * labels), device; note: what is wrong with its memory, if something is; and notices: a text for each thing that the
 * sources hold and that is not loaded, as columns of tables. */
int32_t spool_loader_info(spool_loader *loader, spool_array **json, spool_error *error);

/* What was done so far, as a JSON object with the keys of `spool run --json`: stages, and the verdict about what
 * limits. */
int32_t spool_loader_report(spool_loader *loader, spool_array **json, spool_error *error);

/* The first 10,000 failures so far, a JSON object a line: id file stage class text attempts action, and where they are
 * not 0 the epoch and the occurrence, by which the sample is drawn. */
int32_t spool_loader_failures(spool_loader *loader, spool_array **lines, spool_error *error);

#ifdef __cplusplus
}
#endif

#endif
