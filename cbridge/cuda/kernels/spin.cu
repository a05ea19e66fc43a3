/* A consumer that takes as long as it is told, for measurements. It reads of what it waits for. */
#include "elements.h"

#ifndef NANOSECONDS
INLINE unsigned long long device_nanoseconds(void)
{
    unsigned long long time;

    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}
#define NANOSECONDS device_nanoseconds()
#endif

KERNEL spin(const unsigned char *in, unsigned long long *out, unsigned long long nanoseconds)
{
    const unsigned long long begin = NANOSECONDS;
    unsigned long long turns = 0;

    if (threadIdx.x)
        return;
    while (NANOSECONDS - begin < nanoseconds)
        turns++;
    *out = turns + *in;
}
