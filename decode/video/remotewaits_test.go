package video_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/short"
)

// This test counts the consecutive round trips until a video of one minute is open, its first frame is decoded, and a
// clip of 16 frames is decoded. It uses a clock that advances only when all goroutines wait. A table in
// docs/remote-media.md has these numbers.
func TestDistantRoundTrips(t *testing.T) {
	for _, test := range short.Some([]struct {
		container                string
		before                   bool // a similar file was opened before
		saved                    bool // the index was saved before
		opened, firstFrame, clip int
	}{
		{"front.mp4", false, false, 1, 2, 2},
		{base, false, false, 2, 3, 3},
		{base, true, false, 1, 2, 2},
		{"fragments.mp4", false, false, 2, 2, 2},
		{"video.mkv", false, false, 2, 2, 2},
		{"video.ts", false, false, 2, 2, 2},
		{"front.mp4", false, true, 1, 2, 2},
		{base, false, true, 2, 3, 3},
		{base, true, true, 1, 2, 2},
		{"fragments.mp4", false, true, 2, 3, 3},
		{"video.mkv", false, true, 1, 2, 2},
		{"video.ts", false, true, 2, 3, 3},
	}, 4) {
		name := test.container
		if test.before {
			name += " again"
		}
		if test.saved {
			name += " with an index"
		}
		t.Run(name, func(t *testing.T) {
			data, folder := minuteVideo(t, test.container), t.TempDir()
			bubble.Test(t, func(t *testing.T) {
				d, err := decoders.New(decoders.Options{})
				require.NoError(t, err)
				defer d.Close()
				open := func() (*video.Video, *remoteObject) {
					f := &remoteObject{data: data, latency: time.Second}
					v, err := d.Videos.Open(t.Context(), f.named("s3://b/"+test.container),
						video.OpenOptions{IndexDir: folder, NoIndex: !test.saved})
					require.NoError(t, err)
					return v, f
				}
				if test.before || test.saved {
					v, _ := open()
					if test.saved {
						_, err := v.SaveIndex(folder)
						require.NoError(t, err)
					}
					require.NoError(t, v.Close())
				}
				if !test.before { // the decoder knows nothing about the position of tables
					d, err = decoders.New(decoders.Options{})
					require.NoError(t, err)
					defer d.Close()
				}
				waits := func(n int) (opened, all int) {
					began := time.Now()
					v, f := open()
					opened = int(time.Since(began) / time.Second)
					assert.Equal(t, test.saved, v.Info().Saved)
					clip, err := v.Frames(t.Context(), index.Even(v.Len(), n), video.Spec{})
					require.NoError(t, err)
					all = int(time.Since(began) / time.Second)
					clip.Release()
					require.NoError(t, v.Close())
					t.Logf("%d frames: %d requests, %d of %d bytes", n, f.requests, f.bytes, len(data))
					assert.LessOrEqual(t, f.bytes, int64(len(data)), "nothing twice")
					return opened, all
				}
				opened, all := waits(16)
				assert.Equal(t, test.opened, opened, "opened")
				assert.Equal(t, test.clip, all, "16 frames")
				if !test.before {
					d, err = decoders.New(decoders.Options{})
					require.NoError(t, err)
					defer d.Close()
				}
				_, all = waits(1)
				assert.Equal(t, test.firstFrame, all, "first frame")
			})
		})
	}
}
