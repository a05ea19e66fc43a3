/* The filters in plain C: the reference for the vector code. */
#include "filter.h"

#include <stdlib.h>

static uint8_t paeth(int a, int b, int c)
{
    const int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    if (pa <= pb && pa <= pc)
        return a;
    return pb <= pc ? b : c;
}

static void unfilter_row(uint8_t *row, const uint8_t *above, size_t bytes, size_t distance, int filter)
{
    switch (filter) {
    case SPOOL_PNG_SUB:
        for (size_t i = distance; i < bytes; i++)
            row[i] += row[i - distance];
        break;
    case SPOOL_PNG_UP:
        for (size_t i = 0; i < bytes; i++)
            row[i] += above[i];
        break;
    case SPOOL_PNG_AVERAGE:
        for (size_t i = 0; i < bytes; i++)
            row[i] += (above[i] + (i < distance ? 0 : row[i - distance])) / 2;
        break;
    case SPOOL_PNG_PAETH:
        for (size_t i = 0; i < bytes; i++)
            row[i] += i < distance ? above[i] : paeth(row[i - distance], above[i], above[i - distance]);
        break;
    }
}

void spool_png_unfilter_scalar(uint8_t *row, size_t stride, int n, size_t bytes, int distance)
{
    for (int y = 0; y < n; y++, row += stride)
        unfilter_row(row, row - stride, bytes, distance, row[-1]);
}
