package fake_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/av/fake"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/cuda"
	cudafake "github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/internal/leaktest"
)

const media = "../../../testdata/video/"

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "handles of FFmpeg", Now: av.Handles},
		leaktest.Count{Name: "CUDA handles", Now: func() int64 {
			u := cuda.InUse()
			return u.Contexts + u.Blocks + u.Streams + u.Events
		}})
}

// rig has a device with a context and a stream, and a pool of decoders for it.
type rig struct {
	device *fake.Device
	*cuda.Context
	stream cuda.Stream
	codecs av.Codecs
}

func (r *rig) open() error {
	d, err := cuda.Load("") // by the name that FFmpeg uses
	if err != nil {
		return err
	}
	if r.Context, err = d.Open(0); err != nil {
		return err
	}
	r.stream, err = r.NewStream()
	return err
}

func (r *rig) close() error {
	if r.Context == nil {
		return nil
	}
	var err error
	if r.stream != 0 {
		err = r.Finish(r.stream)
		if err != nil {
			_ = r.Finish(r.stream)
		}
	}
	_ = r.codecs.Close()
	if r.stream != 0 {
		err = errors.Join(err, r.CloseStream(r.stream))
	}
	err = errors.Join(err, r.Context.Close())
	r.Context, r.stream = nil, 0
	return err
}

func newRig(t *testing.T, driver cudafake.Settings, s fake.Settings) *rig {
	t.Helper()
	r := &rig{device: fake.New(t, driver, s)}
	require.NoError(t, r.open())
	t.Cleanup(func() { assert.NoError(t, r.close()) })
	return r
}

// frameSum is a frame as it was received.
type frameSum struct {
	pts int64
	sum uint64
}

// decodeFile decodes a file. It returns the frames in order of reception, and the expected checksums by PTS. It holds
// `held` frames before it reads and releases the first.
func (r *rig) decodeFile(c *call.Call, file string, held int) (frames []frameSum, sums map[int64]uint64, fallback error,
	err error) {
	in, err := av.Open(c, spool.File(media+file), av.InputOptions{})
	if err != nil {
		return nil, nil, nil, err
	}
	defer in.Close()
	stream := in.Best(av.Video, -1)
	in.Select(stream)
	p, err := in.Parameters(stream)
	if err != nil {
		return nil, nil, nil, err
	}
	d, err := r.codecs.Get(c, p, av.DecoderOptions{CUDA: av.CUDA{Context: r.Handle(), Stream: uintptr(r.stream),
		Held: held}})
	if err != nil {
		return nil, nil, nil, err
	}
	defer r.codecs.Put(d)
	packet, err := av.NewPacket()
	if err != nil {
		return nil, nil, nil, err
	}
	defer packet.Release()
	sums = map[int64]uint64{}
	var out []*av.Frame
	give := func(least int) error {
		for len(out) > least {
			s, err := r.readSurface(out[0])
			out[0].Release()
			out = out[1:]
			if err != nil {
				return err
			}
			frames = append(frames, s)
		}
		return nil
	}
	defer func() {
		for _, f := range out {
			f.Release()
		}
	}()
	for end := false; !end; {
		switch err = in.Read(c, packet); {
		case errors.Is(err, io.EOF):
			end, err = true, d.Send(c, nil)
		case err == nil:
			sums[packet.Entry().PTS] = sumOf(packet.Data())
			err = d.Send(c, packet)
		}
		for ok := true; ok && err == nil; {
			var f *av.Frame
			if f, err = av.NewFrame(); err != nil {
				break
			}
			if ok, err = d.Receive(c, f); !ok {
				f.Release()
				break
			}
			out = append(out, f)
			err = give(held - 1)
		}
		if err != nil {
			return nil, nil, d.Fallback(), err
		}
	}
	return frames, sums, d.Fallback(), give(0)
}

// readSurface reads the checksum that a surface contains.
func (r *rig) readSurface(f *av.Frame) (frameSum, error) {
	s, ok := f.Surface()
	if !ok {
		return frameSum{pts: f.PTS}, nil
	}
	memory, err := spool.Mmap{}.Alloc(s.Pitch)
	if err != nil {
		return frameSum{}, err
	}
	defer func() { _ = spool.Mmap{}.Free(memory) }()
	last := s.Luma + uint64((f.Height-1)*s.Pitch)
	if s.Chroma <= last {
		return frameSum{}, fmt.Errorf("chroma at %x, before luma's end", s.Chroma)
	}
	if err := r.ToHost(memory, cuda.Pointer(last), r.stream); err != nil {
		_ = r.Finish(r.stream)
		return frameSum{}, err
	}
	if err := r.Finish(r.stream); err != nil {
		_ = r.Finish(r.stream)
		return frameSum{}, err
	}
	return frameSum{f.PTS, binary.LittleEndian.Uint64(memory)}, nil
}

// sumOf returns the checksum of an H.264 packet of MP4: of its slices, as FFmpeg passes them to NVDEC.
func sumOf(data []byte) uint64 {
	h := fnv.New64a()
	for len(data) > 4 {
		n := int(binary.BigEndian.Uint32(data))
		if n > len(data)-4 { // another codec
			break
		}
		if kind := data[4] & 31; kind == 1 || kind == 5 {
			h.Write([]byte{0, 0, 1})
			h.Write(data[4 : 4+n])
		}
		data = data[4+n:]
	}
	return h.Sum64()
}

