package video_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

// A decoder scans the same bytes only once, and scans other bytes at the same path again.
func TestIndexCache(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, media, "video", "bframes.mp4")
	path := filepath.Join(t.TempDir(), "video.mp4")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	input := spool.File(path)
	first := decodetest.OpenVideo(t, d, input, video.OpenOptions{})
	again := decodetest.OpenVideo(t, d, input, video.OpenOptions{})
	assert.Same(t, first.Index(), again.Index())
	assert.False(t, again.Info().Saved)
	assert.Equal(t, first.Info(), again.Info())
	zero := 0
	assert.NotSame(t, first.Index(), decodetest.OpenVideo(t, d, input, video.OpenOptions{NoIndex: true}).Index())
	assert.NotSame(t, first.Index(), decodetest.OpenVideo(t, d, input, video.OpenOptions{Stream: &zero}).Index(),
		"chosen by number")
	assert.NotSame(t, first.Index(),
		decodetest.OpenVideo(t, decodetest.New(t, decoders.Options{}), input, video.OpenOptions{}).Index())

	other := decodetest.ReadFile(t, media, "video", "vfr.mp4")
	require.NoError(t, os.WriteFile(path, other, 0o600))
	assert.NotEqual(t, first.Info().Frames, decodetest.OpenVideo(t, d, input, video.OpenOptions{}).Info().Frames)

	one := decodetest.OpenVideo(t, d, spool.Bytes{Data: data, Identity: "one"}, video.OpenOptions{})
	assert.Same(t, one.Index(), decodetest.OpenVideo(t, d, spool.Bytes{Data: data, Identity: "one"},
		video.OpenOptions{}).Index())
	assert.NotSame(t, one.Index(), decodetest.OpenVideo(t, d, spool.Bytes{Data: data}, video.OpenOptions{}).Index(),
		"no identity")
}

// heldObject is an object whose first read waits.
type heldObject struct {
	spool.Object
	once             sync.Once
	reading, release chan struct{}
	fail             error
}

func (o *heldObject) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	o.once.Do(func() {
		close(o.reading)
		<-o.release
	})
	if o.fail != nil {
		return 0, o.fail
	}
	return o.Object.ReadAt(ctx, p, off)
}

// An open of a video that is being scanned waits for that scan, or until its context ends. After a failed scan, the
// next waiting open scans.
func TestIndexCacheWaits(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	name := filepath.Join(media, "video", "bframes.mp4")
	for _, fail := range []error{nil, spool.ErrIO} {
		file, err := os.Open(name)
		require.NoError(t, err)
		stat, err := file.Stat()
		require.NoError(t, err)
		plain := spool.NewObject(file, spool.ObjectInfo{Name: name, Size: stat.Size(), Identity: "held", Version: "1"})
		t.Cleanup(func() { require.NoError(t, plain.Close()) })
		held := &heldObject{Object: plain, reading: make(chan struct{}), release: make(chan struct{}), fail: fail}
		d := d
		if fail != nil {
			d = decodetest.New(t, decoders.Options{})
		}
		var wait sync.WaitGroup
		wait.Go(func() {
			v, err := d.Videos.Open(ctx, held, video.OpenOptions{})
			assert.ErrorIs(t, err, fail)
			if err == nil {
				assert.NoError(t, v.Close())
			}
		})
		<-held.reading
		short, end := context.WithTimeout(ctx, time.Millisecond)
		_, err = d.Videos.Open(short, plain, video.OpenOptions{})
		end()
		require.ErrorIs(t, err, spool.ErrTimeout)
		wait.Go(func() {
			v, err := d.Videos.Open(ctx, plain, video.OpenOptions{})
			if assert.NoError(t, err) {
				assert.NoError(t, v.Close())
			}
		})
		close(held.release)
		wait.Wait()
	}
}
