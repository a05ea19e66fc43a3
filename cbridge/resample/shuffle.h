#ifndef SPOOL_RESAMPLE_SHUFFLE_H
#define SPOOL_RESAMPLE_SHUFFLE_H

/*
 * SHUFFLE(mask_type, a, b, ...) takes the given elements of two vectors, those of b numbered after those of a.
 * mask_type is a vector of as many integers of the same size. GCC has clang's builtin since version 12.
 */
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE(mask_type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(mask_type, a, b, ...) __builtin_shuffle(a, b, (mask_type){__VA_ARGS__})
#endif

#endif
