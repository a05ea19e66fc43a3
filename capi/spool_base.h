/* The common part of spool.h: errors, arrays, cancellation and sources. Programs include spool.h. */
#ifndef SPOOL_BASE_H
#define SPOOL_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version ---- */

/*
 * The version of the interface in this header. It changes when programs must be recompiled. Functions, statuses, JSON
 * keys, and fields at the end of a struct that contains its size may be added without a change.
 */
#define SPOOL_ABI 3

/* The SPOOL_ABI of the loaded library. Compare it with that of the header. */
int32_t spool_abi(void);

/* The version of the build: a release, or a commit. It is never freed. */
const char *spool_version(void);

/*
 * Serves as a helper process until the process that started it ends; returns its exit code. The program spool-helper
 * beside the library calls this, and nothing else does. The option isolate chooses what is decoded in helpers.
 */
int32_t spool_helper(void);

/* ---- error ---- */

typedef enum spool_status {
    SPOOL_OK = 0,

    /* Errors of an input, with the class names of the command. */
    SPOOL_NOT_FOUND = 1,      /* "not-found": nothing exists at the path or URL */
    SPOOL_NOT_A_FILE = 2,     /* "not-a-file": a directory, device or socket */
    SPOOL_PERMISSION = 3,     /* "permission" */
    SPOOL_EMPTY = 4,          /* "empty": no bytes, or a folder with nothing to load */
    SPOOL_NOT_MEDIA = 5,      /* "not-media": no known image, video or audio */
    SPOOL_UNSUPPORTED = 6,    /* "unsupported": media in a format that this build does not decode */
    SPOOL_TRUNCATED = 7,      /* "truncated": it ends before its content is complete */
    SPOOL_CORRUPT = 8,        /* "corrupt": contradicts its own format */
    SPOOL_TOO_LARGE = 9,      /* "too-large": it exceeds a limit, which the text names */
    SPOOL_NO_SUCH_FRAME = 10, /* "no-such-frame": a frame, page or stream that the file does not have */
    SPOOL_IO = 11,            /* "io": reading failed */
    SPOOL_TIMEOUT = 12,       /* "timeout": the time has passed; nothing is lost, call again */
    SPOOL_CANCELED = 13,      /* "canceled": by a spool_cancel, or because the handle was released */
    SPOOL_DEVICE = 14,        /* "device": a device that does not exist, or failed */
    SPOOL_CRASHED = 15,       /* "crashed": a helper process ended while it decoded the input */

    /* Errors of the call. */
    SPOOL_OPTIONS = 32,       /* "options": invalid options or arguments */
    SPOOL_SHAPE = 33,         /* "shape": memory whose size differs from the result's */
    SPOOL_CLOSED = 34,        /* "closed": a handle that was released */
    SPOOL_OUT_OF_MEMORY = 35, /* "out-of-memory": the system has no more memory */
    SPOOL_INTERNAL = 36,      /* "internal": a bug of the library */
    SPOOL_FORKED = 37,        /* "forked": the process was forked from one that had loaded the library */

    SPOOL_END = 38 /* "end": there is nothing more; not a failure */
} spool_status;

/*
 * An error. It is written on failure only. Texts end with a NUL, and are empty if they do not apply. A text that does
 * not fit is truncated at the boundary of a character.
 */
typedef struct spool_error {
    int32_t status;       /* a spool_status, equal to the returned one */
    int32_t library_code; /* the library's own code; 0 if there is none */
    char error_class[32]; /* class of the status, as quoted above */
    char op[32];          /* the operation: "decode", "read" */
    char library[32];     /* the library that reported it; empty for spool itself */
    char file[4096];      /* as the caller named it */
    char text[4096];      /* description for people */
} spool_error;

/* ---- array ---- */

/* Memory with a shape. It is reference-counted: each holder releases it once. Functions on it take nanoseconds. */
typedef struct spool_array spool_array;

#define SPOOL_MAX_DIMS 8

