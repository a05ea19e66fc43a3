/* What all of spool.h needs: errors, arrays, wishes to end, and sources. Programs include spool.h. */
#ifndef SPOOL_BASE_H
#define SPOOL_BASE_H

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

#ifdef __cplusplus
}
#endif

#endif
