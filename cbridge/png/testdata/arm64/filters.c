/* Compares the filters for NEON with the plain ones on random rows. Built and run by TestEmulatedARM64. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

int main(void)
{
    static const int distances[] = {1, 2, 3, 4, 6, 8};
    static uint8_t plain[1 << 20], simd[1 << 20];
    for (int round = 0; round < 800; round++) {
        const int distance = distances[rand() % 6], n = 1 + rand() % 20;
        const size_t bytes = (size_t)distance * (1 + rand() % (round % 3 ? 20 : 200)), stride = bytes + 1;
        const size_t all = 2 * SPOOL_PNG_SLACK + stride * (n + 1);
        uint8_t *first = plain + SPOOL_PNG_SLACK + stride;
        for (size_t i = 0; i < all; i++)
            plain[i] = rand();
        for (int y = 0; y < n; y++)
            first[y * stride - 1] = round % 7 < 5 ? round % 7 : rand() % 5;
        memcpy(simd, plain, all);
        spool_png_unfilter_at(0, first, stride, n, bytes, distance);
        spool_png_unfilter_at(1, simd + (first - plain), stride, n, bytes, distance);
        if (memcmp(plain, simd, all) != 0) {
            printf("round %d: %d rows of %zu bytes, pixels of %d\n", round, n, bytes, distance);
            return 1;
        }
    }
    return 0;
}
