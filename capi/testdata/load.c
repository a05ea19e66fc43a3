/* Loads the library by dlopen, and prints the signals whose handlers it has changed. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <dlfcn.h>
#include <signal.h>

static void mine(int number)
{
    (void)number;
}

int main(int argc, char **argv)
{
    struct sigaction before[32], after;
    EXPECT(argc == 2 && sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL) == 0);
    EXPECT(sigaction(SIGINT, &(struct sigaction){.sa_handler = mine}, NULL) == 0);
    for (int s = 1; s < 32; s++)
        EXPECT(sigaction(s, NULL, &before[s]) == 0);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    EXPECT(library != NULL);
    int32_t (*abi)(void);
    *(void **)&abi = dlsym(library, "spool_abi");
    int32_t (*doctor)(spool_array **, spool_error *);
    *(void **)&doctor = dlsym(library, "spool_doctor");
    void (*release)(spool_array *);
    *(void **)&release = dlsym(library, "spool_array_release");
    spool_array *json;
    EXPECT(abi() == SPOOL_ABI && doctor(&json, NULL) == SPOOL_OK);
    release(json);
    for (int s = 1; s < 32; s++) {
        EXPECT(sigaction(s, NULL, &after) == 0);
        if (memcmp(&before[s].sa_handler, &after.sa_handler, sizeof after.sa_handler) != 0)
            printf("%d ", s);
    }
    raise(SIGPIPE); /* ignored as before */
    puts("");
    return 0;
}
