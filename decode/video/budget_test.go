package video_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/packets"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

// The processor time of opening a video is limited, and so is that of a request. A limit of a nanosecond is spent at
// the first poll.
func TestProcessorTimeIsLimited(t *testing.T) {
	file := spool.File(filepath.Join(media, "video", "bframes.mp4"))
	hasty := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxCPU: 1}})
	_, err := hasty.Videos.Open(ctx, file, video.OpenOptions{})
	require.ErrorIs(t, err, spool.ErrTimeout)
	require.ErrorContains(t, err, "more than 1ns of processor time")

	v := decodetest.OpenVideo(t, decodetest.New(t, decoders.Options{}), file, video.OpenOptions{})
	p, err := v.Packets(ctx, 0, 1)
	require.NoError(t, err)
	defer p.Release()
	require.True(t, failsLate(t, hasty, p))
	require.False(t, failsLate(t, decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxCPU: -1}}), p))
}

// failsLate decodes a frame of packets, and reports whether that took too much processor time.
func failsLate(t *testing.T, d *decoders.Set, p *packets.Packets) bool {
	t.Helper()
	v, err := d.Videos.OpenPackets(ctx, p, video.OpenOptions{})
	require.NoError(t, err)
	defer v.Close()
	clip, err := v.Frames(ctx, []int{1}, video.Spec{})
	if err != nil {
		require.ErrorIs(t, err, spool.ErrTimeout)
		return true
	}
	clip.Release()
	return false
}

// All calls of a request take from its budget, also those of other handles.
func TestRequestHasOneBudget(t *testing.T) {
	v := decodetest.OpenVideo(t, decodetest.New(t, decoders.Options{}),
		spool.File(filepath.Join(media, "video", "damaged.mp4")), video.OpenOptions{})
	spent, budget := call.WithBudget(ctx, 1, 1)
	defer budget.End()
	steps, err := video.Steps(v)
	require.NoError(t, err)
	for _, name := range []string{"open again", "decode", "settle"} {
		require.ErrorIs(t, steps[name](spent), spool.ErrTimeout, name)
		require.NoError(t, steps[name](ctx), name)
	}
}
