package codec

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/short"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "bytes in libvips", Now: vips.InUse})
}

// measured are the folders of files for benchmarks, the most suitable first: generated files, and testdata. Tests also
// use files outside of the repository, and those of package vips, which have more formats.
var (
	measured = []string{filepath.Join("../..", bench.Media, "photos"), filepath.Join("../..", bench.Media, "formats"),
		"../../testdata/photos/*", "../../testdata/hard/good"}
	tested = append([]string{"../../../shared/media/photos", "../../../shared/media/formats"},
		append(slices.Clone(measured), "../../cbridge/vips/testdata")...)
)

// files returns the files of a codec in the first of the folders that has any.
func files(tb testing.TB, c Codec, folders []string) (found [][]byte) {
	tb.Helper()
	ending, other := map[string]string{"jpeg": "jpg", "pnm": "ppm"}[c.Name]
	if !other {
		ending = c.Name
	}
	for _, folder := range folders {
		names, err := filepath.Glob(filepath.Join(folder, "*."+ending))
		require.NoError(tb, err)
		for _, name := range names[:min(len(names), 8)] {
			if strings.HasSuffix(name, "lossless.webp") { // the other files are lossy
				continue
			}
			data, err := os.ReadFile(name)
			require.NoError(tb, err)
			found = append(found, data)
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func newBench(tb testing.TB, c Codec, size int) *Bench {
	tb.Helper()
	b, err := New(c, size, 1)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, b.Close()) })
	return b
}

// Every codec can be measured, and all ways to the same pixels give the same pixels.
func TestAll(t *testing.T) {
	for _, c := range All() {
		t.Run(c.Name, func(t *testing.T) {
			b := newBench(t, c, 32)
			assert.Nil(t, b.Results())
			list := files(t, c, tested)
			require.NotEmpty(t, list)
			n := 0
			for _, data := range list {
				if err := b.Add(t.Context(), data); err == nil {
					n++
				} else {
					t.Log(err)
				}
				if n == short.Of(len(list), 1) {
					break
				}
			}
			require.Positive(t, n)
			assert.Nil(t, b.Results())
			require.NoError(t, b.Measure(t.Context()))
			results := b.Results()
			require.NotEmpty(t, results)
			names := map[string]bool{}
			for i, r := range results {
				switch c.Name {
				case "jpeg":
					assert.NotEmpty(t, r.Files)
				case "png":
					assert.Contains(t, []string{"", "interlaced"}, r.Files)
				default:
					assert.Empty(t, r.Files)
				}
				assert.Positive(t, r.Items)
				assert.Equal(t, c.Name, r.Codec)
				assert.NotEmpty(t, r.Engine, r.Step)
				assert.Positive(t, r.NsPerPixel+r.UsPerItem, r.Step)
				assert.Equal(t, r.Step == "header", r.UsPerItem > 0, r.Step)
				assert.Equal(t, len(c.bare) > 0, r.FloorRatio > 0, r.Step)
				if i == 0 && len(c.bare) > 0 {
					assert.InDelta(t, 1, r.FloorRatio, 0)
				}
				assert.False(t, names[r.Step+r.Files], "%s twice", r.Step)
				names[r.Step+r.Files] = true
			}
			if c.kind == nil {
				assert.Len(t, results, len(b.steps))
			}
		})
	}
}

// An interlaced PNG has all steps but those of rows in order, and does not count among the others.
func TestInterlacedPNG(t *testing.T) {
	c, ok := Find("png")
	require.True(t, ok)
	b := newBench(t, c, 32)
	for _, name := range []string{"interlaced.png", "rgb.png"} {
		data, err := os.ReadFile(filepath.Join("../../testdata/hard/good", name))
		require.NoError(t, err)
		require.NoError(t, b.Add(t.Context(), data), name)
	}
	require.NoError(t, b.Measure(t.Context()))
	steps := map[string][]string{}
	for _, r := range b.Results() {
		assert.Equal(t, 1, r.Items, r.Step)
		steps[r.Files] = append(steps[r.Files], r.Step)
	}
	require.Len(t, steps, 2)
	assert.Len(t, steps[""], len(b.steps))
	assert.Equal(t, slices.DeleteFunc(slices.Clone(steps[""]), func(step string) bool {
		return strings.HasPrefix(step, "inflate")
	}), steps["interlaced"])
}

// Each step runs on all files in turn, and the fastest of its times counts.
func TestTurns(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		const rounds, steps, files = 3, 4, 5
		var order [][2]int
		runs := map[[2]int]int{}
		fastest, err := turns(rounds, steps, files, func(step, file int) error {
			run := [2]int{step, file}
			order = append(order, run)
			runs[run]++
			<-time.After(time.Duration([]int{step + 9, step + file, step + 7}[runs[run]-1]))
			return nil
		})
		require.NoError(t, err)
		require.Len(t, order, rounds*steps*files)
		for i, run := range order {
			assert.Equal(t, i%files, run[1])
			assert.Equal(t, order[i/files*files][0], run[0], "all files, one step")
			assert.Equal(t, rounds, runs[run])
		}
		require.Len(t, fastest, files)
		for file, times := range fastest {
			require.Len(t, times, steps)
			for step, took := range times {
				assert.Equal(t, time.Duration(step+file), took)
			}
		}
		_, err = turns(rounds, steps, files, func(int, int) error { return os.ErrInvalid })
		require.ErrorIs(t, err, os.ErrInvalid)
	})
}