func enter(t testing.TB) *call.Call {
	t.Helper()
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	t.Cleanup(c.Leave)
	return c
}

// Frames arrive in presentation order, each on a separate surface while it is held.
func TestFramesStayOnTheDevice(t *testing.T) {
	for _, held := range []int{1, 4, 8} {
		t.Run(fmt.Sprint(held), func(t *testing.T) { stay(t, held) })
	}
}

func stay(t *testing.T, held int) {
	c := enter(t)
	r := newRig(t, cudafake.Settings{DelayMicros: 300}, fake.Settings{})
	frames, sums, fallback, err := r.decodeFile(c, "bframes.mp4", held)
	require.NoError(t, err)
	require.NoError(t, fallback)
	require.Len(t, frames, len(sums))
	require.Greater(t, len(frames), 20)
	for i, f := range frames {
		assert.Equal(t, sums[f.pts], f.sum, "frame %d", i)
		if i > 0 {
			assert.Greater(t, f.pts, frames[i-1].pts)
		}
	}
	got := r.device.Counters()
	assert.EqualValues(t, len(frames), got.Mapped)
	assert.GreaterOrEqual(t, int(got.Most), held)
	assert.Zero(t, got.Surfaces)
}

// Files with equal parameters share a decoder and its session on the device. H.264 is an exception: FFmpeg ends its
// session at every flush.
func TestDecodersAreUsedAgain(t *testing.T) {
	for file, sessions := range map[string]int64{"opengop.mp4": 1, "bframes.mp4": 3} {
		t.Run(file, func(t *testing.T) {
			r := newRig(t, cudafake.Settings{}, fake.Settings{})
			var first []frameSum
			for range 3 {
				frames, _, fallback, err := r.decodeFile(enter(t), file, 2)
				require.NoError(t, err)
				require.NoError(t, fallback)
				if first == nil {
					first = frames
				}
				assert.Equal(t, first, frames)
			}
			assert.LessOrEqual(t, r.device.Counters().Created, sessions)
		})
	}
}

// The CPU decodes streams that the device cannot, and Fallback has the reason.
func TestFallback(t *testing.T) {
	for _, x := range []struct {
		file string
		s    fake.Settings
		why  string
	}{
		{"bframes.mp4", fake.Settings{Refuse: true},
			"CUDA refuses h264 of 64x48, or of this profile, or there is no libnvcuvid.so.1"},
		{"bframes.mp4", fake.Settings{Largest: 32}, "CUDA refuses h264"},
		{"av1.mkv", fake.Settings{Refuse: true}, "CUDA refuses av1"}, // its decoder that uses devices decodes on nothing else
		{"yuv422.mp4", fake.Settings{}, "CUDA does not decode h264 of this profile or format"},
		{"ffv1.mkv", fake.Settings{}, "this FFmpeg does not decode ffv1 on CUDA devices"},
	} {
		t.Run(x.why, func(t *testing.T) {
			r := newRig(t, cudafake.Settings{}, x.s)
			frames, sums, fallback, err := r.decodeFile(enter(t), x.file, 2)
			require.NoError(t, err)
			require.ErrorIs(t, fallback, spool.ErrDevice)
			assert.ErrorContains(t, fallback, x.why)
			assert.Len(t, frames, len(sums))
		})
	}
}

// If any call of the driver or of NVDEC fails, there is an error or a fallback that names it, and nothing is leaked.
func TestEveryCallCanFail(t *testing.T) {
	c := enter(t)
	r := &rig{device: fake.New(t, cudafake.Settings{}, fake.Settings{})}
	run := func() error {
		err := r.open()
		if err == nil {
			var fallback error
			if _, _, fallback, err = r.decodeFile(c, "bframes.mp4", 2); err == nil {
				err = fallback
			}
		}
		if closed := r.close(); err == nil {
			err = closed
		}
		return err
	}
	require.NoError(t, av.NVDEC())
	require.NoError(t, run())
	calls, ours := int(r.device.Driver.Counters().Calls), int(r.device.Counters().Calls)
	require.Greater(t, ours, 60)
	check := func(err error, call string) {
		if err != nil {
			require.ErrorIs(t, err, spool.ErrDevice, call)
		}
		r.device.Driver.Check(t)
		require.Zero(t, r.device.Counters().Decoders, call)
	}
	for i := 1; i <= ours; i++ {
		r.device.Reset(t, cudafake.Settings{}, fake.Settings{FailCall: i})
		check(run(), r.device.Counters().FailedCall)
		r.device.Check(t)
	}
	for i := 1; i <= calls; i += 1 + i/40 { // frames are alike; FFmpeg does not unmap if it cannot push the context
		r.device.Reset(t, cudafake.Settings{FailCall: i}, fake.Settings{})
		check(run(), r.device.Driver.Counters().FailedCall)
	}
}

// FFmpeg finds the simulated driver by the system's name.
func Example() {
	var t testing.T // in a test: its t
	device := fake.New(&t, cudafake.Settings{}, fake.Settings{})
	d, err := cuda.Load("libcuda.so.1")
	fmt.Println(err, d.Devices(), device.Counters().Decoders)
	// Output: <nil> 1 0
}
