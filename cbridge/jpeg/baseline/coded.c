#include "coded.h"

/*
 * Fills the window from `filled` on. Bytes between two 0xFF are copied at once. The C library finds and copies them at
 * the machine's speed.
 */
static void unstuff(coded_data *coded)
{
    const uint8_t *from = coded->from;
    uint8_t *to = coded->filled, *const full = coded->window + BEHIND + WINDOW;

    while (to < full && !coded->complete) {
        const size_t left = coded->end - from, room = full - to, n = left < room ? left : room;
        const uint8_t *mark = n > 0 ? memchr(from, 0xFF, n) : NULL;
        const size_t plain = mark != NULL ? (size_t)(mark - from) : n;
        memcpy(to, from, plain);
        to += plain;
        from += plain;
        if (mark == NULL) {
            coded->complete = from == coded->end;
        } else if (coded->end - from >= 2 && from[1] == 0) {
            *to++ = 0xFF;
            from += 2;
        } else {
            coded->complete = 1;
        }
    }
    coded->from = from;
    coded->filled = to;
    if (coded->complete) {
        memset(to, 0, MCU_BYTES + AHEAD + 8);
        coded->safe = to + 7; /* here all bits are taken, and 7 bytes and some bits are in the reader */
    } else {
        coded->safe = to - MCU_BYTES - AHEAD;
    }
}

void spool_baseline_begin(coded_data *coded)
{
    memset(coded->window, 0, BEHIND);
    coded->filled = coded->window + BEHIND;
    coded->complete = 0;
    coded->reader = (bit_reader){.next = coded->filled};
    unstuff(coded);
}

int spool_baseline_refill(coded_data *coded)
{
    if (coded->complete)
        return SPOOL_BASELINE_OVERRUN;
    const uint8_t *kept = coded->reader.next - BEHIND;
    const size_t n = coded->filled - kept;
    memmove(coded->window, kept, n);
    coded->filled = coded->window + n;
    coded->reader.next = coded->window + BEHIND;
    unstuff(coded);
    return coded->reader.next <= coded->safe ? SPOOL_BASELINE_DONE : SPOOL_BASELINE_OVERRUN;
}

int spool_baseline_finish(coded_data *coded)
{
    if (!coded->complete && spool_baseline_refill(coded) != SPOOL_BASELINE_DONE)
        return SPOOL_BASELINE_OVERRUN;
    if (!coded->complete)
        return SPOOL_BASELINE_TRAILING; /* a whole window more */
    if (bits_left(coded) < 0)
        return SPOOL_BASELINE_OVERRUN;
    if (bits_left(coded) >= 8)
        return SPOOL_BASELINE_TRAILING;
    return coded->end - coded->from >= 2 ? SPOOL_BASELINE_DONE : SPOOL_BASELINE_END;
}

int spool_baseline_restart(coded_data *coded, int n)
{
    const int reason = spool_baseline_finish(coded);
    if (reason != SPOOL_BASELINE_DONE)
        return reason;
    if (coded->from[1] != MARKER_RST0 + n % 8)
        return SPOOL_BASELINE_RESTART;
    coded->from += 2;
    spool_baseline_begin(coded);
    return SPOOL_BASELINE_DONE;
}
