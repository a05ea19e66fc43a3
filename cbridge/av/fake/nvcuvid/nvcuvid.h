#ifndef SPOOL_FAKE_NVCUVID_H
#define SPOOL_FAKE_NVCUVID_H

#include <stddef.h>
#include <stdint.h>

/* The parts of NVDEC's interface that the simulation reads, with NVIDIA's names. The real structs have more fields. */
typedef unsigned int CUresult; /* an enum in NVIDIA's headers */
typedef unsigned long long CUdeviceptr;
typedef struct CUstream_st *CUstream;

enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_UNKNOWN = 999 };
enum { NV12 = 0, P016 = 1 };

typedef struct {
    unsigned int codec, chroma, bits_minus_8, reserved[3];
    unsigned char supported, engines;
    unsigned short formats; /* a bit for each */
    unsigned int max_width, max_height, max_macroblocks;
    unsigned short min_width, min_height;
} CUVIDDECODECAPS;

typedef struct {
    unsigned long width, height, decode_surfaces;
    unsigned int codec, chroma;
    unsigned long flags, bits_minus_8, intra_only, max_width, max_height, reserved;
    short display_area[4];
    unsigned int format, deinterlace;
    unsigned long target_width, target_height, output_surfaces;
} CUVIDDECODECREATEINFO;

typedef struct {
    int width_in_macroblocks, height_in_macroblocks, index;
    int field, bottom, second_field;
    unsigned int size;
    const unsigned char *data;
} CUVIDPICPARAMS;

typedef struct {
    int progressive, second_field, top_first, unpaired;
    unsigned int reserved[2];
    unsigned long long raw_input;
    unsigned int raw_pitch, raw_format;
    unsigned long long raw_output;
    unsigned int raw_output_pitch, reserved1;
    CUstream stream;
} CUVIDPROCPARAMS;

#endif
