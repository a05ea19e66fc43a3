package isolate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/internal/short"
)

// TestMaliciousMedia has videos and audio crash, loop, allocate 100 GB and lie. Each ends only its sample.
func TestMaliciousMedia(t *testing.T) {
	patient := decodetest.New(t, decoders.Options{Isolate: isolation(t, decode.IsolateAll, 1),
		Limits: decode.Limits{MaxMemory: 256 << 20}})
	type harm struct {
		does  int
		class spool.Class
		text  string
	}
	for _, c := range short.Some([]harm{
		{crash, spool.ErrCrashed, "signal 11 (segmentation fault)"},
		{loop, spool.ErrTimeout, "the helper took more than"},
		{allocate, spool.ErrCrashed, "the helper ended"},
		{lie, spool.ErrCrashed, "the helper's reply is wrong"},
	}, 4) { // each ends and starts several helpers
		t.Run(fmt.Sprint(c.does), func(t *testing.T) {
			d := patient
			if c.does == loop {
				o := isolation(t, decode.IsolateAll, 1)
				o.CPU = 300 * time.Millisecond
				d = decodetest.New(t, decoders.Options{Isolate: o})
			}
			check := func(name string, err error) {
				t.Helper()
				require.ErrorIs(t, err, c.class)
				require.ErrorContains(t, err, c.text)
				require.ErrorContains(t, err, name)
			}
			v, err := d.Videos.Open(t.Context(), copyOf(t, "video/bframes.mp4"), video.OpenOptions{})
			require.NoError(t, err)
			defer v.Close()
			_, err = v.Frames(t.Context(), []int{0}, video.Spec{Fill: &decode.RGB8{R: uint8(c.does)}})
			check("bframes.mp4", err)
			clip, err := v.Frames(t.Context(), []int{0, 5}, video.Spec{})
			require.NoError(t, err, "the video goes on")
			clip.Release()

			a, err := d.Audios.Open(t.Context(), copyOf(t, "audio/aac.m4a"), audio.OpenOptions{})
			require.NoError(t, err)
			defer a.Close()
			_, err = a.Read(t.Context(), audio.Spec{End: float64(c.does)})
			check("aac.m4a", err)
			samples, err := a.Read(t.Context(), audio.Spec{End: 0.1})
			require.NoError(t, err)
			samples.Release()
		})
	}
}

// copyOf is a file of its own, since a file that ends two helpers is refused.
func copyOf(t *testing.T, name string) spool.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(name))
	require.NoError(t, os.WriteFile(path, decodetest.ReadFile(t, media, name), 0o600))
	return spool.File(path)
}

// trap is an object that does something at one of its reads, which come while a helper decodes.
type trap struct {
	spool.Object
	left atomic.Int64 // reads until then; negative afterwards
	do   func() error
}

func (o *trap) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if o.left.Add(-1) == 0 {
		if err := o.do(); err != nil {
			return 0, err
		}
	}
	return o.Object.ReadAt(ctx, p, off)
}

func newTrap(t *testing.T, name string, data []byte, do func() error) *trap {
	t.Helper()
	return &trap{do: do, Object: spool.NewObject(bytes.NewReader(data), spool.ObjectInfo{Name: name,
		Size: int64(len(data)), Identity: t.Name() + name})}
}

// long is a video that takes several reads.
func long(t *testing.T) []byte {
	t.Helper()
	return bytes.Repeat(decodetest.ReadFile(t, media, "video/raw.h264"), 200)
}

// helpers are the processes that this one has started as helpers.
func helpers(t *testing.T) (list []int) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, p := range processes {
		stat, err := os.ReadFile(p + "/stat")
		line, errLine := os.ReadFile(p + "/cmdline")
		if err != nil || errLine != nil || !strings.HasPrefix(string(line), helper.Name) {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); fields[0] != "Z" && fields[1] == strconv.Itoa(os.Getpid()) {
			pid, err := strconv.Atoi(filepath.Base(p))
			require.NoError(t, err)
			list = append(list, pid)
		}
	}
	return list
}

