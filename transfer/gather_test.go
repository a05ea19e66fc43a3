package transfer_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/transfer"
)

// A decoder with room for one frame reuses that room as soon as the frame is put, in its own stream and without a wait.
func TestGather(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{}, fake.Settings{DelayMicros: 200})
	f, err := transfer.NewFrames(r.copier, transfer.FramesOptions{Width: 16, Height: 4, Paired: true, Matrix: 1})
	require.NoError(t, err)
	const pitch, rows, bytesEach = 64, 6, 16 * 4 * 3
	random, twin := seed.Rand(t), kernels.Frames{Frames: 1, Width: 16, Height: 4, SubX: 2, SubY: 2,
		Video: kernel.Video{Matrix: kernel.BT709, Chroma: kernel.PairsUV}, LumaPitch: pitch, ChromaPitch: pitch}
	places := [][]int{{2}, {0, 3}, {1}}
	want, coded := make([]byte, 4*bytesEach), make([]*decoder, len(places))
	for i, at := range places {
		coded[i] = r.decoder(t, pitch*rows)
		for k := range coded[i].host {
			coded[i].host[k] = byte(random.Uint32())
		}
		for _, place := range at {
			require.NoError(t, twin.OnHost(coded[i].host, coded[i].host[4*pitch:], nil, want[place*bytesEach:][:bytesEach]))
		}
	}
	room := coded[0]
	b, err := f.Gather(withTimeout(t), 4, func(put func(int, transfer.DevicePlanes) error) error {
		for i, at := range places {
			if err := r.theirs.ToDevice(room.memory, coded[i].host, room.stream); err != nil {
				return err
			}
			for _, place := range at {
				if err := put(place, transfer.DevicePlanes{Y: uint64(room.memory), U: uint64(room.memory) + 4*pitch,
					LumaPitch: pitch, ChromaPitch: pitch, Stream: spool.DeviceStream(room.stream)}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	require.NoError(t, err)
	got := r.fetched(t, b, spool.Desc{Shape: spool.Shape{4, 4, 16, 3}, Layout: spool.NHWC})
	assert.True(t, bytes.Equal(want, got))
	b.Release()

	_, err = f.Gather(withTimeout(t), 1, func(put func(int, transfer.DevicePlanes) error) error {
		return put(1, transfer.DevicePlanes{})
	})
	require.ErrorIs(t, err, spool.ErrOptions)
	why := errors.New("of the decoder")
	_, err = f.Gather(withTimeout(t), 1, func(func(int, transfer.DevicePlanes) error) error { return why })
	require.ErrorIs(t, err, why)
	_, err = f.Gather(withTimeout(t), 0, nil)
	require.ErrorIs(t, err, spool.ErrShape)
}
