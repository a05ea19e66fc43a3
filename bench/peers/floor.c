/* The least work of a packer: reads files and writes their bytes to shards.
 *
 *     floor LIST OUT FIRST STEP PER_SHARD
 *
 * LIST has a path on each line. Of these, file FIRST and each STEP-th one after it go to shards OUT/FIRST-N, as in a
 * tar file: a header of 512 bytes and content up to a multiple of 512. Headers are zeros.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 512, MOST = 64 << 20 };

static int fail(const char *what)
{
    perror(what);
    return 1;
}

/* Reads a file after a header, and returns the bytes with both, or -1. */
static ssize_t read_file(const char *path, char *to)
{
    int in = open(path, O_RDONLY | O_CLOEXEC);
    if (in < 0) {
        return -1;
    }
    ssize_t n = read(in, to + BLOCK, MOST);
    close(in);
    if (n < 0) {
        return -1;
    }
    ssize_t end = (BLOCK + n + BLOCK - 1) / BLOCK * BLOCK;
    memset(to + BLOCK + n, 0, (size_t)(end - BLOCK - n));
    return end;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        return 2;
    }
    long first = atol(argv[3]), step = atol(argv[4]), per_shard = atol(argv[5]), written = 0;
    FILE *list = fopen(argv[1], "re");
    char *buffer = calloc(1, MOST + 2 * BLOCK), path[4096], shard[4096];
    if (list == NULL || buffer == NULL) {
        return fail(argv[1]);
    }
    int out = -1;
    for (long i = 0; fgets(path, sizeof path, list) != NULL; i++) {
        if (i < first || (i - first) % step != 0) {
            continue;
        }
        path[strcspn(path, "\n")] = 0;
        if (written % per_shard == 0) {
            snprintf(shard, sizeof shard, "%s/%ld-%06ld", argv[2], first, written / per_shard);
            if (out >= 0) {
                close(out);
            }
            if ((out = open(shard, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) < 0) {
                return fail(shard);
            }
        }
        ssize_t n = read_file(path, buffer);
        if (n < 0 || write(out, buffer, (size_t)n) != n) {
            return fail(path);
        }
        written++;
    }
    return 0;
}
