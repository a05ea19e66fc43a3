/*
 * Has all code of a program read clocks by calls of the system, for LD_PRELOAD. Usually they read memory that the
 * kernel shares with the process (vDSO), which no filter of calls sees. Go's runtime finds that memory in the auxiliary
 * vector, where this library hides it before the runtime looks. C code is given the functions below.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

__attribute__((constructor)) static void hide(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv;
    while (*environment != NULL)
        environment++;
    for (ElfW(auxv_t) *v = (void *)(environment + 1); v->a_type != AT_NULL; v++)
        if (v->a_type == AT_SYSINFO_EHDR)
            v->a_type = AT_IGNORE;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    return (int)syscall(SYS_clock_gettime, clock, now);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    struct timespec t;
    if (clock_gettime(CLOCK_REALTIME, &t) != 0)
        return -1;
    *now = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *now)
{
    struct timespec t;
    if (clock_gettime(CLOCK_REALTIME, &t) != 0)
        return -1;
    if (now != NULL)
        *now = t.tv_sec;
    return t.tv_sec;
}
