//go:build spool_static

package counted

// #cgo CFLAGS: -DSPOOL_STATIC
import "C"
