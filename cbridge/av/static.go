//go:build spool_static

package av

// The tag is for builds with the SDK's libraries (tools/sdk), which are linked statically.

// #cgo CFLAGS: -DSPOOL_STATIC
import "C"
