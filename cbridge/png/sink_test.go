package png_test

import (
	"bytes"
	"image"
	stdpng "image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// A few rows are right at any position, also in streams of stored blocks.
func TestRowsOfStoredBlocks(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 250, 300))
	random := rand.New(rand.NewPCG(6, 7))
	for i := range img.Pix {
		img.Pix[i] = uint8(random.Uint32()) | 0xff*uint8(i%4/3)
	}
	for _, level := range []stdpng.CompressionLevel{stdpng.NoCompression, stdpng.BestSpeed, stdpng.DefaultCompression} {
		var file bytes.Buffer
		require.NoError(t, (&stdpng.Encoder{CompressionLevel: level}).Encode(&file, img))
		for first := 0; first < 300; first += 7 {
			dst := make([]byte, 2*3*250)
			_, err := run(t, file.Bytes(), png.Options{Dst: dst, First: first, Last: first + 2})
			require.NoError(t, err)
			for i := range 2 * 250 {
				require.Equal(t, img.Pix[4*(first*250+i):][:3], dst[3*i:][:3], "level %d, row %d, pixel %d", level, first, i)
			}
		}
	}
}

func TestSinkOfAnUnknownImageIsRefused(t *testing.T) {
	to := lanetest.NewTarget(t, 33, 21, lanetest.Form{Channels: 3}, lanetest.All(33, 21))
	defer to.Close()
	_, err := run(t, lanetest.Read(t, "rgb8.png"), png.Options{Sink: to.Sink.Pointer()})
	assert.ErrorIs(t, err, spool.ErrOptions)
}

func TestOptionsAreCheckedAtOnce(t *testing.T) {
	_, err := run(t, lanetest.Read(t, "rgb8.png"), png.Options{Channels: 2, Bits: 12, First: -1, Stride: -1, Accept: 2})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, part := range []string{"2 Channels", "12 Bits", "[-1, 0)", "Stride -1", "Accept 2"} {
		assert.ErrorContains(t, err, part)
	}
}
