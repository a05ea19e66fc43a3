#ifndef SPOOL_DLPACK_TENSOR_H
#define SPOOL_DLPACK_TENSOR_H

#include <sys/types.h>

#include "dlpack.h"

enum { SPOOL_DLPACK_DIMENSIONS = 8 };

/* A tensor with all that belongs to it. A consumer sees one of the first two, whose address is the whole's. */
typedef struct {
    union {
        DLManagedTensor plain;
        DLManagedTensorVersioned versioned;
    };
    int64_t shape[SPOOL_DLPACK_DIMENSIONS], strides[SPOOL_DLPACK_DIMENSIONS];
    uintptr_t handle; /* Go's, of what keeps the memory */
    pid_t process;    /* that made it */
} spool_dlpack;

/* Sets what is the same for both kinds; the caller has set shape, strides and handle. */
void spool_dlpack_plain(spool_dlpack *t, const DLTensor *tensor, uintptr_t data);
void spool_dlpack_versioned(spool_dlpack *t, const DLTensor *tensor, uintptr_t data, uint64_t flags);

#endif
