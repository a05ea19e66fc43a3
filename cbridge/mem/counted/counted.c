/* A static build counts in package mem. Sanitizers have allocators of their own. */
#if !defined(SPOOL_STATIC) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_MEMORY__)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>

/* Returns the definition of a function that follows the program's. dlsym allocates only if it fails. */
static inline void *next(void **known, const char *name)
{
    void *f = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (__builtin_expect(f == NULL, 0)) {
        f = dlsym(RTLD_NEXT, name);
        __atomic_store_n(known, f, __ATOMIC_RELAXED);
    }
    return f;
}

static void *next_malloc, *next_calloc, *next_realloc, *next_memalign, *next_aligned_alloc, *next_posix_memalign;

#define OUR(f) f
#define NEXT(f) ((typeof(&f))next(&next_##f, #f))

#include "../count.h"

#endif
