/*
 * spool: images, video and audio as arrays, from C and any language that can call C.
 *
 *     spool_image_spec *spec;
 *     spool_array *pixels;
 *     spool_error error;
 *     if (spool_image_spec_new("{\"size\": \"224x224\"}", &spec, &error) ||
 *         spool_decode_image(spec, &(spool_source){.path = "cat.jpg"}, NULL, &pixels, NULL, &error))
 *         return fprintf(stderr, "%s: %s\n", error.error_class, error.text), 1;
 *
 * Errors. A function that can fail returns 0 (SPOOL_OK) or another spool_status. On failure it fills the spool_error of
 * its last argument, which may be NULL, and the caller owns none of its outputs. No input crashes the process: a bug of
 * the library is SPOOL_INTERNAL.
 *
 * Handles (spool_image_spec, spool_cancel, ...) come from a function spool_X_new or spool_X_open. The caller owns them,
 * and releases each once by spool_X_release or spool_X_close. NULL may be released. The pointers hold numbers: a handle
 * that was released gives SPOOL_CLOSED, one of another type SPOOL_OPTIONS, and neither is dereferenced. Releasing a
 * handle cancels the calls of other threads that use it (SPOOL_CANCELED), and waits for them.
 *
 * Arguments are borrowed for the duration of the call. Pointers may be NULL only where a comment says "may be NULL".
 * Text is UTF-8. File names are bytes in the encoding of the system.
 *
 * Options are a JSON object. Its keys are the long flags of the spool command with _ for -. "" and NULL select the
 * defaults. All problems of the options are reported at once, one line each.
 *
 * Threads. Every function may be called from any number of threads concurrently, also with the same handle, except as a
 * handle's comment states. At most max(4, 2 x CPUs) calls decode at a time; the others wait.
 *
 * Fork. Go's runtime does not survive fork(). In the child of a process that had loaded the library, every function
 * returns SPOOL_FORKED, except that functions on existing arrays work. Load the library in the child instead, or start
 * the child by posix_spawn or exec.
 *
 * Signals. The library does not handle SIGINT, SIGTERM and similar signals. It handles SIGSEGV, SIGBUS, SIGFPE, SIGPIPE
 * and SIGURG, like any Go runtime. It forwards those that are not its own to the handlers that were installed when it
 * was loaded.
 *
 * The library must stay loaded: dlclose() does not end its threads.
 */
#ifndef SPOOL_H
#define SPOOL_H

#include "spool_archive.h"
#include "spool_base.h"
#include "spool_device.h"
#include "spool_encode.h"
#include "spool_graph.h"
#include "spool_image.h"
#include "spool_loader.h"
#include "spool_records.h"
#include "spool_media.h"
#include "spool_packets.h"
#include "spool_source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- probe ---- */

/*
 * Probes a file by its content, without decoding it. The result is the JSON object of `spool probe --json`. Keys of
 * limits, which may be NULL: max_pixels max_bytes max_frames max_memory max_cpu, and the keys for stores, see
 * spool_source. Cancel may be NULL. Errors: all errors of an input.
 */
int32_t spool_probe(const spool_source *source, const char *limits, spool_cancel *cancel, spool_array **json,
                    spool_error *error);

/* ---- doctor ---- */

/* Reports the versions, limits and missing components of the installation: the JSON object of `spool doctor --json`. */
int32_t spool_doctor(spool_array **json, spool_error *error);

/*
 * Measures how well a remote store answers, for about ten seconds: the JSON object of `spool doctor URL --json`. Its
 * class and error report what is wrong with the store. Keys of options, which may be NULL, are the keys for stores, see
 * spool_source. Cancel may be NULL. Errors: SPOOL_OPTIONS, SPOOL_CANCELED.
 */
int32_t spool_doctor_store(const char *url, const char *options, spool_cancel *cancel, spool_array **json,
                           spool_error *error);

/*
 * Reports what the library holds, as a JSON object. arrays and handles count those that were not released, and those of
 * batches that open loaders have ready. used_bytes and kept_bytes are memory for results. The other keys are decoders,
 * c_bytes, libvips_bytes, go_heap_bytes, ffmpeg_handles, goroutines and forgotten_pools, which is above 0 only through
 * a defect of the library.
 */
int32_t spool_stats(spool_array **json, spool_error *error);

#ifdef __cplusplus
}
#endif

#endif
