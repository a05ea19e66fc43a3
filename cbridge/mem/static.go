//go:build spool_static

package mem

// The libraries of the SDK are part of the program or library, so the linker has their calls of allocators counted.
// Those of other libraries in the process are left alone.

// #cgo CFLAGS: -DSPOOL_STATIC
// #cgo LDFLAGS: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc
// #cgo LDFLAGS: -Wl,--wrap=memalign -Wl,--wrap=aligned_alloc -Wl,--wrap=posix_memalign
import "C"
