package loader_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

// dotTable writes a table of n images of one pixel, row k with the color k and width k modulo 100.
func dotTable(t testing.TB, n int) (path string) {
	t.Helper()
	folder := t.TempDir()
	var text strings.Builder
	text.WriteString("path,width\n")
	for k := range n {
		name := filepath.Join(folder, fmt.Sprintf("%d.ppm", k))
		require.NoError(t, os.WriteFile(name, append([]byte("P6 1 1 255\n"), byte(k), byte(k>>8), 0), 0o600))
		fmt.Fprintf(&text, "%s,%d\n", name, k%100)
	}
	path = filepath.Join(folder, "t.csv")
	require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
	return path
}

// TestWhereResumes: a run over selected rows that stops anywhere resumes with the batches of an uninterrupted run. A
// state of other rows is refused.
func TestWhereResumes(t *testing.T) {
	table := dotTable(t, 300)
	listed := func(where string) *source.Listing {
		l, err := source.Open(t.Context(), []string{table}, source.Options{Where: where})
		require.NoError(t, err)
		return l
	}
	src := listed("width >= 40 and width < 90")
	require.Equal(t, 150, src.Len())
	options := loader.Options{Batch: 7, Epochs: 2, Shuffle: true, Seed: 5, Workers: 3}
	run := func(o loader.Options, most int) (rows [][]int, state loader.State) {
		ld, err := loader.Images(src, loader.ImageOptions{Spec: image.Spec{Resize: spec(1).Resize}, Options: o})
		require.NoError(t, err)
		for b, err := range ld.Batches(t.Context()) {
			require.NoError(t, err)
			var of []int
			for i, s := range b.Samples {
				row := int(b.Slot(i)[0]) | int(b.Slot(i)[1])<<8
				require.Equal(t, 40+int(s.ID)%50, row%100, "ids are positions among the selected rows")
				require.Equal(t, int(s.ID)/50, row/100)
				of = append(of, row)
			}
			rows = append(rows, of)
			state, err = ld.State()
			require.NoError(t, err)
			b.Release()
			if len(rows) == most {
				break
			}
		}
		require.NoError(t, ld.Close())
		return rows, state
	}
	whole, _ := run(options, -1)
	r := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		n := 1 + r.IntN(len(whole)-1)
		first, state := run(options, n)
		rest := options
		rest.Resume, rest.Workers = []loader.State{state}, 1+r.IntN(4)
		second, _ := run(rest, -1)
		require.Equal(t, whole, append(first, second...))
	}

	_, state := run(options, 1)
	options.Resume = []loader.State{state}
	for where, what := range map[string]string{"width >= 41 and width < 91": "selection", "": "samples 150"} {
		_, err := loader.Images(listed(where), loader.ImageOptions{Spec: spec(1), Options: options})
		require.ErrorIs(t, err, spool.ErrOptions)
		assert.ErrorContains(t, err, what)
	}
	same := listed("not (width < 40 or width >= 90)")
	ld, err := loader.Images(same, loader.ImageOptions{Spec: spec(1), Options: options})
	require.NoError(t, err)
	require.NoError(t, ld.Close())
}
