#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include <dav1d/dav1d.h>

/* dav1d exports this for its tools, and has it in no public header. The flag is in its src/x86/cpu.h. */
extern void dav1d_set_cpu_flags_mask(unsigned mask);
enum { DAV1D_X86_CPU_FLAG_AVX512ICL = 1 << 4 };

/*
 * libavif 0.11 opens dav1d with the settings that this gives, and dav1d's own print what is wrong with a
 * file to stderr, where only we are to speak. This stands before dav1d's function for everybody in the
 * process; who wants messages sets a logger afterwards, as FFmpeg does.
 */
void dav1d_default_settings(Dav1dSettings *settings)
{
    void (*theirs)(Dav1dSettings *) = (void (*)(Dav1dSettings *))dlsym(RTLD_NEXT, "dav1d_default_settings");
    theirs(settings);
    settings->logger.callback = NULL;
}

/*
 * The loop restoration of 1.0 with AVX-512 stores aligned to 64 bytes where chroma may be aligned to 32: a
 * file that asks for units of 32 samples ends the process. 1.1.0 mended it (dav1d's commit 58b15237).
 * AVX2 is no slower on the pictures of AVIF files (BenchmarkAgainstFloor).
 */
__attribute__((constructor)) static void mask_avx512(void)
{
    if (strncmp(dav1d_version(), "1.0", 3) == 0)
        dav1d_set_cpu_flags_mask(~(unsigned)DAV1D_X86_CPU_FLAG_AVX512ICL);
}
