#include "array.h"
#include "entry.h"

#include <stddef.h>
#include <stdlib.h>

#include "_cgo_export.h"

struct spool_array {
    spool_array_view view;
    uintptr_t owner;
    int32_t holders;
};

_Static_assert(offsetof(struct spool_array, view) == 0, "spool_base.h says that an array begins with its view");

static int64_t count;

spool_array *spool_array_make(const spool_array_view *view, void *host, uint64_t device, uintptr_t owner)
{
    spool_array *array = malloc(sizeof *array);
    if (array) {
        *array = (spool_array){.view = *view, .owner = owner, .holders = 1};
        array->view.data = host ? host : (void *)(uintptr_t)device;
        __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    }
    return array;
}

uintptr_t spool_array_owner(const spool_array *array)
{
    return array->owner;
}

int64_t spool_array_count(void)
{
    return __atomic_load_n(&count, __ATOMIC_RELAXED);
}

void spool_array_describe(const spool_array *array, spool_array_view *view)
{
    *view = array->view;
}

spool_array *spool_array_retain(spool_array *array)
{
    __atomic_add_fetch(&array->holders, 1, __ATOMIC_RELAXED);
    return array;
}

void spool_array_release(spool_array *array)
{
    /* A child's memory is a copy, which ends with the child. */
    if (!array || __atomic_sub_fetch(&array->holders, 1, __ATOMIC_ACQ_REL) > 0 || spool_entry_forked())
        return;
    goArrayRelease(array->owner);
    __atomic_sub_fetch(&count, 1, __ATOMIC_RELAXED);
    free(array);
}

int32_t spool_array_dlpack(spool_array *array, int32_t versioned, int32_t read_only, void **tensor, spool_error *error)
{
    SPOOL_ENTER(error);
    return goArrayDLPack(array->owner, array, versioned, read_only, tensor, error);
}

int32_t spool_array_dlpack_in(spool_array *array, uint64_t stream, int32_t versioned, int32_t read_only, void **tensor,
                              spool_error *error)
{
    SPOOL_ENTER(error);
    if (array->view.device_type != SPOOL_CUDA)
        return goArrayDLPack(array->owner, array, versioned, read_only, tensor, error);
    return goArrayDLPackIn(array->owner, stream, versioned, read_only, tensor, error);
}

int32_t spool_array_cuda(spool_array *array, uint64_t stream, int32_t read_only, spool_array **json, spool_error *error)
{
    SPOOL_ENTER(error);
    return goArrayCUDA(array->owner, stream, read_only, json, error);
}
