#ifndef SPOOL_DLPACKTEST_DELETE_H
#define SPOOL_DLPACKTEST_DELETE_H

/* Call the deleter at an offset of a tensor: on this thread, or on a thread that Go does not know. */
void dlpacktest_delete(void *tensor, int at);
int dlpacktest_delete_elsewhere(void *tensor, int at);

/* Calls it in a forked child process, which does nothing else. Returns the child's exit status, or -1. */
int dlpacktest_delete_in_child(void *tensor, int at);

#endif
