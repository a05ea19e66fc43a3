/* The program of helper processes for programs that load the library. Both files are in one folder. */
#include "../spool.h"

int main(void)
{
    return spool_helper();
}