// awaitDeath waits until the process of a pidfd has ended, and closes the pidfd.
func awaitDeath(t *testing.T, process int) {
	t.Helper()
	events := []unix.PollFd{{Fd: int32(process), Events: unix.POLLIN}}
	_, err := unix.Poll(events, -1)
	for errors.Is(err, unix.EINTR) {
		_, err = unix.Poll(events, -1)
	}
	require.NoError(t, err)
	require.NoError(t, unix.Close(process))
}

// TestKilledInTheMiddle kills the helper at each read of an open and a decode. The call fails, and the next one has
// another helper. An object that has ended two helpers is refused.
func TestKilledInTheMiddle(t *testing.T) {
	here := decodetest.New(t, decoders.Options{})
	data := long(t)
	want, err := here.Videos.Open(t.Context(), spool.Bytes{Data: data}, video.OpenOptions{})
	require.NoError(t, err)
	defer want.Close()
	frames := []int{want.Len() - 1, 0, want.Len() / 2}
	expected, err := want.Frames(t.Context(), frames, video.Spec{})
	require.NoError(t, err)
	defer expected.Release()
	deaths := 0
	// In short mode this is one read in the middle: each takes three helpers.
	for at := short.Of[int64](1, 3); deaths < short.Of(math.MaxInt, 1); at++ {
		d := decodetest.New(t, decoders.Options{Isolate: isolation(t, decode.IsolateAll, 1)})
		o := newTrap(t, "long.h264", data, func() error {
			for _, pid := range helpers(t) {
				process, err := unix.PidfdOpen(pid, 0)
				require.NoError(t, err)
				assert.NoError(t, unix.Kill(pid, unix.SIGSEGV))
				awaitDeath(t, process) // it must not have the bytes before it is dead
			}
			return nil
		})
		o.left.Store(at)
		clip, err := decodeAll(t.Context(), d, o, frames)
		if o.left.Load() > 0 { // fewer reads than that
			require.NoError(t, err)
			clip.Release()
			break
		}
		require.ErrorIs(t, err, spool.ErrCrashed, "read %d", at)
		require.ErrorContains(t, err, "signal 11 (segmentation fault)")
		deaths++
		clip, err = decodeAll(t.Context(), d, o, frames)
		require.NoError(t, err, "the next call has another helper")
		assert.Equal(t, expected.Bytes(), clip.Bytes())
		clip.Release()
		o.left.Store(1)
		_, err = decodeAll(t.Context(), d, o, frames)
		require.ErrorIs(t, err, spool.ErrCrashed)
		_, err = decodeAll(t.Context(), d, o, frames)
		require.ErrorContains(t, err, "refused, it has ended 2 helpers")
		require.NoError(t, d.Close())
	}
	t.Log(deaths, "helpers killed, each at another read")
	assert.Greater(t, deaths, short.Of(3, 0))
}

func decodeAll(ctx context.Context, d *decoders.Set, o spool.Object, frames []int) (*video.Clip, error) {
	v, err := d.Videos.Open(ctx, o, video.OpenOptions{NoIndex: true})
	if err != nil {
		return nil, err
	}
	defer v.Close()
	return v.Frames(ctx, frames, video.Spec{})
}

// TestReadsThatFail has the object fail, at each of its reads. The class and the text are those of the object.
func TestReadsThatFail(t *testing.T) {
	d := decodetest.New(t, decoders.Options{Isolate: isolation(t, decode.IsolateAll, 1)})
	failures, data := 0, long(t)
	for at := int64(1); ; at += short.Of[int64](1, 3) {
		o := newTrap(t, "long.h264", data, func() error { return spool.FileError("read", "disk", unix.EIO) })
		o.left.Store(at)
		clip, err := decodeAll(t.Context(), d, o, []int{0, 400})
		if o.left.Load() > 0 {
			require.NoError(t, err)
			clip.Release()
			break
		}
		require.ErrorIs(t, err, spool.ErrIO, "read %d", at)
		require.ErrorIs(t, err, unix.EIO)
		failures++
	}
	t.Log(failures, "reads failed")
	assert.Greater(t, failures, short.Of(3, 1))
	require.Len(t, helpers(t), 1, "an error of reading ends no helper")
}

