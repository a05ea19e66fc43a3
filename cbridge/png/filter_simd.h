/*
 * The filters with vectors of 16 bytes.
 *
 * All filters except Up and None need the pixel to the left, so that pixels of one row cannot be processed in parallel.
 * Several rows can, if each row is one pixel behind the row above it. The vector of the last pixels then holds, for
 * each row, the pixel to its left and, shifted by one row, the pixel above. The vector before that, shifted, holds the
 * pixel above and left. A vector holds four rows of pixels of up to 4 bytes, or two rows of up to 8. The bytes of a row
 * in a vector are a lane.
 *
 * The file of each instruction set defines `vec` and these operations on bytes, and includes this source:
 *   vec_zero, vec_and
 *   vec_add                    modulo 256
 *   vec_adds, vec_subs         unsigned, saturated
 *   vec_min, vec_max           unsigned
 *   vec_not_above(a, b)        all bits set where a <= b, unsigned
 *   vec_average(a, b)          (a + b) / 2, rounded down
 *   vec_select(mask, a, b)     a where all bits of the mask are set, b where none is
 *   vec_behind4(v, p)          v shifted up by 4 bytes, with the 4 bytes at p below; vec_behind8 the same with 8
 *   vec_gather4(p, at)         the 4 bytes at p[0] + at .. p[3] + at; vec_gather8 8 at p[0] + at and p[1] + at
 *   vec_scatter4, vec_scatter8 the same, stored
 */
#ifndef SPOOL_PNG_FILTER_SIMD_H
#define SPOOL_PNG_FILTER_SIMD_H

enum {
    MOST_ROWS = 4,
    BEHIND = 32, /* pixels; by then the stores of the first wave are in the cache and can be loaded */
};

/* Rows in progress. In a step, row k is at pixel step - k. */
typedef struct {
    ptrdiff_t step;
    uint8_t *row[MOST_ROWS]; /* row k lags by k pixels: it begins at row[k] + k pixels */
    const uint8_t *above;
    vec stored;                                   /* filtered pixels of this step, while all rows are in range */
    vec left, up;                                 /* the last results, and the pixels above them */
    vec uses_left, uses_up, uses_corner, average; /* set by each row's filter */
} wave;

/* A vector in memory. */
typedef union {
    vec all;
    uint8_t byte[16];
} bytes16;

/*
 * The prediction for each row by its filter. Paeth: let lo and hi be the smaller and the larger of a and b. The
 * prediction is hi if 3c - a - b <= lo, else lo if hi <= 3c - a - b, else c. Both conditions compare distances from c,
 * 2 (c - lo) <= hi - c and 2 (hi - c) <= c - lo. They do not change when the distances are saturated at 0 and 255.
 *
 * Up is this predictor of (0, up, 0), Sub of (left, 0, 0) and None of zeros: the result is hi, as always if c is 0.
 * Average does not use c either, and replaces hi.
 */
INLINE vec predict(const wave *w, vec a, vec b, vec c)
{
    const vec lo = vec_min(a, b), hi = vec_max(a, b);
    const vec below = vec_subs(c, lo), above = vec_subs(hi, c);
    const vec is_hi = vec_not_above(vec_adds(below, below), above);
    const vec is_lo = vec_not_above(vec_adds(above, above), below);
    return vec_select(is_hi, vec_select(w->average, vec_average(a, b), hi), vec_select(is_lo, lo, c));
}

/* Computes the next pixels, `at` bytes from the rows' pointers, from their filtered values. */
INLINE vec advance(wave *w, size_t at, vec stored, int lane)
{
    const vec up = lane == 4 ? vec_behind4(w->left, w->above + at) : vec_behind8(w->left, w->above + at);
    const vec a = vec_and(w->left, w->uses_left), b = vec_and(up, w->uses_up), c = vec_and(w->up, w->uses_corner);
    w->up = up;
    w->left = vec_add(stored, predict(w, a, b, c));
    return w->left;
}

/* One step of the rows [from, to); the others have no pixel in this step. Writes only the pixels of these rows. */
INLINE void step_some(wave *w, size_t at, vec stored, int from, int to, int lane, int distance)
{
    bytes16 pixels, inside = {.all = vec_zero()};
    memset(inside.byte + from * lane, 0xFF, (to - from) * lane);
    pixels.all = advance(w, at, stored, lane);
    w->left = vec_and(pixels.all, inside.all);
    for (int k = 0; k < 16 / lane; k++)
        if (from <= k && k < to)
            memcpy(w->row[k] + at, pixels.byte + k * lane, distance);
}

INLINE vec gather_some(const wave *w, size_t at, int from, int to, int lane)
{
    bytes16 pixels = {.all = vec_zero()};
    for (int k = 0; k < 16 / lane; k++)
        if (from <= k && k < to)
            memcpy(pixels.byte + k * lane, w->row[k] + at, lane);
    return pixels.all;
}

INLINE vec gather(const wave *w, size_t at, int lane)
{
    return lane == 4 ? vec_gather4(w->row, at) : vec_gather8(w->row, at);
}

/*
 * Stores whole lanes. This overwrites part of the next pixel, which is loaded already. For pixels of one byte it would
 * overwrite more, so these are stored singly.
 */
INLINE void scatter(const wave *w, size_t at, vec pixels, int lane, int distance)
{
    const bytes16 out = {.all = pixels};
    if (distance == 1)
        for (int k = 0; k < MOST_ROWS; k++)
            w->row[k][at] = out.byte[k * lane];
    else if (lane == 4)
        vec_scatter4(w->row, at, pixels);
    else
        vec_scatter8(w->row, at, pixels);
}

