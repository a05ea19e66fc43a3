package png_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

// golden is what torchvision and Pillow make of the pictures in testdata (gen.py).
type golden struct {
	Width, Height    int
	Mode             string // Pillow's
	RGB, RGB16, RGBA string // SHA-256 of the pixels; empty where there is no reference
	Frames           []string
}

func goldens(t testing.TB) map[string]golden {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var file struct{ Files map[string]golden }
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Files)
	return file.Files
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return data
}

// run is png.Decode within a call of its own.
func run(t testing.TB, data []byte, o png.Options) (png.Report, error) {
	t.Helper()
	c, err := call.Enter(t.Context(), 1)
	if err != nil { // testify would take a good part of a fuzz target's time
		t.Fatal(err)
	}
	defer c.Leave()
	return png.Decode(c, data, o)
}

// decode decodes into memory made for the whole picture.
func decode(t testing.TB, data []byte, o png.Options) ([]byte, png.Report, error) {
	t.Helper()
	h, err := png.ReadHeader(data)
	if err != nil {
		return nil, png.Report{}, err
	}
	o.Dst = make([]byte, h.Width*h.Height*pixelBytes(o))
	report, err := run(t, data, o)
	return o.Dst, report, err
}

func pixelBytes(o png.Options) int {
	n := 3
	if o.Channels > 0 {
		n = o.Channels
	}
	if o.Bits == 16 {
		n *= 2
	}
	return n
}

func digest(pixels []byte) string {
	sum := sha256.Sum256(pixels)
	return hex.EncodeToString(sum[:])
}
