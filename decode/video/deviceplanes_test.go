package video_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

// A device converts planes of 8 bits and even height to the same bytes as decoding to RGB.
func TestDevicesMakeTheSameOfPlanes(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, file := range []string{"bframes.mp4", "full.mp4", "yuv422.mp4", "mpeg2.mpg", "altref.webm", "hidden.ivf",
		"interlaced.mp4"} {
		t.Run(file, func(t *testing.T) {
			v := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", file)), video.OpenOptions{})
			list := []int{0, 2}
			want, _ := decodetest.Frames(t, v, list, video.Spec{})
			planes, report := decodetest.Frames(t, v, list, video.Spec{Planes: video.Planar})
			f := kernels.Frames{Frames: len(list), Width: v.Info().Width, Height: v.Info().Height, SubX: report.Stored.SubX,
				SubY:  report.Stored.SubY,
				Video: kernel.Video{Full: report.Stored.Full}, Scale: kernels.Scale{DType: spool.Uint8}}
			var ok bool
			f.Matrix, ok = kernel.MatrixOf(report.Stored.Matrix)
			require.True(t, ok)
			u, w, _ := f.Pack()
			got := make([]byte, len(want))
			require.NoError(t, f.OnHost(planes, planes[u:], planes[w:], got))
			require.True(t, bytes.Equal(want, got))
		})
	}
}
