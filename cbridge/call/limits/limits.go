// Package limits refuses to start the process if its limits of memory or threads are too small for Go's runtime, which
// would abort later. Commands import it for its side effect:
//
//	import _ "github.com/spoolmedia/spool/cbridge/call/limits"
//
// The process then ends with exit code 2 and a line on stderr:
//
//	spool: usage: the limit on address space (ulimit -v) is 1500 MiB: the command needs 2080 MiB
//
// The need of address space is that of runs with many workers: 1.9 GiB on two cores. Only small parts of it are memory:
// Go reserves addresses for its heap, and each thread for its stack. For the limit on processes (ulimit -u), which
// counts the threads of a user, the process starts as many threads as a run on this machine needs, and ends them.
//
// The limits must be checked before Go's runtime starts. Hence an import instead of a function.
//
// The package is for this module only and makes no compatibility promise.
package limits

// #cgo CFLAGS: -O2 -Wall -Wextra -Werror
import "C"
