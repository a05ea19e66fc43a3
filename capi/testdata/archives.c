/* Archives. The arguments are a tar file, the same compressed, an NPZ file, an NPY file, and a file of another kind. */
#include "check.h"

/* The members of a tar file are listed in order, and read in any order. The program prints their names and sizes. */
static void members(const char *path, int print)
{
    spool_archive *archive;
    spool_array *list, *bytes, *json;
    spool_array_view view, member;
    DO(spool_archive_open(&(spool_source){.path = path}, NULL, NULL, &archive, &failure));
    DO(spool_archive_info(archive, &json, &failure));
    spool_array_describe(json, &view);
    EXPECT(strstr(view.data, "\"format\":\"tar\"") && !strstr(view.data, "damage"));
    spool_array_release(json);
    DO(spool_archive_list(archive, &list, &failure));
    spool_array_describe(list, &view);
    EXPECT(view.ndim == 2 && view.shape[1] == (int64_t)sizeof(spool_member));
    const spool_member *m = view.data;
    int64_t n = view.shape[0];
    for (int64_t i = n - 1; i >= 0; i--) {
        DO(spool_archive_read(archive, i, NULL, &bytes, &failure));
        spool_array_describe(bytes, &member);
        EXPECT(member.ndim == 1 && member.shape[0] == m[i].size && member.dtype_bits == 8);
        EXPECT(i == n - 1 || m[i].sample <= m[i + 1].sample);
        spool_array_release(bytes);
    }
    REFUSED(SPOOL_OPTIONS, "options", spool_archive_read(archive, n, NULL, &bytes, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_archive_read(archive, -1, NULL, &bytes, &failure));
    spool_archive_close(archive);
    REFUSED(SPOOL_CLOSED, "closed", spool_archive_read(archive, 0, NULL, &bytes, &failure));
    for (int64_t i = 0; print && i < n; i++)
        printf("%s %lld %lld\n", m[i].name, (long long)m[i].sample, (long long)m[i].size);
    spool_array_release(list);
}

/* The program prints the name, the type, the shape and the bytes of each array. */
static void arrays(const char *path, const char *format)
{
    spool_archive *archive;
    spool_array *list, *array, *json;
    spool_array_view view, a;
    DO(spool_archive_open(&(spool_source){.path = path}, "{\"max_bytes\": 100000}", NULL, &archive, &failure));
    DO(spool_archive_info(archive, &json, &failure));
    spool_array_describe(json, &view);
    EXPECT(strstr(view.data, format));
    spool_array_release(json);
    DO(spool_archive_list(archive, &list, &failure));
    spool_array_describe(list, &view);
    const spool_member *m = view.data;
    for (int64_t i = 0; i < view.shape[0]; i++) {
        EXPECT(m[i].size == -1);
        if (spool_archive_read(archive, i, NULL, &array, &failure)) {
            printf("%s %s\n", m[i].name, failure.error_class);
            continue;
        }
        spool_array_describe(array, &a);
        printf("%s %d:%d [", m[i].name, a.dtype_code, a.dtype_bits);
        for (int d = 0; d < a.ndim; d++)
            printf(d ? " %lld" : "%lld", (long long)a.shape[d]);
        printf("] ");
        for (int64_t k = 0; k < a.size; k++)
            printf("%02x", ((const unsigned char *)a.data)[k]);
        printf("\n");
        spool_array_release(array);
    }
    spool_array_release(list);
    spool_archive_close(archive);
}

int main(int argc, char **argv)
{
    spool_archive *archive;
    EXPECT(argc == 6);
    members(argv[1], 1);
    members(argv[2], 0);
    arrays(argv[3], "\"npz\"");
    arrays(argv[4], "\"npy\"");
    REFUSED(SPOOL_NOT_FOUND, "not-found",
            spool_archive_open(&(spool_source){.path = "no/such.tar"}, NULL, NULL, &archive, &failure));
    if (!spool_archive_open(&(spool_source){.path = argv[5]}, NULL, NULL, &archive, &failure))
        return fprintf(stderr, "an image was opened\n"), 1;
    printf("%s\n", failure.error_class);
    REFUSED(SPOOL_EMPTY, "empty",
            spool_archive_open(&(spool_source){.data = "", .size = 0}, NULL, NULL, &archive, &failure));
    REFUSED(SPOOL_OPTIONS, "options",
            spool_archive_open(&(spool_source){.path = argv[1]}, "{\"max_byte\": 1}", NULL, &archive, &failure));
    REFUSED(SPOOL_TOO_LARGE, "too-large",
            spool_archive_open(&(spool_source){.path = argv[2]}, "{\"max_bytes\": 1000}", NULL, &archive, &failure));
    uint64_t sum = 0;
    DO(spool_crc64nvme("1234", 4, &sum, &failure));
    DO(spool_crc64nvme("56789", 5, &sum, &failure));
    EXPECT(sum == 0xae8b14860a799888);
    REFUSED(SPOOL_OPTIONS, "options", spool_crc64nvme(NULL, 1, &sum, &failure));
    return 0;
}
