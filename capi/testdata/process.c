/* Process events: forks, signals, exits during calls. The arguments are the name of the test and a photo. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static spool_image_spec *spec;
static spool_source source;

static void decode(void)
{
    spool_array *array;
    DO(spool_decode_image(spec, &source, NULL, &array, NULL, &failure));
    spool_array_release(array);
}

/* In a child every call fails, but inherited arrays can be read and released. */
static int child(spool_array *array)
{
    spool_array *json = NULL;
    spool_array_view view;
    spool_cancel *cancel;
    spool_array_describe(array, &view);
    volatile unsigned char first = *(unsigned char *)view.data;
    (void)first;
    spool_array_release(spool_array_retain(array));
    spool_array_release(array);
    REFUSED(SPOOL_FORKED, "forked", spool_decode_image(spec, &source, NULL, &json, NULL, &failure));
    EXPECT(strstr(failure.text, "spawn"));
    REFUSED(SPOOL_FORKED, "forked", spool_image_spec_new(NULL, &spec, &failure));
    REFUSED(SPOOL_FORKED, "forked", spool_decode_images(spec, &source, 1, NULL, &json, NULL, &failure));
    REFUSED(SPOOL_FORKED, "forked", spool_cancel_new(&cancel, &failure));
    REFUSED(SPOOL_FORKED, "forked", spool_probe(&source, NULL, NULL, &json, &failure));
    REFUSED(SPOOL_FORKED, "forked", spool_encode_image(&view, "{\"format\": \"png\"}", NULL, &json, &failure));
    REFUSED(SPOOL_FORKED, "forked", spool_doctor(&json, &failure));
    REFUSED(SPOOL_FORKED, "forked", spool_stats(&json, &failure));
    REFUSED(SPOOL_FORKED, "forked", spool_array_dlpack(array, 0, 0, (void **)&json, &failure));
    EXPECT(spool_stats(&json, NULL) == SPOOL_FORKED && spool_abi() == SPOOL_ABI);
    spool_image_spec_release(spec);
    return 0;
}

static void forks(void)
{
    spool_array *array;
    DO(spool_decode_image(spec, &source, NULL, &array, NULL, &failure));
    for (int i = 0; i < 20; i++) {
        pid_t pid = fork();
        EXPECT(pid >= 0);
        if (pid == 0)
            exit(child(array)); /* runs the exit handlers */
        int status;
        EXPECT(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        decode();
    }
    spool_array_release(array);
}

static volatile sig_atomic_t caught;

static void catch (int number)
{
    caught = number;
}

/* The program's signal handlers stay installed, and are called. */
static void signals(void)
{
    int mine[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD, SIGALRM};
    struct sigaction now;
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++) {
        EXPECT(sigaction(mine[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL);
        EXPECT(sigaction(mine[i], &(struct sigaction){.sa_handler = catch}, NULL) == 0);
        decode();
        caught = 0;
        raise(mine[i]);
        EXPECT(caught == mine[i]);
        EXPECT(sigaction(mine[i], NULL, &now) == 0 && now.sa_handler == catch);
    }
}

static void *endless(void *unused)
{
    (void)unused;
    spool_source many[64];
    for (size_t i = 0; i < 64; i++)
        many[i] = source;
    for (;;) {
        spool_array *pixels;
        if (spool_decode_images(spec, many, 64, NULL, &pixels, NULL, NULL) == SPOOL_OK)
            spool_array_release(pixels);
    }
    return NULL;
}

/* Exits while other threads decode. */
static void leave(void)
{
    pthread_t thread;
    for (int i = 0; i < 4; i++)
        EXPECT(pthread_create(&thread, NULL, endless, NULL) == 0);
    for (int i = 0; i < 5; i++)
        decode();
}

int main(int argc, char **argv)
{
    EXPECT(argc == 3);
    source.path = argv[2];
    DO(spool_image_spec_new("{\"size\": \"64x64\"}", &spec, &failure));
    if (strcmp(argv[1], "fork") == 0)
        forks();
    else if (strcmp(argv[1], "signal") == 0)
        signals();
    else if (strcmp(argv[1], "exit") == 0)
        leave();
    else
        return 2;
    puts("done");
    return 0;
}
