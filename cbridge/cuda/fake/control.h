#ifndef SPOOL_FAKE_LOAD_H
#define SPOOL_FAKE_LOAD_H

#include "driver/control.h"

/* The functions of control.h in a loaded library. */
typedef struct {
    int (*reset)(const fake_settings *s);
    void (*count)(fake_counters *out);
    void (*hold)(uintptr_t stream);
    void (*go)(void);
    uintptr_t (*current)(void);
    void (*push)(int device);
    void (*pop)(void);
} fake_library;

/* Returns -1 if file is not a simulated driver. */
int fake_load(fake_library *l, const char *file);

/* Wrappers for Go, which cannot call function pointers. */
int fake_call_reset(const fake_library *l, const fake_settings *s);
void fake_call_count(const fake_library *l, fake_counters *out);
void fake_call_hold(const fake_library *l, uintptr_t stream);
void fake_call_go(const fake_library *l);
uintptr_t fake_call_current(const fake_library *l);
void fake_call_push(const fake_library *l, int device);
void fake_call_pop(const fake_library *l);

#endif
