/* The program of helper processes for programs that load the library, which lies beside it. */
#include "../spool.h"

int main(void)
{
    return spool_helper();
}
