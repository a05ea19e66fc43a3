package vips_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
)

func ptr(b *byte) unsafe.Pointer { return unsafe.Pointer(b) }

// refused fails the test unless the bytes are refused, or decode to the given pixels, or come with a warning: damage
// may be harmless, but it is never filled in silently. libtiff only warns about a ColorMap beyond the end of the file:
// a palette image then decodes as gray.
func refused(t *testing.T, c *call.Call, name string, format vips.Format, data, whole []byte, what string) {
	t.Helper()
	h, err := vips.ReadHeader(c, format, data, 0)
	var report vips.Report
	pixels := make([]byte, len(whole))
	if err == nil {
		pixels = make([]byte, h.Width*h.Height*4)
		report, err = vips.Decode(c, data, h, vips.Options{Channels: 4, Pixels: pixels})
	}
	if err == nil {
		assert.True(t, report.Warnings > 0 || bytes.Equal(whole, pixels), "%s, %s: accepted with other pixels", name, what)
		return
	}
	assert.ErrorIs(t, err, spool.ErrCorrupt, name)
	assert.NotContains(t, err.Error(), "\n")
}

func TestCutFiles(t *testing.T) {
	for name, want := range images(t) {
		if want.RGB == "" && want.Mean == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			c, format, data := enter(t), extensions[want.Format], lanetest.Read(t, name)
			_, whole, err := decode(c, format, data, 0, 4)
			require.NoError(t, err)
			for n := 1; n < len(data); n += short.Of(1, 4) {
				if n > 100 && n < len(data)-100 && n%37 != 0 {
					continue
				}
				refused(t, c, name, format, data[:n], whole, fmt.Sprintf("cut to %d bytes of %d", n, len(data)))
			}
		})
	}
}

// Random damage neither crashes nor prints anything.
func TestRandomDamageIsSilent(t *testing.T) {
	random := seed.Rand(t)
	all := images(t)
	output := captureStderr(t, func() {
		c := enter(t)
		for name, want := range all {
			if want.Format == "jxl" { // Debian's libjxl 0.7 prints what it refuses
				continue
			}
			data := lanetest.Read(t, name)
			for range 40 {
				changed := bytes.Clone(data)
				for range 1 + random.IntN(4) {
					changed[random.IntN(len(changed))] = byte(random.Uint32())
				}
				h, err := vips.ReadHeader(c, extensions[want.Format], changed, 0)
				if err != nil || h.Width*h.Height > 1e6 {
					continue
				}
				_, _ = vips.Decode(c, changed, h, vips.Options{Pixels: make([]byte, h.Width*h.Height*3), MaxMemory: 1 << 28})
			}
		}
	})
	assert.Empty(t, output)
	assert.Zero(t, vips.InUse())
}

// captureStderr returns what the process writes to its standard error while f runs, C code included.
func captureStderr(t *testing.T, f func()) string {
	file, err := os.CreateTemp(t.TempDir(), "stderr")
	require.NoError(t, err)
	defer file.Close()
	saved, err := syscall.Dup(2)
	require.NoError(t, err)
	require.NoError(t, syscall.Dup3(int(file.Fd()), 2, 0))
	func() {
		defer func() {
			require.NoError(t, syscall.Dup3(saved, 2, 0))
			require.NoError(t, syscall.Close(saved))
		}()
		f()
	}()
	_, err = file.Seek(0, io.SeekStart)
	require.NoError(t, err)
	text, err := io.ReadAll(file)
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}

// The text of an error is that of libvips, on one line.
func TestErrorText(t *testing.T) {
	data := lanetest.Read(t, "strips.tif")
	_, _, err := decode(enter(t), vips.TIFF, data[:len(data)/2], 0, 3)
	var e *spool.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, spool.ErrCorrupt, e.Class)
	assert.Equal(t, "libvips", e.Lib)
	assert.Equal(t, "decode", e.Op)
	assert.Contains(t, e.Text, "tiff")
}
