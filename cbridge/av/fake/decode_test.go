package fake_test

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/av/fake"
	"github.com/spoolmedia/spool/cbridge/cuda"
	cudafake "github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/transfer"
)

// deviceVideo is a video of package decode, decoded on a device.
type deviceVideo struct {
	rig
	decoder *decoders.Set
	video   *video.Video
	on      *video.Device
	sums    map[int]uint64 // checksums of frames
}

func newDeviceVideo(t *testing.T, file string, held int, s fake.Settings) *deviceVideo {
	t.Helper()
	m := &deviceVideo{rig: rig{device: fake.New(t, cudafake.Settings{DelayMicros: 100}, s)}, sums: map[int]uint64{}}
	require.NoError(t, m.open())
	t.Cleanup(func() { assert.NoError(t, m.close()) })
	var err error
	m.decoder, err = decoders.New(decoders.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, m.decoder.Close()) })
	m.video, err = m.decoder.Videos.Open(t.Context(), spool.File(media+file), video.OpenOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, m.video.Close()) })
	m.on, err = video.NewDevice(video.DeviceOptions{Held: held})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, m.on.Close()) })

	c := enter(t)
	in, err := av.Open(c, spool.File(media+file), av.InputOptions{})
	require.NoError(t, err)
	defer in.Close()
	in.Select(m.video.Info().Stream)
	p, err := av.NewPacket()
	require.NoError(t, err)
	defer p.Release()
	for in.Read(c, p) == nil {
		if n, ok := m.video.Index().FrameAt(p.Entry().PTS); ok {
			m.sums[n] = sumOf(p.Data())
		}
	}
	return m
}

// read returns the checksum that a frame contains.
func (m *deviceVideo) read(t *testing.T, f *video.DeviceFrame) uint64 {
	t.Helper()
	row, err := spool.Mmap{}.Alloc(8)
	require.NoError(t, err)
	defer func() { _ = spool.Mmap{}.Free(row) }()
	require.NoError(t, m.ToHost(row, cuda.Pointer(f.Luma), cuda.Stream(f.Stream)))
	require.NoError(t, m.Finish(cuda.Stream(f.Stream)))
	return binary.LittleEndian.Uint64(row)
}

// The requested frames are delivered from the device, in order and once.
func TestDeviceFrames(t *testing.T) {
	for name, frames := range map[string][]int{
		"all":     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24},
		"some":    {20, 3, 3, 11},
		"the end": {24},
		"none":    {},
	} {
		t.Run(name, func(t *testing.T) {
			m := newDeviceVideo(t, "bframes.mp4", 2, fake.Settings{})
			require.Equal(t, 25, m.video.Len())
			var got []int
			var before *video.DeviceFrame
			for f, err := range m.video.DeviceFrames(t.Context(), m.on, frames) {
				require.NoError(t, err)
				require.NoError(t, f.Why)
				require.Nil(t, f.Clip)
				assert.Equal(t, m.sums[f.Index], m.read(t, f), f.Index)
				assert.Equal(t, [4]int{64, 48, 8, 2}, [4]int{f.Width, f.Height, f.Stored.Bits, f.Stored.SubX})
				assert.InDelta(t, m.video.Index().Time(f.Index), f.PTS, 0)
				got = append(got, f.Index)
				if before != nil { // held during the next request
					assert.Equal(t, m.sums[before.Index], m.read(t, before), before.Index)
					before.Release()
				}
				before = f
			}
			if before != nil {
				before.Release()
			}
			slices.Sort(frames)
			assert.True(t, slices.Equal(slices.Compact(frames), got), "%v", got)
		})
	}
}

// Frames that the device cannot decode are decoded on the CPU, to the same pixels, and Why has the reason.
func TestDeviceFramesFallBack(t *testing.T) {
	for name, x := range map[string]struct {
		file string
		s    fake.Settings
		why  string
		on   int // minimum frames from the device
	}{
		"refused":      {"bframes.mp4", fake.Settings{Refuse: true}, "CUDA refuses h264", 0},
		"refused AV1":  {"av1.mkv", fake.Settings{Refuse: true}, "CUDA refuses av1", 0},
		"profile":      {"yuv422.mp4", fake.Settings{}, "of this profile or format", 0},
		"codec":        {"ffv1.mkv", fake.Settings{}, "does not decode ffv1", 0},
		"in the midst": {"bframes.mp4", fake.Settings{FailCall: 20}, "ffmpeg", 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := newDeviceVideo(t, x.file, 2, x.s)
			spec := video.Spec{Planes: video.SemiPlanar, Stored: true}
			if name == "codec" { // an RGB file
				spec.Planes = video.Converted
			}
			want, err := m.video.Frames(t.Context(), []int{3}, spec)
			require.NoError(t, err)
			defer want.Release()
			var got []int
			on := 0
			all := make([]int, m.video.Len())
			for i := range all {
				all[i] = i
			}
			for f, err := range m.video.DeviceFrames(t.Context(), m.on, all) {
				require.NoError(t, err)
				got = append(got, f.Index)
				if f.Clip == nil {
					assert.Equal(t, m.sums[f.Index], m.read(t, f), f.Index)
					on++
				} else {
					require.ErrorIs(t, f.Why, spool.ErrDevice)
					assert.ErrorContains(t, f.Why, x.why)
					if f.Index == 3 {
						assert.Equal(t, want.Bytes(), f.Clip.Bytes())
					}
				}
				f.Release()
			}
			assert.Equal(t, all, got)
			assert.GreaterOrEqual(t, on, x.on)
			assert.Less(t, on, len(all))
		})
	}
}

