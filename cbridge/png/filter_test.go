package png_test

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/seed"
)

const slack = 16

// filtered returns n rows of random bytes, each with a filter, after a row that is unfiltered already.
func filtered(random *rand.Rand, n, bytes int, filter func() byte) (rows []byte, at, stride int) {
	stride = bytes + 1
	rows = make([]byte, slack+stride*(n+1)+slack)
	for i := range rows {
		rows[i] = byte(random.Uint32())
		if random.IntN(4) == 0 { // ties of the Paeth predictor
			rows[i] &= 3
		}
	}
	at = slack + stride
	for y := range n {
		rows[at+y*stride-1] = filter()
	}
	return rows, at, stride
}

// The vector code gives the results of the scalar code, and writes nothing else.
func TestFiltersAreTheScalarOnes(t *testing.T) {
	t.Log(png.SIMD())
	random := seed.Rand(t)
	assert.Equal(t, "scalar", png.Level(0))
	for range 4000 {
		distance := []int{1, 2, 3, 4, 6, 8}[random.IntN(6)]
		width, n, kind := 1+random.IntN([]int{5, 20, 200}[random.IntN(3)]), 1+random.IntN(20), random.IntN(7)
		rows, at, stride := filtered(random, n, width*distance, func() byte {
			if kind < 5 {
				return byte(kind)
			}
			return byte(random.IntN(5))
		})
		want := bytes.Clone(rows)
		png.UnfilterAt(0, want, at, stride, n, width*distance, distance)
		for level := 1; level < png.Levels(); level++ {
			got := bytes.Clone(rows)
			png.UnfilterAt(level, got, at, stride, n, width*distance, distance)
			require.Equal(t, want, got, "%s: %d rows of %d pixels of %d bytes", png.Level(level), n, width, distance)
		}
	}
}

// The scalar filters follow the examples of the specification (section 9.2).
func TestScalarFilters(t *testing.T) {
	for filter, want := range map[byte][]byte{
		0: {10, 20, 250, 3},
		1: {10, 20, 4, 23},
		2: {110, 220, 29, 5},
		3: {60, 120, 41, 64},
		4: {110, 220, 29, 5},
	} {
		rows := make([]byte, slack+2*5+slack)
		copy(rows[slack:], []byte{100, 200, 35, 2, filter, 10, 20, 250, 3})
		png.UnfilterAt(0, rows, slack+5, 5, 1, 4, 2)
		assert.Equal(t, want, rows[slack+5:][:4], "filter %d", filter)
	}
}

// TestEmulatedARM64 does the same for NEON: built for arm64 and run by an emulator. It does not need the libraries.
func TestEmulatedARM64(t *testing.T) {
	compiler, emulator := need.ARM64(t)
	binary := filepath.Join(t.TempDir(), "filters")
	out, err := exec.Command(compiler, "-static", "-O3", "-Wall", "-Wextra", "-Werror", "-I.", "-o", binary,
		"testdata/arm64/filters.c", "filter.c", "filter_dispatch.c", "filter_neon_arm64.c").CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command(emulator, binary).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func BenchmarkFilters(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	const width, height = 500, 375
	for level := range png.Levels() {
		for filter, name := range []string{"none", "sub", "up", "average", "paeth", "mixed"} {
			b.Run(png.Level(level)+"/"+name, func(b *testing.B) {
				rows, at, stride := filtered(random, height, width*3, func() byte {
					if filter < 5 {
						return byte(filter)
					}
					return byte(random.IntN(5))
				})
				work := make([]byte, len(rows))
				for b.Loop() {
					copy(work, rows)
					png.UnfilterAt(level, work, at, stride, height, width*3, 3)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(width*height), "ns/pixel")
			})
		}
	}
}