/* The first steps of a full wave, which is wider than its number of rows, until all rows are in range. */
INLINE void enter(wave *w, int lane, int distance)
{
    for (; w->step < 16 / lane - 1; w->step++) {
        const size_t at = w->step * distance;
        step_some(w, at, gather_some(w, at, 0, w->step + 1, lane), 0, w->step + 1, lane, distance);
    }
    w->stored = gather(w, w->step * distance, lane);
}

/* One step while all rows are in range, and stay in range. */
INLINE void advance_all(wave *w, int lane, int distance)
{
    const size_t at = w->step++ * distance;
    const vec stored = w->stored;
    w->stored = gather(w, at + distance, lane);
    scatter(w, at, advance(w, at, stored, lane), lane, distance);
}

/* The last steps of a wave of n rows: all of them, or those from the first row's last pixel on. */
INLINE void leave(wave *w, int n, ptrdiff_t width, int lane, int distance)
{
    if (w->step > 0) { /* part of the memory is overwritten, so use the loaded pixels */
        step_some(w, w->step * distance, w->stored, 0, n, lane, distance);
        w->step++;
    }
    for (; w->step < width + n - 1; w->step++) {
        const int from = w->step < width ? 0 : w->step - width + 1, to = w->step + 1 < n ? w->step + 1 : n;
        const size_t at = w->step * distance;
        step_some(w, at, gather_some(w, at, from, to, lane), from, to, lane, distance);
    }
}

INLINE void init(wave *w, uint8_t *row, size_t stride, int n, int lane, int distance)
{
    bytes16 left = {.all = vec_zero()}, up = left, corner = left, average = left;
    *w = (wave){.above = row - stride, .left = left.all, .up = left.all};
    for (int k = 0; k < MOST_ROWS; k++)
        w->row[k] = row;
    for (int k = 0; k < n && k < 16 / lane; k++) {
        const int filter = row[k * stride - 1];
        if (filter == SPOOL_PNG_SUB || filter >= SPOOL_PNG_AVERAGE)
            memset(left.byte + k * lane, 0xFF, lane);
        if (filter >= SPOOL_PNG_UP)
            memset(up.byte + k * lane, 0xFF, lane);
        if (filter == SPOOL_PNG_PAETH)
            memset(corner.byte + k * lane, 0xFF, lane);
        if (filter == SPOOL_PNG_AVERAGE)
            memset(average.byte + k * lane, 0xFF, lane);
        w->row[k] = row + k * (stride - distance);
    }
    w->uses_left = left.all;
    w->uses_up = up.all;
    w->uses_corner = corner.all;
    w->average = average.all;
}

/*
 * Two full waves, the second BEHIND pixels behind the first. Each step of a wave waits only for its previous step, so
 * that two waves take hardly longer than one.
 */
INLINE void unfilter_two(uint8_t *row, size_t stride, ptrdiff_t width, int lane, int distance)
{
    const int n = 16 / lane;
    wave first, second;
    init(&first, row, stride, n, lane, distance);
    init(&second, row + n * stride, stride, n, lane, distance);
    enter(&first, lane, distance);
    for (int i = 0; i < BEHIND; i++)
        advance_all(&first, lane, distance);
    enter(&second, lane, distance);
    while (first.step < width - 1) {
        advance_all(&first, lane, distance);
        advance_all(&second, lane, distance);
    }
    leave(&first, n, width, lane, distance);
    while (second.step < width - 1)
        advance_all(&second, lane, distance);
    leave(&second, n, width, lane, distance);
}

INLINE void unfilter_one(uint8_t *row, size_t stride, int n, ptrdiff_t width, int lane, int distance)
{
    wave w;
    init(&w, row, stride, n, lane, distance);
    if (n == 16 / lane && width > n) {
        enter(&w, lane, distance);
        while (w.step < width - 1)
            advance_all(&w, lane, distance);
    }
    leave(&w, n, width, lane, distance);
}

/* Processes some of n rows, and returns their number. */
INLINE int unfilter_some(uint8_t *row, size_t stride, int n, size_t bytes, int lane, int distance)
{
    const int full = 16 / lane;
    const ptrdiff_t width = bytes / distance;
    if (n >= 2 * full && width > 2 * BEHIND) {
        unfilter_two(row, stride, width, lane, distance);
        return 2 * full;
    }
    n = n < full ? n : full;
    unfilter_one(row, stride, n, width, lane, distance);
    return n;
}

static void add_above(uint8_t *restrict row, const uint8_t *restrict above, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        row[i] += above[i];
}

static int unfilter_rows(uint8_t *row, size_t stride, int n, size_t bytes, int distance)
{
    switch (distance) {
    case 1:
        return unfilter_some(row, stride, n, bytes, 4, 1);
    case 2:
        return unfilter_some(row, stride, n, bytes, 4, 2);
    case 3:
        return unfilter_some(row, stride, n, bytes, 4, 3);
    case 4:
        return unfilter_some(row, stride, n, bytes, 4, 4);
    case 6:
        return unfilter_some(row, stride, n, bytes, 8, 6);
    default:
        return unfilter_some(row, stride, n, bytes, 8, 8);
    }
}

void spool_png_unfilter_simd(uint8_t *row, size_t stride, int n, size_t bytes, int distance)
{
    for (int some; n > 0; n -= some, row += some * stride) {
        some = 1;
        if (row[-1] == SPOOL_PNG_UP)
            add_above(row, row - stride, bytes);
        else if (row[-1] != SPOOL_PNG_NONE)
            some = unfilter_rows(row, stride, n, bytes, distance);
    }
}

#endif