/* Types of elements, with the codes of DLPack. */
enum { SPOOL_INT = 0, SPOOL_UINT = 1, SPOOL_FLOAT = 2, SPOOL_BFLOAT = 4 };

/* Types of devices, with the codes of DLPack. */
enum { SPOOL_CPU = 1, SPOOL_CUDA = 2, SPOOL_CUDA_HOST = 3 };

/* The content of an array: elements in C order without gaps, in the machine's byte order. */
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

/*
 * Describes an array. The memory is valid until the caller's release. A spool_array begins with its view, so callers
 * may read it in place, as *(const spool_array_view *)array.
 */
void spool_array_describe(const spool_array *array, spool_array_view *view);

/* Adds a holder, which must also release the array. Returns its argument. */
spool_array *spool_array_retain(spool_array *array);

/*
 * Releases the caller's hold on the array. The last release frees the memory. NULL is ignored. It may be called in a
 * forked child.
 */
void spool_array_release(spool_array *array);

/*
 * Wraps an array as a tensor for another library, without a copy. The result is a DLManagedTensor of DLPack, or if
 * versioned is not 0 a DLManagedTensorVersioned. read_only sets the flag of that name, which only the latter has. The
 * tensor holds the array until its consumer calls the deleter, once and on any thread.
 */
int32_t spool_array_dlpack(spool_array *array, int32_t versioned, int32_t read_only, void **tensor, spool_error *error);

/*
 * Like spool_array_dlpack, for a consumer that uses the tensor in a CUDA stream. Stream is given as in DLPack: 0 or 1
 * for the default stream, UINT64_MAX if the consumer synchronizes by itself. Work that is queued in the stream after
 * this call waits until the array is on its device. The array's memory stays valid until the stream has completed the
 * work that is queued when the deleter is called. For arrays in host memory the stream is ignored.
 */
int32_t spool_array_dlpack_in(spool_array *array, uint64_t stream, int32_t versioned, int32_t read_only, void **tensor,
                              spool_error *error);

/*
 * Describes an array on a CUDA device for consumers of __cuda_array_interface__, version 3: the JSON object of that
 * dictionary. Work that is queued in the stream after this call waits until the array is on its device. Stream is given
 * as in spool_array_dlpack_in; the object's "stream" is the one that a consumer has to follow, or null. The array must
 * be held while consumers use it. The memory is used again after the work that is queued in the stream when it is
 * released. Errors: SPOOL_OPTIONS for an array in host memory; SPOOL_DEVICE.
 */
int32_t spool_array_cuda(spool_array *array, uint64_t stream, int32_t read_only, spool_array **json,
                         spool_error *error);

/*
 * Texts, such as JSON, are arrays of one dimension and type uint8. A NUL follows the last byte and is not counted, so
 * view.data may be used as a C string.
 */

/* ---- cancel ---- */

/* Cancels calls, any number of them. */
typedef struct spool_cancel spool_cancel;

int32_t spool_cancel_new(spool_cancel **cancel, spool_error *error);

/*
 * Cancels the calls that were given this handle, and all later ones, with SPOOL_CANCELED. It may be called at any time,
 * from any thread, but not from a signal handler.
 */
int32_t spool_cancel_set(spool_cancel *cancel, spool_error *error);

void spool_cancel_release(spool_cancel *cancel);

/* ---- source ---- */

/*
 * The source of a file's bytes: a path, a URL in a remote store, or memory.
 *
 * URLs are "s3://bucket/key", "https://host/path" and "hf://datasets/USER/NAME/PATH". Credentials are taken from the
 * places that AWS's and Hugging Face's tools use. The options of all functions that read files have these keys for
 * stores, with the meaning of the flags of `spool run`: endpoint_url, region, no_sign_request and
 * max_concurrent_requests. Errors show URLs without user, password and query.
 */
typedef struct spool_source {
    const char *path; /* or URL; ends with a NUL; may be NULL, then data is used */
    const void *data; /* may be NULL if size is 0 */
    size_t size;
    const char *name; /* the file's name in errors; may be NULL: the path */
} spool_source;

#ifdef __cplusplus
}
#endif

#endif
