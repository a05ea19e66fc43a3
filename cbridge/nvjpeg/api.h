#ifndef SPOOL_NVJPEG_API_H
#define SPOOL_NVJPEG_API_H

#include <stddef.h>
#include <stdint.h>

/*
 * The used part of nvJPEG's interface, under NVIDIA's names, so that building needs no CUDA headers. A test compares
 * types, numbers and signatures with the public headers (testdata/api.json).
 */
typedef unsigned int nvjpegStatus_t;       /* an enum in nvjpeg.h */
typedef unsigned int nvjpegBackend_t;      /* an enum in nvjpeg.h */
typedef unsigned int nvjpegOutputFormat_t; /* an enum in nvjpeg.h */
typedef unsigned int libraryPropertyType;  /* an enum in nvjpeg.h */
typedef struct nvjpegHandle *nvjpegHandle_t;
typedef struct nvjpegJpegState *nvjpegJpegState_t;
typedef struct nvjpegJpegStream *nvjpegJpegStream_t;
typedef struct CUstream_st *cudaStream_t;

enum { NVJPEG_MAX_COMPONENT = 4 };

enum {
    MAJOR_VERSION = 0,
    MINOR_VERSION = 1,
    PATCH_LEVEL = 2,
    NVJPEG_STATUS_SUCCESS = 0,
    NVJPEG_STATUS_NOT_INITIALIZED = 1,
    NVJPEG_STATUS_INVALID_PARAMETER = 2,
    NVJPEG_STATUS_BAD_JPEG = 3,
    NVJPEG_STATUS_JPEG_NOT_SUPPORTED = 4,
    NVJPEG_STATUS_ALLOCATOR_FAILURE = 5,
    NVJPEG_STATUS_EXECUTION_FAILED = 6,
    NVJPEG_STATUS_ARCH_MISMATCH = 7,
    NVJPEG_STATUS_INTERNAL_ERROR = 8,
    NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED = 9,
    NVJPEG_STATUS_INCOMPLETE_BITSTREAM = 10,
    NVJPEG_BACKEND_DEFAULT = 0,
    NVJPEG_BACKEND_HARDWARE = 3,
    NVJPEG_FLAGS_BITSTREAM_STRICT = 4,
    NVJPEG_OUTPUT_RGBI = 5,
};

/* Headers before CUDA 12.1 lack this flag. */
enum { NVJPEG_FLAGS_UPSAMPLING_WITH_INTERPOLATION = 32 };

/* The destination of an image. Interleaved output uses the first plane only. */
typedef struct {
    unsigned char *channel[NVJPEG_MAX_COMPONENT];
    size_t pitch[NVJPEG_MAX_COMPONENT];
} nvjpegImage_t;

/* Custom allocators. The bridge passes none. */
typedef struct nvjpegDevAllocator_t nvjpegDevAllocator_t;
typedef struct nvjpegPinnedAllocator_t nvjpegPinnedAllocator_t;

/* The entry points. nvJPEG has all of them since CUDA 11. */
// clang-format off
#define SPOOL_NVJPEG_ENTRIES(X) \
    X(nvjpegGetProperty, libraryPropertyType, int *) \
    X(nvjpegCreateEx, nvjpegBackend_t, nvjpegDevAllocator_t *, nvjpegPinnedAllocator_t *, unsigned int, \
          nvjpegHandle_t *) \
    X(nvjpegDestroy, nvjpegHandle_t) \
    X(nvjpegJpegStateCreate, nvjpegHandle_t, nvjpegJpegState_t *) \
    X(nvjpegJpegStateDestroy, nvjpegJpegState_t) \
    X(nvjpegJpegStreamCreate, nvjpegHandle_t, nvjpegJpegStream_t *) \
    X(nvjpegJpegStreamDestroy, nvjpegJpegStream_t) \
    X(nvjpegJpegStreamParseHeader, nvjpegHandle_t, const unsigned char *, size_t, nvjpegJpegStream_t) \
    X(nvjpegJpegStreamGetFrameDimensions, nvjpegJpegStream_t, unsigned int *, unsigned int *) \
    X(nvjpegDecodeBatchedSupported, nvjpegHandle_t, nvjpegJpegStream_t, int *) \
    X(nvjpegDecodeBatchedInitialize, nvjpegHandle_t, nvjpegJpegState_t, int, int, nvjpegOutputFormat_t) \
    X(nvjpegDecodeBatched, nvjpegHandle_t, nvjpegJpegState_t, const unsigned char *const *, const size_t *, \
          nvjpegImage_t *, cudaStream_t)
// clang-format on

#endif
