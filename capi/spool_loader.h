/* Loaders. Programs include spool.h. */
#ifndef SPOOL_LOADER_H
#define SPOOL_LOADER_H

#include "spool_image.h"
#include "spool_media.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- loader ---- */

/*
 * Iterates over files, epoch by epoch, and delivers batches of samples that are decoded ahead. Functions that change
 * the position (next, start, resume, choose, weigh, bucket) wait for each other. The others may be called concurrently
 * at any time.
 */
typedef struct spool_loader spool_loader;

/*
 * Lists n sources (files, folders, globs, "@list", tables, tar shards, and URLs of these, as in `spool run`) and
 * prepares a loader. No sample is read before the first spool_loader_next. Kind is "images", "video",
 * "audio" or "records".
 *
 * Keys have the meaning and the defaults of `spool run KIND`. Each kind has the keys of its samples: size frames rate
 * duration windows train ... All kinds have:
 *   batch workers cpu_share epochs shuffle seed order last on_error max_failures deadline attempts watch limit
 *   headspace streaming max_pixels max_bytes max_frames max_memory max_cpu rank world rest prefetch cache mix sampler
 * shuffle_window weights draws lengths length_buckets repeats label ignore_columns where index_dir disk_cache
 * disk_cache_bytes disk_cache_of All but records have labels, a list with a label for each source. The keys for stores
 * are those of spool_source. Without rank and world, they are taken from the environment at the time when the library
 * was loaded.
 *
 * Records have several fields: "fields" is an object with an object for each field, of the keys kind, input, optional
 * and those of its kind, and "schema" the name of a JSON file with {"fields": ...}; see docs/records.md. "views" is for
 * all image fields that do not set it. "form" is how batches hold images, clips and audio of different sizes, with
 * form_multiple form_fill form_memory buckets bucket_field bucket_lengths budget_pixels budget_tokens budget_frames
 * budget_samples budget_ragged patch patch_merge patch_frames. "jpeg" is that of image fields, "windows" that of video.
 * A LeRobot data set needs no fields. "delta" is an object with a list of seconds for each feature that has a window,
 * "episodes" a list of numbers, and "cameras" an object with keys of video fields.
 * "images" is the folder or URL of the images of a file of COCO's annotations.
 * "columns" names columns of tables for spool_batch_columns.
 *
 * Additional keys:
 *   otlp      true sends metrics to a collector of OpenTelemetry, as the OTEL_ variables said when the library was
 *             loaded; see docs/metrics.md
 *   ledger    a file for a JSON line about each bad sample
 *   trace     a file for a trace of all workers, which Perfetto shows; it is whole once the loader is closed
 *   receipts  a file for what is in each batch: Parquet, an Arrow file or JSON lines, by the ending .parquet, .arrow
 *             or any other; receipt_digests adds the SHA-256 of each sample. See docs/observability.md
 *   costs     a file of what the samples cost at each stage, for spool_simulate; it is written when the loader is
 *             closed or its position changes
 *   device    "host", "pinned" or "cuda:N": the device of the arrays, which spool_array_dlpack_in then passes on
 *   ring      the number of batches on a CUDA device (3). A caller that holds all of them and waits for another gets
 *             SPOOL_OPTIONS after 5 seconds.
 *   allocator the caller's functions that allocate the memory of these batches, a spool_device_allocate and a
 *             spool_device_free, by their addresses: "0x7f00,0x7f80"
 *
 * With "normalize_on": "device", images and videos are copied as bytes, and the CUDA device makes the floats. With
 * "decode_on": "device", nvJPEG (of the file "nvjpeg") decodes JPEG images, and NVDEC clips, if device is "cuda:N".
 *
 * Cancel may be NULL. Errors: SPOOL_OPTIONS; SPOOL_EMPTY if there are no samples; those of sources; SPOOL_DEVICE;
 * SPOOL_CANCELED.
 */
int32_t spool_loader_open(const char *kind, const char *const *sources, size_t n, const char *options,
                          spool_cancel *cancel, spool_loader **loader, spool_error *error);

/* Closes a loader, from any thread, also during a call. Delivered batches stay valid. */
void spool_loader_close(spool_loader *loader);

/* The state of a slot in a batch. */
enum { SPOOL_SAMPLE_WHOLE = 0, SPOOL_SAMPLE_DAMAGED = 1, SPOOL_SAMPLE_PLACEHOLDER = 2 };

