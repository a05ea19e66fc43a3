package loader_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

const imageBytes = len("P6 64 64 255\n") + 64*64*3

// tarred returns a shard of n different images with labels, and the images' offsets in it.
func tarred(t *testing.T, n, first int) (data []byte, at []int64) {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := range n {
		image := append([]byte("P6 64 64 255\n"), bytes.Repeat([]byte{byte(first + i), 7, 9}, 64*64)...)
		for _, m := range []struct {
			ext  string
			data []byte
		}{{"cls", fmt.Append(nil, i%10)}, {"ppm", image}} {
			require.NoError(t, w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%04d.%s", i, m.ext), Size: int64(len(m.data)),
				Mode: 0o644}))
			if m.ext == "ppm" {
				at = append(at, int64(b.Len()))
			}
			_, err := w.Write(m.data)
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return b.Bytes(), at
}

// given is a sample of a batch.
type given struct {
	batch int
	id    int64
	sum   [sha256.Size]byte
}

// recorder records the requests of one client. A server would also record late requests of the previous client.
type recorder struct {
	http.Transport
	mu       sync.Mutex
	requests []string
}

func (s *recorder) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.requests = append(s.requests, r.URL.Path+" "+r.Header.Get("Range"))
	s.mu.Unlock()
	return s.Transport.RoundTrip(r)
}

// taken returns the requests since the last call.
func (s *recorder) taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.requests
	s.requests = nil
	return asked
}

// A run over shards on a server that stops in the middle of a shard resumes with exactly the remaining samples. It
// reads each remaining image once, after the index. Without an index it reads all headers, for which small members are
// read sequentially.
func TestResumeInTheMiddleOfAShard(t *testing.T) {
	// batches: the run stops after sample 44, which is the 14th of the second shard
	const shards, each, batch, stop = 3, 30, 4, 11
	files, starts := map[string][]byte{}, map[string][]int64{}
	var total int64
	for i := range shards {
		name := fmt.Sprintf("/train-%d.tar", i)
		files[name], starts[name] = tarred(t, each, i*each)
		total += int64(len(files[name]))
	}
	for _, test := range []struct{ saved, shuffle bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		t.Run(fmt.Sprintf("index %v shuffled %v", test.saved, test.shuffle), func(t *testing.T) {
			indexes := ""
			if test.saved {
				indexes = t.TempDir()
			}
			w := serve(t, files, object.Options{})
			// run loads up to most batches after a state. It also returns the bytes for listing the shards and for loading
			// from them.
			run := func(from *loader.State, most int) (got []given, state loader.State, listed, loaded int64, asked []string) {
				sent := &recorder{}
				defer sent.CloseIdleConnections()
				c, err := object.New(object.Options{HedgeShare: -1, Transport: sent}) // a new client, which has cached nothing
				require.NoError(t, err)
				defer func() { require.NoError(t, c.Close()) }()
				options := source.Options{Remote: c, Indexes: indexes}
				args := make([]string, len(w.paths))
				for i, path := range w.paths {
					args[i] = w.server.URL + path
					if test.saved && from == nil && most < 0 {
						_, err := source.SaveShardIndex(t.Context(), args[i], options)
						require.NoError(t, err)
					}
				}
				before := c.Stats().Bytes
				src, err := source.Open(t.Context(), args, options)
				require.NoError(t, err)
				require.Equal(t, shards*each, src.Len())
				listed = c.Stats().Bytes - before
				sent.taken()
				o := loader.ImageOptions{Spec: spec(8),
					Options: loader.Options{Batch: batch, Shuffle: test.shuffle, Seed: 3, Workers: 2}}
				if from != nil {
					o.Resume = []loader.State{*from}
				}
				ld, err := loader.Images(src, o)
				require.NoError(t, err)
				defer func() { require.NoError(t, ld.Close()) }()
				for b, err := range ld.Batches(t.Context()) {
					require.NoError(t, err)
					for i := range b.Len() {
						got = append(got, given{b.Index, b.Samples[i].ID, sha256.Sum256(b.Slot(i))})
					}
					b.Release()
					if most--; most == 0 {
						break
					}
				}
				state, err = ld.State()
				require.NoError(t, err)
				return got, state, listed, c.Stats().Bytes - before - listed, sent.taken()
			}
			whole, _, _, _, _ := run(nil, -1) // also saves the indexes
			require.Len(t, whole, shards*each)
			begun, state, _, _, _ := run(nil, stop)
			require.Equal(t, whole[:stop*batch], begun)
			rest, _, listed, loaded, asked := run(&state, -1)
			require.Equal(t, whole[stop*batch:], rest, "nothing twice, nothing lost")

			if test.saved {
				assert.Zero(t, listed, "all is in the indexes")
			} else {
				assert.LessOrEqual(t, listed, total)
			}
			assert.Equal(t, int64(len(rest)*imageBytes), loaded)
			var want []string
			for _, s := range rest {
				name := fmt.Sprintf("/train-%d.tar", s.id/each)
				at := starts[name][s.id%each]
				want = append(want, fmt.Sprintf("%s bytes=%d-%d", name, at, at+int64(imageBytes)-1))
			}
			assert.ElementsMatch(t, want, asked, "what was given before is not asked for")
		})
	}
}
