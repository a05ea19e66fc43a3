package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	spoolimage "github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

// chaosSources are where the images are: files, tar files, a web server, and a bucket.
var chaosSources = []string{"local", "shards", "store", "bucket"}

// side is that of the images, which are not resized: their pixels are known.
const side = 8

// newChaos makes a data set of distinct images, of which some are damaged.
func newChaos(t *testing.T, d *decoders.Set, r *rand.Rand, source string) *chaos {
	t.Helper()
	x := &chaos{Rand: r, folder: t.TempDir(), source: source, events: map[string]int{}, model: model{bad: map[int]bool{},
		epochs: 1 + r.IntN(3), seed: r.Uint64N(100), batch: 1}}
	if r.IntN(2) == 0 {
		x.batch = 2 + r.IntN(4)
	}
	data := filepath.Join(x.folder, "data")
	require.NoError(t, os.Mkdir(data, 0o700))
	place, more := data, []string{"--workers", fmt.Sprint(1 + r.IntN(4))}
	if source == "store" || source == "bucket" {
		x.store = newStore(t, data)
		place = x.store.URL
		if source == "bucket" {
			place = "s3://bucket"
			more = append(more, "--endpoint-url", x.store.URL, "--no-sign-request")
		}
		if r.IntN(2) == 0 { // one for all ranks
			of := []string{"objects", "samples"}[r.IntN(2)]
			more = append(more, "--disk-cache", x.cache(), "--disk-cache-of", of)
		}
	}
	if r.IntN(4) == 0 {
		more = append(more, "--isolate", "all")
	}
	n := 20 + r.IntN(30)
	files, images := map[string][]byte{}, make([]string, n)
	var list strings.Builder
	for id := range n {
		name, file, pixels := x.image(t, d, id)
		x.pixels = append(x.pixels, pixels)
		if x.bad[id] = r.IntN(10) == 0; x.bad[id] {
			file = x.damage(name, file)
		}
		files[name], images[id] = file, name
		list.WriteString(place + "/" + name + "\n")
	}
	names := []string{"@" + filepath.Join(x.folder, "list")}
	require.NoError(t, os.WriteFile(names[0][1:], []byte(list.String()), 0o600))
	if source == "shards" {
		half := map[string][]byte{}
		for _, name := range images[:n/2] {
			half[name] = files[name]
			delete(files, name)
		}
		names = []string{filepath.Join(data, "a.tar"), filepath.Join(data, "b.tar")}
		clitest.Pack(t, names[0], half)
		clitest.Pack(t, names[1], files)
	} else {
		for _, name := range images {
			x.paths = append(x.paths, filepath.Join(data, name))
			require.NoError(t, os.WriteFile(filepath.Join(data, name), files[name], 0o600))
		}
	}
	x.args = clitest.With([]string{"run", "images"}, clitest.With(names, "--size", fmt.Sprint(side), "--batch",
		fmt.Sprint(x.batch),
		"--epochs", fmt.Sprint(x.epochs), "--shuffle", "--seed", fmt.Sprint(x.seed), "--rest", "uneven", "--digest")...)
	x.args = append(x.args, more...)
	return x
}

func (x *chaos) cache() string { return filepath.Join(x.folder, "cache") }

// image returns an image of random pixels, as PPM, PNG or JPEG. The pixels of a JPEG are those that this process
// decodes.
func (x *chaos) image(t *testing.T, d *decoders.Set, id int) (name string, file, pixels []byte) {
	t.Helper()
	picture := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		c := color.NRGBA{byte(x.Uint32()), byte(x.Uint32()), byte(x.Uint32()), 255}
		picture.SetNRGBA(i%side, i/side, c)
		pixels = append(pixels, c.R, c.G, c.B)
	}
	var encoded bytes.Buffer
	switch x.IntN(3) {
	case 0:
		return fmt.Sprintf("%03d.ppm", id), append(fmt.Appendf(nil, "P6 %d %d 255\n", side, side), pixels...), pixels
	case 1:
		require.NoError(t, png.Encode(&encoded, picture))
		return fmt.Sprintf("%03d.png", id), encoded.Bytes(), pixels
	}
	require.NoError(t, jpeg.Encode(&encoded, picture, nil))
	pixels, _ = decodetest.Image(t, d, encoded.Bytes(), spoolimage.Spec{})
	return fmt.Sprintf("%03d.jpg", id), encoded.Bytes(), pixels
}

// damage returns a file that cannot be decoded.
func (x *chaos) damage(name string, file []byte) []byte {
	switch n := x.IntN(4); {
	case n == 0:
		return nil
	case n == 1:
		return []byte("no image")
	case n == 2 && strings.HasSuffix(name, ".png"): // the checksum of the pixels is wrong
		file[bytes.Index(file, []byte("IDAT"))+20] ^= 0x55
		return file
	}
	return file[:len(file)/2]
}

// store is a web server that is out of order for some requests. It serves its files as a bucket, too.
type store struct {
	*httptest.Server
	outage atomic.Int64 // requests that will fail
	kind   atomic.Int64 // how they fail
}

func newStore(t *testing.T, folder string) *store {
	t.Helper()
	s := &store{}
	files := http.NewServeMux()
	files.Handle("/", http.FileServer(http.Dir(folder)))
	files.Handle("/bucket/", http.StripPrefix("/bucket/", http.FileServer(http.Dir(folder))))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", fmt.Sprintf("%q", r.URL.Path)) // files do not change
		n := s.outage.Add(-1)
		if n < 0 {
			files.ServeHTTP(w, r)
			return
		}
		switch kind := s.kind.Load(); {
		case kind == 0 && n%2 == 0:
			panic(http.ErrAbortHandler)
		case kind == 0:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			whole := httptest.NewRecorder()
			maps.Copy(whole.Header(), w.Header()) // conditions of the request are about the tag
			files.ServeHTTP(whole, r)
			maps.Copy(w.Header(), whole.Header())
			w.WriteHeader(whole.Code)
			body := whole.Body.Bytes()
			_, _ = w.Write(body[:len(body)/2]) // the client may be gone, here and below
			_ = http.NewResponseController(w).Flush()
			if kind == 1 {
				panic(http.ErrAbortHandler)
			}
			<-time.After(100 * time.Millisecond)
			_, _ = w.Write(body[len(body)/2:])
		}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(s.Close)
	return s
}
