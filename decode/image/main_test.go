package image_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/leaktest"
)

const (
	media  = "../../testdata"
	shared = "../../../shared/media"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "bytes in libvips", Now: vips.InUse},
		leaktest.Count{Name: "open AVIF decoders", Now: avif.Opened})
}

// pixels decodes into memory of the test.
func pixels(t testing.TB, d *decoders.Set, data []byte, spec image.Spec) ([]byte, image.Report) {
	t.Helper()
	b, report, err := d.Images.Decode(context.Background(), spool.Bytes{Data: data}, spec)
	require.NoError(t, err)
	defer b.Release()
	require.Equal(t, report.Desc, b.Desc())
	return append([]byte(nil), b.Bytes()...), report
}

var ctx = context.Background()
