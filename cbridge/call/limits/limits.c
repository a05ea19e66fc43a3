#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { USAGE = 2, MOST = 256 };

static const rlim_t MiB = 1 << 20;

static _Noreturn void refuse(const char *text)
{
    const ssize_t written = write(STDERR_FILENO, text, __builtin_strlen(text));
    (void)written;
    _exit(USAGE);
}

static void *wait_for_all(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

/* Reports whether n threads can exist at a time. */
static int can_start(int n)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[MOST];
    pthread_attr_t small;
    int started = 0;
    if (pthread_attr_init(&small) != 0)
        return 0;
    pthread_attr_setstacksize(&small, 4 * (size_t)PTHREAD_STACK_MIN);
    pthread_mutex_lock(&lock);
    while (started < n && pthread_create(&threads[started], &small, wait_for_all, &lock) == 0)
        started++;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&small);
    return started == n;
}

__attribute__((constructor)) static void check_limits(void)
{
    char text[200];
    struct rlimit l;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const rlim_t space = 2048 + 16 * (rlim_t)(cores > 0 ? cores : 1); /* MiB */
    if (getrlimit(RLIMIT_AS, &l) == 0 && l.rlim_cur < space * MiB) {
        snprintf(text, sizeof text,
                 "spool: usage: the limit on address space (ulimit -v) is %llu MiB: the command needs %llu MiB\n",
                 (unsigned long long)(l.rlim_cur / MiB), (unsigned long long)space);
        refuse(text);
    }
    long threads = 16 + 2 * cores;
    threads = threads > MOST ? MOST : threads;
    /* A larger limit is a system's default. */
    if (getrlimit(RLIMIT_NPROC, &l) == 0 && l.rlim_cur < 4096 && !can_start((int)threads)) {
        snprintf(text, sizeof text,
                 "spool: usage: the limit on processes (ulimit -u) is %llu, for all threads of the user: "
                 "the command needs %ld more\n",
                 (unsigned long long)l.rlim_cur, threads);
        refuse(text);
    }
}
