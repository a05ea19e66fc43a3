package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/leaktest"
)

const (
	media  = "../../testdata"
	shared = "../../../shared/media"
)

// asCommand makes this test binary the command: what signals, pipes and other users do to it can only be
// seen on a process, and this one is built already, with the race detector where the tests are.
const asCommand = "SPOOL_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asCommand) != "":
		main()
	case os.Getenv(asMeter) != "":
		meter()
	case os.Getenv(asShelves) != "":
		keepShelves(os.Getenv(asShelves))
	case os.Getenv(asPeer) != "":
		fakePeer(os.Getenv(asPeer))
	}
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse}, leaktest.Count{Name: "bytes in libvips", Now: vips.InUse})
}

// outcome is what a call of the command came to.
type outcome struct {
	code   int
	stdout string
	stderr string
}

// command runs the command in this process.
func command(args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := execute(context.Background(), args, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// done is a call that has to succeed without a word on stderr.
func done(t testing.TB, args ...string) string {
	t.Helper()
	o := command(args...)
	require.Empty(t, o.stderr, "%v", args)
	require.Zero(t, o.code, "%v", args)
	return o.stdout
}

// refused is a call that has to fail with the given code and nothing but these lines on stderr.
func refused(t testing.TB, code int, lines []string, args ...string) {
	t.Helper()
	o := command(args...)
	assert.Equal(t, code, o.code, "%v", args)
	assert.Equal(t, lines, linesOf(o.stderr), "%v", args)
	assert.Empty(t, o.stdout, "%v", args)
}

// linesOf are the lines of a text that ends in a line's end.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// process is the command in a process of its own, not yet started.
func process(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env = append(os.Environ(), asCommand+"=yes")
	return c
}

// expected is what Pillow makes of a test file, or the classes that a bad one may be refused with.
type expected struct {
	Classes []string `json:"classes"`
	Format  string   `json:"format"`
	Mode    string   `json:"mode"`
	Frames  int      `json:"frames"`
	Shape   []int    `json:"shape"`
	SHA256  string   `json:"rgb_sha256"`
}

// expectations are those of all files in testdata, by their names below it.
func expectations(t testing.TB) map[string]expected {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(media, "expected.json"))
	require.NoError(t, err)
	var all map[string]expected
	require.NoError(t, json.Unmarshal(data, &all))
	require.NotEmpty(t, all)
	return all
}

// link puts files of testdata into a folder of the test, under names of the test, and gives the folder.
func link(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, target := range files {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		target, err := filepath.Abs(filepath.Join(media, target))
		require.NoError(t, err)
		require.NoError(t, os.Symlink(target, path))
	}
	return folder
}

const (
	photo = media + "/photos/animal/00.jpg" // 451x300
	empty = media + "/hard/bad/empty.jpg"
	text  = media + "/hard/bad/text.jpg"
)
