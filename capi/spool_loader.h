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
