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

#include "spool_base.h"
#include "spool_image.h"
#include "spool_loader.h"
#include "spool_media.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
