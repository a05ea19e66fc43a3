#ifdef SPOOL_STATIC

#include <stddef.h>

#define OUR(f) __wrap_##f
#define NEXT(f) __real_##f

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_memalign(size_t align, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
int __real_posix_memalign(void **p, size_t align, size_t n);

#include "count.h"

#endif
