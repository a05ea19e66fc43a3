package loader_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// web is a server of files with a latency and with faults that a test may add. It is also a source.Remote: the object
// client, with a listing.
type web struct {
	*object.Client
	server  *httptest.Server
	paths   []string // sorted
	files   map[string][]byte
	latency time.Duration // until a response begins, plus or minus a fifth
	spoil   func(w http.ResponseWriter, r *http.Request, data []byte) (done bool)

	reads, looks atomic.Int64 // requests for bytes, and for sizes
	now, most    atomic.Int64 // requests at a time
}

// serve starts a server of files by their paths, such as "/a.jpg".
func serve(t testing.TB, files map[string][]byte, o object.Options) *web {
	t.Helper()
	w := &web{files: files}
	for path := range files {
		w.paths = append(w.paths, path)
	}
	slices.Sort(w.paths)
	w.server = httptest.NewServer(w)
	t.Cleanup(w.server.Close)
	var err error
	w.Client, err = object.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Client.Close()) })
	return w
}

// serveFiles serves n files, which repeat the names in turn.
func serveFiles(t testing.TB, names []string, n int, o object.Options) *web {
	t.Helper()
	contents := make([][]byte, len(names))
	for i, name := range names {
		var err error
		contents[i], err = os.ReadFile(name)
		require.NoError(t, err)
	}
	files := map[string][]byte{}
	for i := range n {
		files[fmt.Sprintf("/%06d%s", i,
			names[i%len(names)][strings.LastIndexByte(names[i%len(names)], '.'):])] = contents[i%len(names)]
	}
	return serve(t, files, o)
}

func etag(data []byte) string {
	h := fnv.New64a()
	_, _ = h.Write(data[:min(len(data), 4096)])
	return fmt.Sprintf(`"%x-%d"`, h.Sum64(), len(data))
}