/* A sample in a batch. */
typedef struct spool_sample {
    int64_t id;          /* its position in the sources */
    int64_t label;       /* its class; -1 for none */
    const char *name;    /* its file name, bytes that end with a NUL */
    const char *key;     /* its key in the data set, UTF-8; empty for none */
    spool_region region; /* of an image or clip: the crop in the slot */
    double start;        /* of audio: the start of the slot's window, in seconds */
    int64_t length;      /* of audio: samples of each channel, without the silence after them */
    int32_t state;       /* SPOOL_SAMPLE_WHOLE, ... */
    int32_t warnings;    /* anomalies that the decoder reported but decoded */
    int32_t occurrence;  /* how often the sample came before in the epoch; each has different random choices */
    int32_t padding;     /* 1: the slot fills the batch or the rank's share; its sample is also delivered elsewhere */
} spool_sample;

/* The value of a record's field of any length: text, JSON, bytes, boxes, points or masks of objects. */
typedef struct spool_value {
    const uint8_t *data;            /* NULL: the sample lacks the field */
    int64_t size;                   /* in bytes */
    int32_t dtype_code, dtype_bits; /* as in spool_array_view */
    int32_t ndim;
    int64_t shape[3];
} spool_value;

/* A result of a field in a batch of records. */
typedef struct spool_field {
    const char *name;          /* its own: "boxes.0.labels" */
    const char *field;         /* that of the field: "boxes" */
    const char *part;          /* which of a field's several results: "labels"; empty for the first */
    int32_t view;              /* the number of the view: 0; -1 for a field without numbered views */
    int32_t array;             /* of an array: its number for spool_batch_array; else -1 */
    int32_t ragged;            /* 1: the array is flat; its samples follow each other without padding */
    const spool_value *values; /* of a field of any length: one for each slot; else NULL */
    const int64_t *shapes;     /* of an array whose samples differ in size: ndim sides for each slot; else NULL */
    int32_t ndim;
    const char *format;   /* of a column: the type of its values in Arrow's C data interface; else NULL */
    int32_t patched;      /* 1: the array has a row for each patch of the samples */
    const int64_t *grids; /* of patches: their rows and columns for each slot; else NULL */
    const char *element;  /* of a column of lists: the type of their elements; else NULL */
} spool_field;

/* A batch. The caller releases it at any time, by spool_batch_release or by releasing both arrays. */
typedef struct spool_batch {
    int64_t epoch, index;  /* number of the epoch, and of the batch in it, both from 0 */
    int32_t count, padded; /* slots, and how many at the end are padding; see spool_sample.padding */
    spool_array *pixels;   /* [n h w c] of images, [n f h w c] of clips, [n c t] of audio, or according to "layout" */
    spool_array *about;    /* holds the memory of the following */
    const spool_sample *samples; /* count of them */
    const spool_frame *frames;   /* of clips: frames_each of them for each slot, slot by slot; else NULL */
    int32_t frames_each;
    int32_t field_count;       /* of records; else 0 */
    const spool_field *fields; /* field_count of them: those of a fixed size, then the others */
    const char *const *absent; /* of records: for each slot, the optional fields that it lacks, separated by newlines */
} spool_batch;

/*
 * Delivers the next batch of the epoch. It waits up to timeout_ms milliseconds, or without limit if timeout_ms is
 * negative. A batch keeps its memory until it is released, and the loader continues in other memory. So memory grows
 * with the number of batches held.
 *
 * Errors. SPOOL_TIMEOUT: nothing is lost, call again. SPOOL_END at the end of an epoch, after which the next call
 * begins the next epoch; the end of the last epoch is returned by every further call. With "on_error": "fail", the
 * error of a sample. SPOOL_EMPTY if all samples of an epoch failed. SPOOL_CANCELED if the loader is closed during the
 * call. A failure is returned until the loader is started again.
 */
int32_t spool_loader_next(spool_loader *loader, int64_t timeout_ms, spool_batch *batch, spool_error *error);

/*
 * Decodes n samples of a loader of records into one batch, in the order of ids, which are their positions in the
 * sources: random access. It does not change the position of spool_loader_next, and waits for a call of it. Random
 * choices are those of the epoch. The batch is in host memory. Cancel may be NULL. Errors: SPOOL_OPTIONS for an id that
 * does not exist, for a loader of another kind, and with a form other than dense; the error of the first bad sample;
 * SPOOL_CANCELED.
 */
