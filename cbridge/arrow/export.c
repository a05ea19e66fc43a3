#include "export.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

/* Comes before the memory of an export. */
typedef struct {
    _Alignas(ALIGN) atomic_int holders;
} head;

static _Atomic int64_t count;

void *spool_arrow_alloc(size_t bytes)
{
    size_t whole = (sizeof(head) + bytes + ALIGN - 1) / ALIGN * ALIGN;
    head *h = aligned_alloc(ALIGN, whole);

    if (!h)
        return NULL;
    memset(h, 0, whole);
    atomic_init(&h->holders, 1);
    atomic_fetch_add(&count, 1);
    return h + 1;
}

void spool_arrow_free(void *memory)
{
    head *h = (head *)memory - 1;

    if (atomic_fetch_sub(&h->holders, 1) == 1) {
        free(h);
        atomic_fetch_sub(&count, 1);
    }
}

static void release_schema(struct ArrowSchema *self)
{
    for (int64_t i = 0; i < self->n_children; i++) {
        struct ArrowSchema *child = self->children[i];
        if (child->release) /* it was not moved */
            child->release(child);
    }
    self->release = NULL;
    spool_arrow_free(self->private_data);
}

static void release_array(struct ArrowArray *self)
{
    for (int64_t i = 0; i < self->n_children; i++) {
        struct ArrowArray *child = self->children[i];
        if (child->release)
            child->release(child);
    }
    self->release = NULL;
    spool_arrow_free(self->private_data);
}

static void hold(void *memory)
{
    atomic_fetch_add(&((head *)memory - 1)->holders, 1);
}

void spool_arrow_hold_schema(struct ArrowSchema *schema, void *memory)
{
    hold(memory);
    schema->private_data = memory;
    schema->release = release_schema;
}

void spool_arrow_hold_array(struct ArrowArray *array, void *memory)
{
    hold(memory);
    array->private_data = memory;
    array->release = release_array;
}

void spool_arrow_release(struct ArrowSchema *schema, struct ArrowArray *array)
{
    schema->release(schema);
    array->release(array);
}

int64_t spool_arrow_count(void)
{
    return atomic_load(&count);
}
