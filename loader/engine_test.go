package loader_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/resize"
)

// Batches, failures and metadata are the same with either JPEG engine, and each image is counted.
func TestJPEGEngines(t *testing.T) {
	run := func(e image.JPEGEngine, augment resize.Augment) (batches, failures []string, counts image.JPEGCounts) {
		var ledger pipe.MemoryLedger
		ld, err := loader.Images(open(t, "photos", "hard/good", "hard/bad"),
			loader.ImageOptions{Spec: spec(48), JPEG: e, Augment: augment,
				Options: loader.Options{Batch: 5, Workers: 3, Failures: loader.Failures{Ledger: &ledger}}})
		require.NoError(t, err)
		defer func() { require.NoError(t, ld.Close()) }()
		for b, err := range ld.Batches(context.Background()) {
			require.NoError(t, err)
			batches = append(batches, fmt.Sprintf("%+v %x", b.Samples, sha256.Sum256(b.Bytes())))
			b.Release()
		}
		for _, f := range ledger.Failures() {
			failures = append(failures, fmt.Sprint(f.ID, f.Class, f.Text))
		}
		slices.Sort(failures)
		return batches, failures, ld.JPEG()
	}
	for _, augment := range []resize.Augment{{}, {ResizedCrop: new(resize.RandomResizedCrop), FlipX: 0.5}} {
		batches, failures, counts := run(image.JPEGAuto, augment)
		batchesOfTurbo, failuresOfTurbo, countsOfTurbo := run(image.JPEGTurbo, augment)
		assert.Equal(t, batchesOfTurbo, batches)
		assert.Equal(t, failuresOfTurbo, failures)
		assert.NotEmpty(t, failures)
		assert.Equal(t, image.JPEGCounts{Turbo: counts.Own + counts.Turbo}, countsOfTurbo)
		left := int64(0)
		for _, n := range counts.Left {
			left += n
		}
		assert.Equal(t, counts.Turbo, left)
		assert.Greater(t, counts.Own, left)
	}
}
