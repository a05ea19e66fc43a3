package inject

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// ClockCalls builds a library, in a folder for temporary files, with which a command reads clocks by calls of the
// system. It returns the command's environment. source is that of testdata/clock.c.
func ClockCalls(compiler, source, folder string) (environment []string, err error) {
	library := filepath.Join(folder, "clock.so")
	return []string{"LD_PRELOAD=" + library}, build(compiler, source, library)
}

// build makes a library for LD_PRELOAD of a file in C.
func build(compiler, source, library string, options ...string) error {
	args := append([]string{"-std=gnu11", "-O1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror"}, options...)
	//nolint:gosec,noctx // a test's compiler
	said, err := exec.Command(compiler, append(args, "-o", library, source)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	return nil
}
