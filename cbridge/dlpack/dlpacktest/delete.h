#ifndef SPOOL_DLPACKTEST_DELETE_H
#define SPOOL_DLPACKTEST_DELETE_H

/* Calls the deleter that lies at a place of a tensor: on this thread, or on one that Go does not know. */
void dlpacktest_delete(void *tensor, int at);
int dlpacktest_delete_elsewhere(void *tensor, int at);

/* Calls it in a child of this process, which does nothing else. Gives the child's exit status, or -1. */
int dlpacktest_delete_in_child(void *tensor, int at);

#endif
