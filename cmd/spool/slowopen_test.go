package main

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/internal/timing"
)

// A run in which each openat takes 2 ms longer, as on a network file system, gives the same batches at 0.9 of the
// throughput or more. strace delays a few thousand calls a second, and one opener gives 500 files a second: the size of
// the photos keeps the rate between the two.
func TestSlowOpening(t *testing.T) {
	strace := need.Command(t, "strace")
	if out, err := exec.CommandContext(t.Context(), strace, "-qq", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		need.Skip(t, need.System, "no tracing: %v: %s", err, out)
	}
	photos, epochs := photosOf(t, short.Of(64, 8), short.Of(1024, 256), short.Of(768, 192)), "1"
	if timing.Checked() {
		epochs = "100"
	}
	traced := func(calls string) (digests []string, took time.Duration) {
		c := process(t, "run", "images", photos, "--size", "224", "--epochs", epochs, "--digest", "--json")
		c.Args = append([]string{strace, "-f", "-qq", "--seccomp-bpf", "-o", os.DevNull, "-e", "trace=openat", "-e", calls},
			c.Args...)
		c.Path = strace
		out, err := c.Output()
		require.NoError(t, err)
		return clitest.Digests(string(out)), time.Duration(clitest.Summarized(t, string(out)).Wall * float64(time.Second))
	}
	want, plain := traced("signal=none")
	got, slow := traced("inject=openat:delay_enter=2000")
	require.NotEmpty(t, want)
	require.Equal(t, want, got)
	t.Logf("%.2f of the rate", plain.Seconds()/slow.Seconds())
	timing.Within(t, slow, plain*10/9, "with 2 ms for each openat, it")
}

// photosOf writes n JPEG files with the detail of photos, and returns their folder.
func photosOf(t *testing.T, n, width, height int) string {
	t.Helper()
	folder := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = byte(i/4%width*200/width) + byte(random.IntN(40))
	}
	for i := range n {
		img.Pix[i] = byte(i)
		var b bytes.Buffer
		require.NoError(t, jpeg.Encode(&b, img, &jpeg.Options{Quality: 85}))
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%02d.jpg", i)), b.Bytes(), 0o600))
	}
	return folder
}