int32_t spool_loader_read(spool_loader *loader, const int64_t *ids, size_t n, int64_t epoch, spool_cancel *cancel,
                          spool_batch *batch, spool_error *error);

/*
 * Makes the batch of a training step again, without the batches before it. The position of the loader stays. Without
 * receipts, which may be NULL, steps count the batches from epoch 0 on, each epoch with the number of batches that
 * spool_loader_info tells. Bad samples that a run left out before the batch are known of the batches that this loader
 * delivered; of others it is taken that there were none. With the name of a file of receipts, steps count the batches
 * in the file, and the state before the batch is taken from there.
 *
 * differences becomes a JSON list of texts that say how the batch differs from its receipt, for example because a file
 * has changed. It is empty without receipts. On a CUDA device, digests are not compared.
 *
 * Cancel may be NULL. Errors: SPOOL_OPTIONS for a step beyond the epoch, and for loaders without states ("order":
 * "any"), streams, "form" bucket and budget, and epochs for which a sampler has not chosen; SPOOL_NOT_FOUND if the file
 * has no such batch; the error of a bad sample with "on_error": "fail"; SPOOL_CANCELED.
 */
int32_t spool_loader_again(spool_loader *loader, int64_t step, const char *receipts, spool_cancel *cancel,
                           spool_batch *batch, spool_array **differences, spool_error *error);

/*
 * Makes the array of a field of a batch of records, by its number (spool_field.array) and the batch's pixels, which are
 * the array 0. It holds the batch's memory by itself.
 */
int32_t spool_batch_array(spool_array *pixels, int32_t number, spool_array **array, spool_error *error);

/* The structures of Arrow's C data interface, which its consumers declare. */
struct ArrowSchema;
struct ArrowArray;

/*
 * Fills structures of Arrow with a copy of a batch's columns, as a record batch: text, JSON (as text), bytes and
 * numbers of records, and the columns of tables that "columns" names, with their types. Values that samples lack are
 * null. Numbers on a device are left out. The caller, or a consumer such as pyarrow, calls the release functions of
 * both structures, at any time. Errors: SPOOL_CORRUPT; SPOOL_TOO_LARGE for more than 2 GiB in a column.
 */
int32_t spool_batch_columns(const spool_batch *batch, struct ArrowSchema *schema, struct ArrowArray *array,
                            spool_error *error);

/* Releases the arrays of a batch. */
void spool_batch_release(spool_batch *batch);

/* Makes the next batch the first of an epoch. It costs nothing if it already is. */
int32_t spool_loader_start(spool_loader *loader, int64_t epoch, spool_error *error);

/*
 * Reports the position of the loader. A loader of the same sources and options that is given this state by
 * spool_loader_resume does not repeat what was delivered. The state is a JSON object of some hundred bytes, or some
 * thousand with "form" bucket, which `spool run --resume` also reads. Errors: SPOOL_OPTIONS with "order": "any".
 */
int32_t spool_loader_state(spool_loader *loader, spool_array **json, spool_error *error);

/* Reports the state before the last batch, for a caller that has received the batch but not used it. */
int32_t spool_loader_state_before(spool_loader *loader, spool_array **json, spool_error *error);

/*
 * Continues from a state. After a run with several ranks, states is a JSON list of the states of all of them. Errors:
 * SPOOL_CORRUPT; SPOOL_OPTIONS for the state of another loader.
 */
int32_t spool_loader_resume(spool_loader *loader, const char *states, spool_error *error);

/*
 * Selects samples by their positions in the sources, in this order, and starts at an epoch. The selection is for all
 * epochs from there on; with alone, it is for this epoch only, which is then the last. A sample that is listed several
 * times has different random choices each time.
 */
int32_t spool_loader_choose(spool_loader *loader, const int64_t *samples, size_t n, int64_t epoch, int32_t alone,
                            spool_error *error);

/*
 * Draws samples at random with replacement. There is a weight for each sample; draws is the number of samples in an
 * epoch, 0 for as many as the sources have. It starts with epoch 0.
 */
int32_t spool_loader_weigh(spool_loader *loader, const double *weights, size_t n, int64_t draws, spool_error *error);

/*
 * Delivers each sample once in an epoch, in batches of similar length. There is a length for each sample, in any unit:
 * frames, audio samples, bytes. The samples are divided into buckets of equal size by length; a batch has random
 * samples of one bucket, and the batches of all buckets come in random order, by "seed". More buckets give less padding
 * and less mixing. At each step all ranks have batches of one bucket. It starts with epoch 0.
 */
