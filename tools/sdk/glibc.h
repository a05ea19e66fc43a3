/*
 * Included before each C and C++ source of the SDK and of libspool.so. It binds the math functions that glibc 2.29
 * versioned again to their older versions, so that the library loads with glibc 2.28 (manylinux_2_28). The newer
 * versions differ only in that they do not set errno for SVID error handling.
 */
#if defined(__x86_64__) && !defined(__ASSEMBLER__)
__asm__(".symver exp,exp@GLIBC_2.2.5\n"
        ".symver exp2,exp2@GLIBC_2.2.5\n"
        ".symver log,log@GLIBC_2.2.5\n"
        ".symver log2,log2@GLIBC_2.2.5\n"
        ".symver pow,pow@GLIBC_2.2.5\n");
#endif