// Holding too many frames is an error. A device that is closed before its frames remains until the last is released.
func TestDeviceFramesThatAreHeld(t *testing.T) {
	m := newDeviceVideo(t, "bframes.mp4", 2, fake.Settings{})
	var held []*video.DeviceFrame
	var last error
	for f, err := range m.video.DeviceFrames(t.Context(), m.on, []int{0, 1, 2, 3}) {
		if last = err; err == nil {
			held = append(held, f)
		}
	}
	require.ErrorIs(t, last, spool.ErrOptions)
	require.Len(t, held, 2)
	require.ErrorIs(t, m.on.Close(), spool.ErrLeaked)
	for _, f := range held {
		assert.Equal(t, m.sums[f.Index], m.read(t, f))
	}
	require.NoError(t, m.Finish(m.stream))
	for _, f := range held {
		f.Release()
		assert.Panics(t, f.Release)
	}
	for _, err := range m.video.DeviceFrames(t.Context(), m.on, []int{0}) {
		require.ErrorIs(t, err, spool.ErrClosed)
	}
	for _, err := range m.video.DeviceFrames(t.Context(), m.on, []int{99}) {
		require.ErrorIs(t, err, spool.ErrNoSuchFrame)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range m.video.DeviceFrames(ended, m.on, []int{0}) {
		require.Error(t, err)
	}
	_, err := video.NewDevice(video.DeviceOptions{Device: "cuda:7"})
	require.ErrorIs(t, err, spool.ErrDevice)
	require.ErrorContains(t, err, "open cuda:7: device: no device 7")
	for _, o := range []video.DeviceOptions{{Held: -1}, {Device: "7"}} {
		_, err = video.NewDevice(o)
		require.ErrorIs(t, err, spool.ErrOptions)
	}
}

// Frames are converted to floats on the device, without the host.
func TestDeviceFramesBecomeBatches(t *testing.T) {
	m := newDeviceVideo(t, "bframes.mp4", 3, fake.Settings{})
	device, err := transfer.Open("cuda:0", transfer.DeviceOptions{})
	require.NoError(t, err)
	defer device.Close()
	copier, err := transfer.NewCopier(device, transfer.CopierOptions{})
	require.NoError(t, err)
	defer copier.Close()
	frames, err := transfer.NewFrames(copier, transfer.FramesOptions{Width: 64, Height: 48, Paired: true, Matrix: 2})
	require.NoError(t, err)
	pool, err := spool.NewPool(spool.PoolOptions{})
	require.NoError(t, err)
	defer pool.Close()
	copied := m.device.Driver.Counters().ToDeviceBytes
	for f, err := range m.video.DeviceFrames(t.Context(), m.on, []int{2, 7, 9}) {
		require.NoError(t, err)
		one := transfer.DevicePlanes{Y: f.Luma, U: f.Chroma, LumaPitch: f.Pitch, ChromaPitch: f.Pitch,
			Stream: f.Stream}
		b, err := frames.Convert(t.Context(), []transfer.DevicePlanes{one}, f.Release)
		require.NoError(t, err)
		got, err := b.Fetch(t.Context(), 0, pool)
		require.NoError(t, err)
		assert.Equal(t, spool.Shape{1, 48, 64, 3}, got.Desc().Shape)
		assert.Equal(t, gray(byte(m.sums[f.Index])), got.Bytes()[0], "its first sample, without colour")
		got.Release()
		b.Release()
	}
	assert.Equal(t, copied, m.device.Driver.Counters().ToDeviceBytes)
}

// gray returns the converted sample of luma without chroma, in limited range.
func gray(luma byte) byte {
	return byte(min(max((int(luma)-16)*255/219, 0), 255))
}