func (s *web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for n := s.now.Add(1); ; {
		if most := s.most.Load(); n <= most || s.most.CompareAndSwap(most, n) {
			break
		}
	}
	defer s.now.Add(-1)
	if r.Method == http.MethodHead {
		s.looks.Add(1)
	} else {
		s.reads.Add(1)
	}
	if s.latency > 0 {
		wait := time.NewTimer(time.Duration(float64(s.latency) * (0.8 + 0.4*rand.Float64())))
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-r.Context().Done():
			return
		}
	}
	data, ok := s.files[r.URL.Path]
	if s.spoil != nil && s.spoil(w, r, data) {
		return
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Etag", etag(data))
	w.Header().Set("Content-Type", "application/octet-stream") // otherwise it is guessed
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// List returns all files and their sizes.
func (s *web) List(_ context.Context, prefix string) iter.Seq2[source.Entry, error] {
	return func(yield func(source.Entry, error) bool) {
		for _, path := range s.paths {
			e := source.Entry{URL: s.server.URL + path, Size: int64(len(s.files[path])), Version: etag(s.files[path])}
			if strings.HasPrefix(e.URL, prefix) && !yield(e, nil) {
				return
			}
		}
	}
}

// listed returns a listing of the files, with their sizes.
func (s *web) listed(t testing.TB, o source.Options) *source.Listing {
	t.Helper()
	o.Remote = s
	src, err := source.Open(t.Context(), []string{s.server.URL + "/"}, o)
	require.NoError(t, err)
	require.True(t, src.Remote())
	return src
}

// named returns a source of the files' URLs, without sizes.
func (s *web) named(t testing.TB) *source.Listing {
	t.Helper()
	args := make([]string, len(s.paths))
	for i, path := range s.paths {
		args[i] = s.server.URL + path
	}
	src, err := source.Open(t.Context(), args, source.Options{Remote: s})
	require.NoError(t, err)
	require.True(t, src.Remote())
	return src
}

// Photos from a server equal those of their files, with the sizes of a listing and without. Each is requested once.
func TestPhotosFromAServer(t *testing.T) {
	local, want := photos(t)
	names := make([]string, local.Len())
	for i := range names {
		names[i] = local.Item(i).Name
	}
	for _, asked := range []bool{false, true} {
		w := serveFiles(t, names, len(names), object.Options{HedgeShare: -1})
		w.latency = 30 * time.Millisecond
		src, looks := w.listed(t, source.Options{}), 0
		if asked {
			src, looks = w.named(t), len(names)
		}
		got, err := load(t, src, loader.ImageOptions{Spec: spec(32), Options: loader.Options{Workers: 2}}, samples)
		require.NoError(t, err)
		all := slices.Concat(got...)
		require.Len(t, all, len(want))
		for i, s := range all {
			require.Equal(t, want[i].ID, s.ID)
			require.Equal(t, want[i].pixels, s.pixels)
		}
		require.EqualValues(t, looks, w.looks.Load())
		require.EqualValues(t, len(names), w.reads.Load())
	}
}

// A file with more bytes than Fetching.Memory is loaded alone, and nothing waits forever.
func TestRemoteFileLargerThanAhead(t *testing.T) {
	names := photoFiles(t)[:20]
	w := serveFiles(t, names, len(names), object.Options{HedgeShare: -1})
	got, err := load(t, w.listed(t, source.Options{}),
		loader.ImageOptions{Spec: spec(32), Options: loader.Options{Batch: 6,
			Fetching: loader.Fetching{Memory: 1000}}}, (*batch.Batch).Len)
	require.NoError(t, err)
	require.Equal(t, []int{6, 6, 6, 2}, got)
	require.EqualValues(t, 1, w.most.Load())
}

// Video and audio from a server equal those of their files. Files up to 8 MiB are read whole, larger ones in ranges
// while they are decoded.
func TestRemoteVideoAndAudio(t *testing.T) {
	digest := func(b *batch.Batch) string {
		return fmt.Sprintf("%v %v %x", b.Samples[0].ID, b.Samples[0].Frames, sha256.Sum256(b.Bytes()))
	}
	grown := func(name string) string { // by a box that players skip
		data, err := os.ReadFile(filepath.Join(media, name))
		require.NoError(t, err)
		const more = 9 << 20
		data = append(binary.BigEndian.AppendUint32(data, more), "free"...)
		grown := filepath.Join(t.TempDir(), filepath.Base(name))
		require.NoError(t, os.WriteFile(grown, append(data, make([]byte, more-8)...), 0o600))
		return grown
	}
	clips := []string{grown("video/opengop.mp4")}
	for i := range videos(t).Len() {
		clips = append(clips, videos(t).Item(i).Name)
	}
	music := []string{grown("audio/aac.m4a")}
	for i := range audioFiles(t).Len() {
		music = append(music, audioFiles(t).Item(i).Name)
	}
	o := loader.Options{Batch: 2, Workers: 2}
	for name, c := range map[string]struct {
		names []string
		make  func(source.Source) (*loader.Loader, error)
	}{
		"clips": {clips, func(s source.Source) (*loader.Loader, error) {
			return loader.Videos(s, loader.VideoOptions{Spec: frameSpec(32), Frames: 4, Options: o})
		}},
		"every frame": {clips, func(s source.Source) (*loader.Loader, error) {
			return loader.Videos(s, loader.VideoOptions{Spec: frameSpec(32), Every: 50, Options: loader.Options{Workers: 1}})
		}},
		"windows": {music, func(s source.Source) (*loader.Loader, error) {
			return loader.Audio(s, loader.AudioOptions{Spec: audio.Spec{Rate: 8000, Channels: 1, Length: 4000}, Options: o})
		}},
		"whole": {music, func(s source.Source) (*loader.Loader, error) {
			return loader.Audio(s, loader.AudioOptions{Options: o})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := serveFiles(t, c.names, len(c.names), object.Options{})
			w.latency = 20 * time.Millisecond
			var all [2][]string
			for i, src := range []source.Source{source.Files(c.names...), w.named(t)} {
				ld, err := c.make(src)
				require.NoError(t, err)
				all[i], err = drain(t, ld, digest)
				require.NoError(t, err)
			}
			require.NotEmpty(t, all[0])
			require.Equal(t, all[0], all[1])
			if name == "clips" {
				require.Less(t, w.Stats().Bytes, int64(8<<20), "the box was passed over")
			}
		})
	}
}

// listedBy is listed with r instead of the server's client.
func (s *web) listedBy(t testing.TB, r source.Remote) *source.Listing {
	t.Helper()
	src, err := source.Open(t.Context(), []string{s.server.URL + "/"}, source.Options{Remote: r})
	require.NoError(t, err)
	return src
}