// JPEG files are measured by kind, and each step only on the files that have it.
func TestKindsOfJPEG(t *testing.T) {
	c, _ := Find("jpeg")
	b := newBench(t, c, 32)
	for _, name := range []string{"photos/animal/00.jpg", "photos/animal/01.jpg", "hard/good/progressive.jpg",
		"hard/good/s444.jpg", "hard/good/gray.jpg"} {
		data, err := os.ReadFile(filepath.Join("../../testdata", name))
		require.NoError(t, err)
		require.NoError(t, b.Add(t.Context(), data), name)
	}
	require.NoError(t, b.Measure(t.Context()))
	items := map[string]int{}
	for _, r := range b.Results() {
		items[r.Files+": "+r.Step] = r.Items
		assert.Positive(t, r.FloorRatio, r.Step)
		if r.Step == "decode" {
			assert.Equal(t, map[string]string{"sequential, small": "spool, jpeg (own)",
				"progressive, small": "spool, jpeg (own)"}[r.Files], r.Engine)
		}
	}
	for step, n := range map[string]int{"bare-rgb": 4, "bare-entropy": 4, "own-unstuff": 4, "own-entropy": 4,
		"own-planes": 4, "own-upsample": 1, "own-convert": 3,
		"turbo": 4, "turbo+exact": 4, "decode": 4} {
		assert.Equal(t, n, items["sequential, small: "+step], step)
	}
	assert.Equal(t, 1, items["progressive, small: turbo"])
	assert.Equal(t, 1, items["progressive, small: own-entropy"])
	assert.Equal(t, "sequential, large", jpegKind(nil, 1<<20))
}

func TestRefuses(t *testing.T) {
	jpeg, found := Find("jpeg")
	require.True(t, found)
	_, found = Find("jpg")
	assert.False(t, found)
	b := newBench(t, jpeg, 8)
	require.ErrorContains(t, b.Add(t.Context(), []byte("P6\n1 1\n255\nabc")), "pnm where jpeg is measured")
	require.Error(t, b.Add(t.Context(), []byte("nothing")))
	assert.Nil(t, b.Results())

	other := jpeg
	other.bare = []bare{{"bare-black", "nobody", true, func(_, dst []byte) error { clear(dst); return nil }}}
	require.ErrorContains(t, newBench(t, other, 8).Add(t.Context(), files(t, jpeg, tested)[0]),
		"bare-black gives other pixels than the lane")
}

// BenchmarkCodec runs each step of each codec on images in turn, alternately with the floor, so that other work of the
// machine affects both. It reports the time a pixel, and the median over all turns of the time as a multiple of the
// floor's.
func BenchmarkCodec(b *testing.B) {
	const size = 224
	for _, c := range All() {
		own := newBench(b, c, size)
		var images []*photo
		for _, data := range files(b, c, measured) {
			if p, err := own.open(b.Context(), data); err == nil {
				images = append(images, p)
			}
		}
		if len(images) == 0 {
			continue
		}
		for i, s := range own.steps {
			b.Run(c.Name+"/"+s.name, func(b *testing.B) {
				memory := largest(images, size)
				if !slices.ContainsFunc(images, func(p *photo) bool { return !p.without[i] }) {
					b.Skip("no image with this step")
				}
				var took time.Duration
				var ratios []float64
				pixels := 0
				for n := 0; b.Loop(); n++ {
					for images[n%len(images)].without[i] {
						n++
					}
					p := images[n%len(images)]
					mine := clock(b, s, p, memory)
					took += mine
					pixels += p.width * p.height
					if len(c.bare) > 0 {
						floor := mine
						if i > 0 {
							floor = clock(b, own.steps[0], p, memory)
						}
						ratios = append(ratios, float64(mine)/float64(floor))
					}
				}
				b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/op")
				b.ReportMetric(float64(took.Nanoseconds())/float64(pixels), "ns/pixel")
				if len(ratios) > 0 {
					b.ReportMetric(bench.Median(ratios), "x-floor")
				}
			})
		}
	}
}

// largest returns memory for any of the images.
func largest(images []*photo, size int) (memory []byte) {
	for _, p := range images {
		if n := p.memory(size); n > len(memory) {
			memory = make([]byte, n)
		}
	}
	return memory
}

// clock returns the time of a step.
func clock(b *testing.B, s step, p *photo, memory []byte) time.Duration {
	b.Helper()
	begin := time.Now()
	err := s.run(b.Context(), p, memory)
	took := time.Since(begin)
	require.NoError(b, err)
	return took
}
