package decodetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
)

// Image decodes an image into memory of the test.
func Image(t testing.TB, d *decoders.Set, data []byte, spec image.Spec) ([]byte, image.Report) {
	t.Helper()
	b, report, err := d.Images.Decode(t.Context(), spool.Bytes{Data: data}, spec)
	require.NoError(t, err)
	defer b.Release()
	require.Equal(t, report.Desc, b.Desc())
	return append([]byte(nil), b.Bytes()...), report
}
