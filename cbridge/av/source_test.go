package av_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/timing"
)

const small = "../../testdata/video/" // videos of a few KB

// object is an object that reads with a function.
type object struct {
	name string
	size int
	read func(ctx context.Context, p []byte, off int64) (int, error)
}

func (o object) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	return o.read(ctx, p, off)
}
func (o object) Info() spool.ObjectInfo { return spool.ObjectInfo{Name: o.name, Size: int64(o.size)} }
func (o object) Close() error           { return nil }

// opener is an object that is opened by its reader.
type opener struct{ object }

func (o opener) OpenParts(context.Context, int, int) (spool.Object, error) { return o.object, nil }

// readerAt returns a function that reads from memory.
func readerAt(data []byte) func(context.Context, []byte, int64) (int, error) {
	return func(_ context.Context, p []byte, off int64) (int, error) { return bytes.NewReader(data).ReadAt(p, off) }
}

// onlyReader hides other methods of a reader.
type onlyReader struct{ io.Reader }

// Media, packets and seeks do not depend on the source of the bytes.
func TestSources(t *testing.T) {
	c := enter(t, t.Context())
	for _, name := range []string{"bframes.mp4", "bframes.ts", "altref.webm", "mpeg4.avi", "raw.h264", "languages.mkv"} {
		data, err := os.ReadFile(small + name)
		require.NoError(t, err)
		byPath := open(t, c, spool.File(small+name), av.InputOptions{})
		video := byPath.Best(av.Video, -1)
		want, err := byPath.Scan(c, video)
		require.NoError(t, err)
		for kind, s := range map[string]spool.Object{
			"memory":    spool.Bytes{Data: data},
			"reader at": object{read: readerAt(data), size: len(data)},
			"opener":    opener{object{read: readerAt(data), size: len(data)}},
			"few at a time": object{read: func(ctx context.Context, p []byte, off int64) (int, error) {
				return readerAt(data)(ctx, p[:min(len(p), 100)], off)
			}, size: len(data)},
			"stream": spool.Stream{Reader: onlyReader{bytes.NewReader(data)}},
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				in := open(t, c, s, av.InputOptions{})
				if kind != "stream" {
					assert.Equal(t, byPath.Media(), in.Media())
				} else {
					assert.Equal(t, byPath.Media().Streams[video].Codec, in.Media().Streams[video].Codec)
				}
				got, err := in.Scan(c, video)
				require.NoError(t, err)
				assert.Equal(t, want, got)
				err = in.Seek(c, video, want[0].DTS)
				if kind == "stream" || name == "raw.h264" {
					return // the demuxer's result without seeking may differ
				}
				require.NoError(t, err)
				again, err := in.Scan(c, video)
				require.NoError(t, err)
				assert.Len(t, again, len(want))
			})
		}
	}
}

func TestImpossibleSources(t *testing.T) {
	c := enter(t, t.Context())
	for _, s := range []spool.Object{nil, spool.Stream{}, object{read: readerAt(nil), size: -1}} {
		_, err := av.Open(c, s, av.InputOptions{})
		assert.ErrorIs(t, err, spool.ErrOptions)
	}
	for _, s := range []spool.Object{spool.Bytes{}, spool.Bytes{Data: []byte{}}, object{read: readerAt(nil)}} {
		_, err := av.Open(c, s, av.InputOptions{})
		assert.ErrorIs(t, err, spool.ErrEmpty)
	}
	_, err := av.Open(c, spool.Stream{Reader: bytes.NewReader(nil), Name: "pipe 7"}, av.InputOptions{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "pipe 7")
}

func TestInputOptions(t *testing.T) {
	c := enter(t, t.Context())
	pcm := make([]byte, 6400)
	in := open(t, c, spool.Bytes{Data: pcm},
		av.InputOptions{Format: "s16le", Options: map[string]string{"sample_rate": "8000", "ch_layout": "stereo"}})
	s := in.Media().Streams[0]
	assert.Equal(t, [3]int{8000, 2, 1600}, [3]int{s.Rate, s.Channels, int(s.Duration * 8000 / time.Second)})

	_, err := av.Open(c, spool.Bytes{Data: pcm},
		av.InputOptions{Format: "s16le", Options: map[string]string{"sample_rat": "8000", "a": "b"}})
	assert.ErrorIs(t, err, spool.ErrOptions)
	assert.ErrorContains(t, err, "a, sample_rat")
	_, err = av.Open(c, spool.Bytes{Data: pcm}, av.InputOptions{Format: "no such"})
	assert.ErrorIs(t, err, spool.ErrOptions)
	_, err = av.Open(c, spool.File("testdata/list.ffconcat"), av.InputOptions{Format: "concat"})
	assert.ErrorIs(t, err, spool.ErrUnsupported)
}

// If a reader fails or violates its contract, the input fails with that error, at any position.
func TestReadersThatFail(t *testing.T) {
	data, err := os.ReadFile(small + "bframes.ts")
	require.NoError(t, err)
	broken := errors.New("broken")
	for name, fail := range map[string]struct {
		with  func(p []byte) (int, error)
		class spool.Class
		cause error
	}{
		"error": {func([]byte) (int, error) { return 0, broken }, spool.ErrIO, broken},
		"class": {func([]byte) (int, error) { return 0, fmt.Errorf("%w: no", spool.ErrPermission) }, spool.ErrPermission,
			nil},
		"too many":  {func(p []byte) (int, error) { return len(p) + 1, nil }, spool.ErrIO, nil},
		"negative":  {func([]byte) (int, error) { return -1, nil }, spool.ErrIO, nil},
		"nothing":   {func([]byte) (int, error) { return 0, nil }, spool.ErrIO, io.ErrNoProgress},
		"panic":     {func([]byte) (int, error) { panic("at the disco") }, spool.ErrIO, nil},
		"exception": {func([]byte) (int, error) { panic(broken) }, spool.ErrIO, nil},
	} {
		for _, after := range []int{0, 1000, 6000} {
			t.Run(fmt.Sprint(name, " after ", after), func(t *testing.T) {
				c := enter(t, t.Context())
				in, err := av.Open(c, object{name: "it", size: len(data),
					read: func(ctx context.Context, p []byte, off int64) (int, error) {
						if off >= int64(after) {
							return fail.with(p)
						}
						return readerAt(data[:after])(ctx, p, off)
					}}, av.InputOptions{})
				require.Error(t, err)
				require.Nil(t, in)
				assert.ErrorIs(t, err, fail.class)
				if fail.cause != nil {
					assert.ErrorIs(t, err, fail.cause)
				}
				var e *spool.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, "it", e.File)
			})
		}
	}
}

