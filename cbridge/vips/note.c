#include "note.h"

#include <string.h>
#include <vips/vips.h>

static _Thread_local struct {
    int32_t warnings;
    char text[160]; /* as many of them as fit, in order */
} heard;

/* Appends a message as one line. */
static void append(char *line, size_t size, const char *message)
{
    if (line[0])
        g_strlcat(line, "; ", size);
    size_t n = strlen(line);
    int space = 1; /* runs of white space become one blank */
    for (; *message && n + 1 < size; message++) {
        if (!g_ascii_isspace(*message))
            line[n++] = *message;
        else if (!space)
            line[n++] = ' ';
        space = g_ascii_isspace(*message);
    }
    line[n - (n > 0 && line[n - 1] == ' ')] = '\0';
}

static void hear(const char *domain, GLogLevelFlags level, const char *message, void *unused)
{
    (void)domain;
    (void)unused;
    if ((level & G_LOG_LEVEL_MASK) > G_LOG_LEVEL_WARNING)
        return;
    heard.warnings++;
    append(heard.text, sizeof heard.text, message);
}

/* Instead of GLib's handler, which prints to stderr. */
void spool_vips_silence(void)
{
    g_log_set_handler("VIPS", G_LOG_LEVEL_MASK | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION, hear, NULL);
}

void spool_vips_note_begin(void)
{
    heard.warnings = 0;
    heard.text[0] = '\0';
}

/* Some loaders tell what they refuse by a warning, and by an error only that they do: both count. */
void spool_vips_note_end(spool_vips_note *note, int failed)
{
    note->warnings = heard.warnings;
    if (!failed) {
        vips_error_clear(); /* what a loader recovered from must not explain another picture's failure */
        return;
    }
    char *errors = vips_error_buffer_copy();
    append(note->text, sizeof note->text, errors);
    g_free(errors);
    if (heard.text[0])
        append(note->text, sizeof note->text, heard.text);
}
