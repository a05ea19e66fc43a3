#include "note.h"

#include <string.h>
#include <vips/vips.h>

static _Thread_local struct {
    int32_t warnings;
    char text[160]; /* as many messages as fit, in order */
} messages;

/* Appends a message as one line. */
static void append(char *line, size_t size, const char *message)
{
    if (line[0])
        g_strlcat(line, "; ", size);
    size_t n = strlen(line);
    int space = 1; /* a run of white space becomes one blank */
    for (; *message && n + 1 < size; message++) {
        if (!g_ascii_isspace(*message))
            line[n++] = *message;
        else if (!space)
            line[n++] = ' ';
        space = g_ascii_isspace(*message);
    }
    line[n - (n > 0 && line[n - 1] == ' ')] = '\0';
}

static void record(const char *domain, GLogLevelFlags level, const char *message, void *unused)
{
    (void)domain;
    (void)unused;
    if ((level & G_LOG_LEVEL_MASK) > G_LOG_LEVEL_WARNING)
        return;
    messages.warnings++;
    append(messages.text, sizeof messages.text, message);
}

/* Replaces GLib's handler, which prints to stderr. */
void spool_vips_silence(void)
{
    g_log_set_handler("VIPS", G_LOG_LEVEL_MASK | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION, record, NULL);
}

void spool_vips_note_begin(void)
{
    messages.warnings = 0;
    messages.text[0] = '\0';
}

/* Some loaders name the cause in a warning, and their error only reports the refusal: both are kept. */
void spool_vips_note_end(spool_vips_note *note, int failed)
{
    note->warnings = messages.warnings;
    if (!failed) {
        vips_error_clear(); /* errors that a loader recovered from must not explain a later failure */
        return;
    }
    char *errors = vips_error_buffer_copy();
    append(note->text, sizeof note->text, errors);
    g_free(errors);
    if (messages.text[0])
        append(note->text, sizeof note->text, messages.text);
}