int32_t spool_loader_bucket(spool_loader *loader, const int64_t *lengths, size_t n, int64_t buckets,
                            spool_error *error);

/*
 * Describes the loader, as a JSON object.
 *   - samples of the sources, and batches of an epoch without bad samples. With "streaming" both are negative, because
 *     they are known only at the end. So are batches with "form" bucket and budget.
 *   - epoch of the next batch, and middle, which is true if that epoch has begun.
 *   - rank, world, classes (the names of labels) and device.
 *   - note: a problem with the memory of batches, or with sending metrics, if there is one.
 *   - notices: a text about each kind of content in the sources that is not loaded, such as columns of tables.
 *   - lerobot: of a LeRobot data set, the object in its meta/info.json.
 */
int32_t spool_loader_info(spool_loader *loader, spool_array **json, spool_error *error);

/*
 * Statistics so far, as a JSON object with the keys of `spool run --json`: stages, and the verdict on the bottleneck.
 */
int32_t spool_loader_report(spool_loader *loader, spool_array **json, spool_error *error);

/*
 * Measures the speed of each stage alone, in a loader of its own with the same sources and options, which begins with
 * epoch 0. The position of the loader stays. Options, which may be NULL, is a JSON object with the keys:
 *   items    samples for each number of workers (256), which are in memory at a time
 *   workers  the numbers of workers to try, ascending: "1,2,4,8,16,32". A stage's series ends when twice as many are
 *            less than a fifth faster, unless the numbers are given
 * json becomes an object of cores and stages, a list of name and speeds; a speed has workers items rate speedup mean_ms
 * p50_ms p99_ms. Cancel may be NULL. Errors: SPOOL_OPTIONS, also for a stream; SPOOL_CANCELED.
 */
int32_t spool_loader_profile(spool_loader *loader, const char *options, spool_cancel *cancel, spool_array **json,
                             spool_error *error);

/*
 * Writes a trace of the next seconds to a file, for Perfetto, and returns then. Loops over the loader go on meanwhile,
 * in other threads; without a trace they pay next to nothing. Cancel, which may be NULL, ends it before; the file is
 * whole then, too. A loader writes one such trace at a time. Errors: SPOOL_OPTIONS, also during another trace;
 * SPOOL_CANCELED; those of files.
 */
int32_t spool_loader_trace(spool_loader *loader, const char *file, double seconds, spool_cancel *cancel,
                           spool_error *error);

/*
 * Predicts a run with other settings from the file of a run with the key "costs". Options, which may be NULL, is a JSON
 * object with the keys and the meaning of the flags of `spool simulate`: workers prefetch cores files latency
 * stage_workers. json becomes the object that `spool simulate --json` prints: rate ttfb_s rss_mb, each an object of
 * value low high; batch_mb verdict measured_rate deviation. Errors: SPOOL_NOT_FOUND; SPOOL_CORRUPT if the file has no
 * costs; SPOOL_OPTIONS; SPOOL_UNSUPPORTED if a stage of the run had no samples.
 */
int32_t spool_simulate(const char *costs, const char *options, spool_array **json, spool_error *error);

/*
 * The first 10,000 failures so far, one JSON object a line: id file stage class text attempts action; field, if the
 * failure is that of one; start, end and stream of a part of a file; and the epoch and the occurrence unless they are
 * 0, which determine the sample's random choices.
 */
int32_t spool_loader_failures(spool_loader *loader, spool_array **lines, spool_error *error);

/*
 * Returns content for an HTTP server of the caller, as bytes with a 0 after them. path is one of:
 *   metrics       the loader's metrics in Prometheus' text format 0.0.4; see docs/metrics.md
 *   (empty)       a page about the loader, HTML: rate, wait of the consumer, stages, memory, the last bad files
 *   state         what the page shows, JSON in one line. The page expects it from "events", once a second, as the data
 *                 of a server-sent event
 *   thumbnail/ID  a JPEG of a bad sample
 *   sheet         a PNG with the images of the next batch, for which the call waits. Only for images, videos and
 *                 records in uint8, RGB, with channels last
 * The page has a link to trace?seconds=5, for which the server sends the file of spool_loader_trace.
 * The page shows names of files, so serve it to those who may see them. Calls delay no batch. Errors: SPOOL_NOT_FOUND.
 */
int32_t spool_loader_page(spool_loader *loader, const char *path, spool_array **content, spool_error *error);

#ifdef __cplusplus
}
#endif

#endif
