#ifndef SPOOL_FAKE_KERNELS_H
#define SPOOL_FAKE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_ARRAYS = 4 };

/* A range of device memory that a launch accesses. */
typedef struct {
    uint64_t address;
    size_t size;
    int writes;
} array;

typedef struct kernel kernel;

/* A queued launch: its parameters, and the host addresses of its arrays. */
typedef struct {
    const kernel *kernel;
    unsigned int width, height, threads;
    char *at[MAX_ARRAYS];
    max_align_t parameters[];
} launch;

struct kernel {
    const char *name;
    size_t size; /* of the parameters */
    int arrays;
    void (*reach)(const launch *l, array *out);
    void (*thread)(const void *l);
};

/* Returns the kernel of a name, or NULL. */
const kernel *kernel_named(const char *name);
void run_kernel(const launch *l);

#endif
