#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include <dav1d/dav1d.h>

/* dav1d exports this function for its tools, but no public header declares it. The flag is from its src/x86/cpu.h. */
extern void dav1d_set_cpu_flags_mask(unsigned mask);
enum { DAV1D_X86_CPU_FLAG_AVX512ICL = 1 << 4 };

#ifndef SPOOL_STATIC /* libavif 1.4 sets its own logger */
/*
 * Replaces dav1d's function of this name for the whole process, to disable logging. libavif 0.11 opens dav1d with these
 * settings, and dav1d's default prints the problems of a file to stderr, which is reserved for this program's messages.
 * A user of dav1d that needs messages sets a logger afterwards, as FFmpeg does.
 */
void dav1d_default_settings(Dav1dSettings *settings)
{
    void (*theirs)(Dav1dSettings *) = (void (*)(Dav1dSettings *))dlsym(RTLD_NEXT, "dav1d_default_settings");
    theirs(settings);
    settings->logger.callback = NULL;
}
#endif

/*
 * Disables AVX-512 in dav1d 1.0. Its loop restoration stores 64 aligned bytes where chroma may be aligned to 32. A file
 * with restoration units of 32 samples crashes the process. dav1d 1.1.0 has a fix (commit 58b15237). AVX2 is no slower
 * on AVIF images (BenchmarkAgainstFloor).
 */
__attribute__((constructor)) static void mask_avx512(void)
{
    if (strncmp(dav1d_version(), "1.0", 3) == 0)
        dav1d_set_cpu_flags_mask(~(unsigned)DAV1D_X86_CPU_FLAG_AVX512ICL);
}
