/*
 * Included before each C and C++ source of the SDK and of libspool.so. It binds the math functions that glibc 2.29
 * versioned again to their older versions, so that the library loads with glibc 2.28 (manylinux_2_28). The newer
 * versions differ only in that they do not set errno for SVID error handling.
 */
#if defined(__x86_64__)
#define SPOOL_GLIBC "2.2.5"
#elif defined(__aarch64__)
#define SPOOL_GLIBC "2.17"
#endif
#if defined(SPOOL_GLIBC) && !defined(__ASSEMBLER__)
__asm__(".symver exp,exp@GLIBC_" SPOOL_GLIBC "\n"
        ".symver exp2,exp2@GLIBC_" SPOOL_GLIBC "\n"
        ".symver log,log@GLIBC_" SPOOL_GLIBC "\n"
        ".symver log2,log2@GLIBC_" SPOOL_GLIBC "\n"
        ".symver pow,pow@GLIBC_" SPOOL_GLIBC "\n");
#endif