// TestSlowReads has reads that take longer than the helper may: their time is not the helper's.
func TestSlowReads(t *testing.T) {
	o := isolation(t, decode.IsolateAll, 1)
	o.CPU = 200 * time.Millisecond
	d := decodetest.New(t, decoders.Options{Isolate: o})
	slow := newTrap(t, "aac.m4a", decodetest.ReadFile(t, media, "audio/aac.m4a"), func() error {
		<-time.After(2500 * time.Millisecond) // more than the helper may take
		return nil
	})
	slow.left.Store(1)
	a, err := d.Audios.Open(t.Context(), slow, audio.OpenOptions{})
	require.NoError(t, err)
	require.NoError(t, a.Close())
	assert.LessOrEqual(t, slow.left.Load(), int64(0), "it was slow")
}

// TestCanceledMedia cancels a decode that does not end.
func TestCanceledMedia(t *testing.T) {
	d := decodetest.New(t, decoders.Options{Isolate: isolation(t, decode.IsolateAll, 1)})
	v, err := d.Videos.Open(t.Context(), spool.File(media+"/video/bframes.mp4"), video.OpenOptions{})
	require.NoError(t, err)
	defer v.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(50*time.Millisecond, cancel).Stop()
	_, err = v.Frames(ctx, []int{0}, video.Spec{Fill: &decode.RGB8{R: loop}})
	require.ErrorIs(t, err, spool.ErrCanceled)
	clip, err := v.Frames(t.Context(), []int{0}, video.Spec{})
	require.NoError(t, err)
	clip.Release()
}

// TestWhatIsIsolated checks which media go to helpers, by a helper that cannot start.
func TestWhatIsIsolated(t *testing.T) {
	for _, c := range []struct {
		which   decode.Isolate
		file    string
		started bool
	}{
		{decode.IsolateHEIC, "video/bframes.mp4", false}, {decode.IsolateAuto, "video/bframes.mp4", true},
		{decode.IsolateAll, "video/bframes.mp4", true}, {decode.IsolateHEIC, "audio/aac.m4a", false},
		{decode.IsolateAuto, "audio/aac.m4a", true}, {decode.IsolateAuto, "audio/s16.wav", false},
		{decode.IsolateAll, "audio/s16.wav", true}, {decode.IsolateOff, "audio/aac.m4a", false},
	} {
		d := decodetest.New(t, decoders.Options{Isolate: decode.Isolation{Which: c.which, Helper: "/no/such"}})
		var err error
		file := spool.File(filepath.Join(media, c.file))
		if strings.HasPrefix(c.file, "video") {
			var v *video.Video
			if v, err = d.Videos.Open(t.Context(), file, video.OpenOptions{}); err == nil {
				require.NoError(t, v.Close())
			}
		} else {
			var a *audio.Audio
			if a, err = d.Audios.Open(t.Context(), file, audio.OpenOptions{}); err == nil {
				require.NoError(t, a.Close())
			}
		}
		assert.Equal(t, c.started, errors.Is(err, helper.ErrNotStarted), "%v %s: %v", c.which, c.file, err)
	}

	d := decodetest.New(t, decoders.Options{Isolate: isolation(t, decode.IsolateAll, 1)})
	v, err := d.Videos.Open(t.Context(), spool.File(media+"/video/bframes.mp4"), video.OpenOptions{})
	require.NoError(t, err)
	defer v.Close()
	_, err = v.Packets(t.Context(), 0, 1)
	require.ErrorIs(t, err, spool.ErrUnsupported)
	stream, err := d.Videos.Open(t.Context(),
		spool.Stream{Reader: strings.NewReader(string(decodetest.ReadFile(t, media, "video/bframes.ts")))},
		video.OpenOptions{})
	require.NoError(t, err, "a stream is decoded here")
	require.NoError(t, stream.Close())
}
