// Package counted counts failed allocations in C for [mem.Failures]. Programs import it for its side effect:
//
//	import _ "github.com/spoolmedia/spool/cbridge/mem/counted"
//
// The program then defines malloc and its relatives, which shared libraries call too. Each calls the next definition:
// that of the C library, or of a library in LD_PRELOAD. A library must not do so for the program that loads it. Builds
// with the libraries inside count without this package.
//
// The package is for this module only and makes no compatibility promise.
package counted

// #cgo CFLAGS: -O3 -Wall -Wextra -Werror -fno-omit-frame-pointer
import "C"
