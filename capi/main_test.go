package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
)

const testdata = "../testdata"

// folder is where the library is built for the first test that needs it.
var folder string

// buildOnce builds the library, unless SPOOL_LIBRARY names one, as in make test: go build recompiles much of a library
// each time.
var buildOnce = sync.OnceValues(func() (string, error) {
	if library := os.Getenv("SPOOL_LIBRARY"); library != "" {
		return filepath.Dir(library), nil
	}
	return folder, build(filepath.Join(folder, "libspool.so"))
})

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if folder, err = os.MkdirTemp("", "capi"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	return leaktest.Run(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

// built returns a folder with the library, built as make does.
func built(t testing.TB) string {
	t.Helper()
	dir, err := buildOnce()
	require.NoError(t, err)
	return dir
}

// build builds the library. SPOOL_CAPI_FLAGS may contain additional flags, like -race.
func build(to string) error {
	script, err := filepath.Abs("spool.map")
	if err != nil {
		return err
	}
	args := append([]string{"build", "-buildmode=c-shared", "-trimpath"}, strings.Fields(os.Getenv("SPOOL_CAPI_FLAGS"))...)
	c := exec.Command("go", append(args, "-ldflags", "-s -w -extldflags=-Wl,--version-script="+script, "-o", to, ".")...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// compile builds a C program of testdata against the library, like a user's program, but with the sanitizers.
func compile(t testing.TB, source string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c"))
	args := append([]string{"-std=c11", "-O1", "-g", "-pthread", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I.", source,
		"-o", program}, flags...)
	out, err := exec.Command("gcc", append(args, "-L"+built(t), "-lspool", "-Wl,-rpath,"+built(t))...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// sanitized are the flags of the sanitizers.
var sanitized = []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"}

// start runs a program, and returns its output.
func start(t testing.TB, input string, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	suppressions, err := filepath.Abs("../tools/lsan.supp")
	require.NoError(t, err)
	c.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=1",
		"LSAN_OPTIONS=print_suppressions=0:suppressions="+suppressions)
	c.Stdin = strings.NewReader(input)
	var out, told bytes.Buffer
	c.Stdout, c.Stderr = &out, &told
	require.NoError(t, c.Run(), "%s\n%s", out.String(), told.String())
	return out.String()
}

// photos returns the paths of n photos.
func photos(t testing.TB, n int) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(testdata, "photos", "*", "*.jpg"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), n)
	return names[:n]
}
