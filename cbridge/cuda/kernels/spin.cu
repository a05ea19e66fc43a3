/* Simulates a consumer that takes a given time, for measurements. It reads the data that it waits for. */
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
