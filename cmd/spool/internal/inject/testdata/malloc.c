/*
 * Allocations that fail on command, for LD_PRELOAD. The file COUNTS holds struct counts, which all processes of a
 * command map; its name is compiled in, since helpers have another environment. The counted allocation number `fail`
 * fails, and if `lasting` is set, all later ones do.
 *
 * All allocations of the program's own code count, but not those that Go's runtime makes in C. Those of libraries count
 * from the start of the program, after the dynamic linker and constructors.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PROGRAM, LIBRARIES };

struct counts {
    uint64_t from, fail, lasting; /* set by the test */
    _Atomic uint64_t made, failed;
    char where[4000]; /* of the first that failed */
};

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);

static struct counts *counts;
static uintptr_t program_begin, program_end;
static uintptr_t theirs[6]; /* the program's definitions of malloc and its relatives, which call these */
static _Atomic int started;

static int first(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_LOAD && (h->p_flags & PF_X) != 0) {
            program_begin = info->dlpi_addr + h->p_vaddr;
            program_end = program_begin + h->p_memsz;
        }
    }
    return 1; /* the program is the first */
}

__attribute__((constructor)) static void map_counts(void)
{
    int file = open(COUNTS, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    void *p = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    dl_iterate_phdr(first, NULL);
    const char *const names[] = {"malloc", "calloc", "realloc", "memalign", "aligned_alloc", "posix_memalign"};
    for (int i = 0; i < 6; i++) {
        const uintptr_t f = (uintptr_t)dlsym(RTLD_DEFAULT, names[i]);
        theirs[i] = f >= program_begin && f < program_end ? f : 0;
    }
    counts = p == MAP_FAILED ? NULL : p;
}

/* Says which code made the allocation that fails: addresses of its callers, found by frame pointers where there are. */
static void note(void *caller)
{
    Dl_info info = {0};
    char *to = counts->where;
    if (dladdr(caller, &info) == 0 || info.dli_fname == NULL)
        return;
    const char *name = strrchr(info.dli_fname, '/');
    snprintf(to, sizeof counts->where, "%s %s +0x%zx", name == NULL ? info.dli_fname : name + 1,
             info.dli_sname == NULL ? "?" : info.dli_sname, (uintptr_t)caller - (uintptr_t)info.dli_fbase);
}

/* Reports whether a caller is a definition of the program, which is shorter than this. */
static int forwards(uintptr_t caller)
{
    for (int i = 0; i < 6; i++)
        if (theirs[i] != 0 && caller - theirs[i] < 200)
            return 1;
    return 0;
}

/* Definitions of the program have frame pointers, so that the caller of one can be found. */
#define CALLER \
    (forwards((uintptr_t)__builtin_return_address(0)) ? __builtin_return_address(1) : __builtin_return_address(0))

static int fails(void *caller)
{
    if (counts == NULL)
        return 0;
    int own = (uintptr_t)caller >= program_begin && (uintptr_t)caller < program_end;
    if (own)
        atomic_store(&started, 1);
    if (counts->from == PROGRAM ? !own : own || !atomic_load(&started))
        return 0;
    uint64_t n = atomic_fetch_add(&counts->made, 1) + 1;
    if (counts->fail == 0 || n < counts->fail || (n > counts->fail && !counts->lasting))
        return 0;
    if (atomic_fetch_add(&counts->failed, 1) == 0)
        note(caller);
    errno = ENOMEM;
    return 1;
}

#define FAILS fails(CALLER)

void *malloc(size_t n)
{
    return FAILS ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return FAILS ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return FAILS ? NULL : __libc_realloc(p, n);
}

void *memalign(size_t align, size_t n)
{
    return FAILS ? NULL : __libc_memalign(align, n);
}

void *aligned_alloc(size_t align, size_t n)
{
    return FAILS ? NULL : __libc_memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
    if (FAILS)
        return ENOMEM;
    *p = __libc_memalign(align, n);
    return *p == NULL ? ENOMEM : 0;
}
