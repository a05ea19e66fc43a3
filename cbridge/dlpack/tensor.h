#ifndef SPOOL_DLPACK_TENSOR_H
#define SPOOL_DLPACK_TENSOR_H

#include <sys/types.h>

#include "dlpack.h"

enum { SPOOL_DLPACK_DIMENSIONS = 8 };

/* A tensor and all its memory. A consumer sees plain or versioned, which has the same address as the struct. */
typedef struct {
    union {
        DLManagedTensor plain;
        DLManagedTensorVersioned versioned;
    };
    int64_t shape[SPOOL_DLPACK_DIMENSIONS], strides[SPOOL_DLPACK_DIMENSIONS];
    uintptr_t handle; /* cgo.Handle of what keeps the memory */
    pid_t process;    /* that made the tensor */
} spool_dlpack;

/* Set the fields of the structure. The caller has set shape, strides and handle. */
void spool_dlpack_plain(spool_dlpack *t, const DLTensor *tensor, uintptr_t data);
void spool_dlpack_versioned(spool_dlpack *t, const DLTensor *tensor, uintptr_t data, uint64_t flags);

#endif
