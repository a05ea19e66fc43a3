package loader_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/batch"
	spoolimage "github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/resize"
)

// Samples that no batch can hold are bad samples, and memory stays below the ceiling.
func TestFormsAreBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var src rows
	samples := short.Of(80, 20)
	for i := range samples {
		width := 20 + r.IntN(80)
		if i%20 == 10 {
			width = 3500 // 3500x60 pixels alone are below the limit, beside others of its batch they are not
		}
		if i%20 == 15 {
			width = short.Of(30000, 20000)
		}
		data := labels(t, r, width, 60)
		src = append(src, [][]byte{data, data})
	}
	const memory = 8 << 20
	for _, kind := range []loader.FormKind{loader.FormPad, loader.FormRagged, loader.FormBudget} {
		f := loader.Form{Kind: kind, Memory: memory}
		if kind == loader.FormBudget {
			f.Pixels = 100 << 20
		}
		var first []string
		for _, workers := range []int{1, 8} {
			ledger := &pipe.MemoryLedger{}
			o := loader.RecordOptions{Schema: pictureSchema(spoolimage.Spec{}, resize.Augment{}), Form: f,
				Options: loader.Options{Batch: 8, Workers: workers, Failures: loader.Failures{Ledger: ledger}}}
			ld, err := loader.Records(src, o)
			require.NoError(t, err)
			n := 0
			for b, err := range ld.Batches(t.Context()) {
				require.NoError(t, err)
				assert.LessOrEqual(t, len(b.Memory()), memory/8)
				n += b.Len()
				b.Release()
			}
			singles, slabs := ld.Singles(), ld.Slabs()
			assert.LessOrEqual(t, singles.PeakBytes+slabs.PeakBytes, int64(memory))
			require.NoError(t, ld.Close())
			var failed []string
			for _, x := range ledger.Failures() {
				assert.Equal(t, "too-large", x.Class)
				failed = append(failed, x.ID)
			}
			assert.Equal(t, samples, n+len(failed))
			assert.Contains(t, failed, "15")
			slices.Sort(failed)
			if first == nil {
				first = failed
			}
			assert.Equal(t, first, failed)
		}
		if kind == loader.FormPad {
			assert.Contains(t, first, "10")
		} else {
			assert.NotContains(t, first, "10")
		}
	}
}

// Many samples that are smaller than a page do not wait for each other.
func TestFormsOfTinyImages(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var src rows
	var data []byte
	for i := range short.Of(1500, 800) {
		if i%short.Of(1, 20) == 0 { // writing an image takes longer than loading it
			data = labels(t, r, 3, 3)
		}
		src = append(src, [][]byte{data, data})
	}
	got, err := loadRecords(t, src, loader.RecordOptions{Schema: pictureSchema(spoolimage.Spec{}, resize.Augment{}),
		Form: loader.Form{Kind: loader.FormRagged, Memory: 2 << 20}, Options: loader.Options{Batch: 700}},
		(*batch.Batch).Len)
	require.NoError(t, err)
	assert.Equal(t, short.Of([]int{700, 700, 100}, []int{700, 100}), got)
}
