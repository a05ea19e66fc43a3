package av_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
)

// NVDEC's library is missing or not, and there is no other error.
func TestNVDEC(t *testing.T) {
	if err := av.NVDEC(); err != nil {
		require.ErrorIs(t, err, spool.ErrDevice)
		assert.ErrorContains(t, err, "libnvcuvid.so.1")
	}
}

// Without the device, frames equal the CPU's, and the decoder returns the reason. With the device, they are close.
func TestDevices(t *testing.T) {
	c := enter(t, t.Context())
	var scaler av.Scaler
	defer scaler.Close()
	plain := decode(t, c, open(t, c, spool.File(small+"bframes.mp4"), av.InputOptions{}), av.Video, av.DecoderOptions{})
	require.True(t, plain.next())
	assert.NoError(t, plain.decoder.Fallback())
	want := rgb(t, c, &scaler, plain.frame)
	for _, device := range []string{"cuda", "cuda:0", "cuda:7", "vaapi", "vaapi:/dev/null", "vdpau"} {
		t.Run(device, func(t *testing.T) {
			in := open(t, c, spool.File(small+"bframes.mp4"), av.InputOptions{})
			d := decode(t, c, in, av.Video, av.DecoderOptions{Device: device})
			require.True(t, d.next())
			got := rgb(t, c, &scaler, d.frame)
			if err := d.decoder.Fallback(); err != nil {
				t.Log(err)
				assert.ErrorIs(t, err, spool.ErrDevice)
				assert.Equal(t, want, got)
				return
			}
			mean, _ := difference(want, got)
			assert.Less(t, mean, 1.0)
		})
	}
	in := open(t, c, spool.File(small+"mjpeg.mov"), av.InputOptions{})
	d := decode(t, c, in, av.Video, av.DecoderOptions{Device: "vdpau"})
	assert.ErrorIs(t, d.decoder.Fallback(), spool.ErrDevice)
	assert.True(t, d.next())

	p, err := in.Parameters(0)
	require.NoError(t, err)
	for _, device := range []string{"abacus", ":", "cu\x00da"} {
		_, err = av.NewDecoder(c, p, av.DecoderOptions{Device: device})
		assert.ErrorIs(t, err, spool.ErrOptions)
	}
}
