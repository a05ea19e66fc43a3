package device_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/leaktest"
)

const (
	media  = "../../testdata"
	shared = "../../../shared/media"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "bytes in libvips", Now: vips.InUse},
		leaktest.Count{Name: "handles of CUDA and nvJPEG", Now: func() int64 {
			u, c := nvjpeg.InUse(), cuda.InUse()
			return u.Codecs + u.States + c.Contexts + c.Blocks + c.Streams + c.Events
		}})
}

// decoders are the decoders that the tests use, with common limits and memory.
type decoders struct {
	*decode.Decoder
	images *image.Decoder
}

// options are those of all decoders.
type options struct {
	Limits decode.Limits
	Pool   *spool.Pool
}

func newDecoders(o options) (*decoders, error) {
	d, err := decode.New(decode.Options{Limits: o.Limits, Pool: o.Pool})
	if err != nil {
		return nil, err
	}
	images, err := image.New(d, image.Options{})
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &decoders{d, images}, nil
}

func (d *decoders) Close() error { return errors.Join(d.images.Close(), d.Decoder.Close()) }

func newDecoder(t testing.TB, o options) *decoders {
	t.Helper()
	d, err := newDecoders(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close(), "a buffer leaked") })
	return d
}

func readFile(t testing.TB, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return data
}

// pixels decodes into memory of the test.
func pixels(t testing.TB, d *decoders, data []byte, spec image.Spec) ([]byte, image.Report) {
	t.Helper()
	b, report, err := d.images.Decode(context.Background(), spool.Bytes{Data: data}, spec)
	require.NoError(t, err)
	defer b.Release()
	require.Equal(t, report.Desc, b.Desc())
	return append([]byte(nil), b.Bytes()...), report
}

// worst is the largest difference of two images, and the mean difference.
func worst(t testing.TB, want, got []byte) (largest int, mean float64) {
	t.Helper()
	require.Len(t, got, len(want))
	sum := 0
	for i, v := range want {
		d := max(int(v), int(got[i])) - min(int(v), int(got[i]))
		largest = max(largest, d)
		sum += d
	}
	return largest, float64(sum) / float64(max(len(want), 1))
}

var ctx = context.Background()