// gate is a reader that blocks at a position until it is opened, and ignores its context.
type gate struct {
	data    []byte
	at      int64
	reached chan struct{}
	open    chan struct{}
}

func newGate(t *testing.T, data []byte, at int64) *gate {
	g := &gate{data: data, at: at, reached: make(chan struct{}, 100), open: make(chan struct{})}
	t.Cleanup(func() { close(g.open) })
	return g
}

func (g *gate) read(ctx context.Context, p []byte, off int64) (int, error) {
	if off >= g.at {
		g.reached <- struct{}{}
		<-g.open
	}
	return readerAt(g.data[:g.at])(ctx, p, off)
}

// A reader that blocks forever is abandoned when the context ends, during and after opening.
func TestBlockedReaders(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "deep.ts"))
	require.NoError(t, err)
	whole := bytes.Repeat(data, 30)
	for _, at := range []int64{0, 3000, int64(len(whole)) - 100} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			g := newGate(t, whole, at)
			ctx, cancel := context.WithCancel(t.Context())
			var cancelled time.Time
			go func() {
				<-g.reached
				cancelled = time.Now()
				cancel()
			}()
			c, err := call.Enter(ctx, 1)
			require.NoError(t, err)
			defer c.Leave()
			err = readAll(c, object{read: g.read, size: len(whole)})
			require.ErrorIs(t, err, context.Canceled)
			timing.Within(t, time.Since(cancelled), time.Second, "a cancelled call")
			assert.ErrorIs(t, err, spool.ErrCanceled)
			assert.ErrorContains(t, err, "abandoned")
		})
	}
}

// At any moment of opening, scanning, seeking or decoding, a cancelled call returns at once, with the full result or
// the context's error. Nothing is leaked.
func TestCancelEverything(t *testing.T) {
	counts := []leaktest.Count{{Name: "bytes of C memory", Now: mem.InUse}, {Name: "handles", Now: av.Handles},
		{Name: "forgotten", Now: av.Forgotten}}
	leaktest.Check(t, counts...)
	deep, err := os.ReadFile(small + "bframes.ts")
	require.NoError(t, err)
	sources := []spool.Object{spool.File(small + "opengop.mp4"), spool.Bytes{Data: deep},
		object{read: readerAt(deep), size: len(deep)}}
	random := seed.Rand(t)
	took := make([]time.Duration, len(sources))
	for i, s := range sources {
		c, err := call.Enter(t.Context(), 1)
		require.NoError(t, err)
		start := time.Now()
		require.NoError(t, readAll(c, s))
		took[i] = time.Since(start)
		c.Leave()
	}
	var waits []time.Duration // from the end of the context to the end of the call
	for i := range 1000 {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := call.Enter(ctx, 1)
		require.NoError(t, err)
		at := make(chan time.Time, 1)
		time.AfterFunc(time.Duration(random.Int64N(int64(took[i%len(sources)]))), func() {
			at <- time.Now()
			cancel()
		})
		err = readAll(c, sources[i%len(sources)])
		end := time.Now()
		c.Leave()
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, spool.ErrCanceled)
			waits = append(waits, end.Sub(<-at))
		}
		cancel()
	}
	require.NotEmpty(t, waits)
	slices.Sort(waits)
	t.Logf("%d of 1000 were cancelled, at most %v after", len(waits), waits[len(waits)-1])
	timing.Within(t, waits[len(waits)*9/10], 50*time.Millisecond, "nine of ten cancelled calls")
	timing.Within(t, waits[len(waits)-1], time.Second, "a cancelled call")
}

// readAll opens, scans, seeks and decodes, up to the first error.
func readAll(c *call.Call, s spool.Object) error {
	in, err := av.Open(c, s, av.InputOptions{})
	if err != nil {
		return err
	}
	defer in.Close()
	stream := in.Best(av.Video, -1)
	entries, err := in.Scan(c, stream)
	if err != nil {
		return err
	}
	if err := in.Seek(c, stream, entries[0].DTS); err != nil {
		return err
	}
	p, err := in.Parameters(stream)
	if err != nil {
		return err
	}
	decoder, err := av.NewDecoder(c, p, av.DecoderOptions{})
	if err != nil {
		return err
	}
	defer decoder.Close()
	packet, err := av.NewPacket()
	if err != nil {
		return err
	}
	defer packet.Release()
	frame, err := av.NewFrame()
	if err != nil {
		return err
	}
	defer frame.Release()
	for {
		err := in.Read(c, packet)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := decoder.Send(c, packet); err != nil && !errors.Is(err, spool.ErrCorrupt) {
			return err
		}
		for {
			ok, err := decoder.Receive(c, frame)
			if err != nil && !errors.Is(err, spool.ErrCorrupt) {
				return err
			}
			if !ok {
				break
			}
		}
	}
}
