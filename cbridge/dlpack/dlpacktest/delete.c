#include "delete.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct job {
    void *tensor;
    int at;
};

void dlpacktest_delete(void *tensor, int at)
{
    void (*deleter)(void *);

    memcpy(&deleter, (char *)tensor + at, sizeof deleter);
    deleter(tensor);
}

static void *run(void *data)
{
    struct job *j = data;

    dlpacktest_delete(j->tensor, j->at);
    return NULL;
}

int dlpacktest_delete_elsewhere(void *tensor, int at)
{
    struct job j = {tensor, at};
    pthread_t thread;

    if (pthread_create(&thread, NULL, run, &j))
        return -1;
    return pthread_join(thread, NULL);
}

int dlpacktest_delete_in_child(void *tensor, int at)
{
    int status;
    const pid_t child = fork();

    if (child == 0) {
        alarm(10); /* ends the child if it hangs */
        dlpacktest_delete(tensor, at);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return status;
}
