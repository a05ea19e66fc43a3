package loader_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// faulty is a source whose Open a test can replace.
type faulty struct {
	source.Source
	open func(ctx context.Context, i int) (spool.Object, error)
}

func (f faulty) Open(ctx context.Context, i int) (spool.Object, error) { return f.open(ctx, i) }

// Many epochs of few samples, some or all bad, need no more slabs than the pool has. Samples fail before they have a
// slot, or with a slot, which may complete an epoch.
func TestSmallBadEpochsDoNotHang(t *testing.T) {
	for _, contents := range []string{"", "no picture at all"} {
		t.Run(contents, func(t *testing.T) { smallBadEpochs(t, contents) })
	}
}

func smallBadEpochs(t *testing.T, contents string) {
	dir := t.TempDir()
	for i := range 3 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jpg", i)), []byte(contents), 0o644))
	}
	bad := []string{filepath.Join(dir, "0.jpg"), filepath.Join(dir, "1.jpg"), filepath.Join(dir, "2.jpg")}
	good := open(t, "photos").Item(0).Name
	for _, order := range []batch.Order{batch.Exact, batch.Any} {
		for _, files := range [][]string{bad, {good, bad[0]}, {bad[0], good}} {
			var ledger pipe.MemoryLedger
			ld, err := loader.Images(source.Files(files...),
				loader.ImageOptions{Spec: spec(8), Options: loader.Options{Epochs: 100, Order: order,
					Failures: loader.Failures{Ledger: &ledger}}})
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			batches, failed := 0, error(nil)
			for b, err := range ld.Batches(ctx) {
				if failed = err; err == nil {
					batches++
					b.Release()
				}
			}
			require.NoError(t, ld.Close())
			if len(files) == len(bad) {
				require.ErrorIs(t, failed, spool.ErrEmpty)
				require.Len(t, ledger.Failures(), 300)
			} else {
				require.NoError(t, failed)
				require.Equal(t, 100, batches)
				require.Len(t, ledger.Failures(), 100)
			}
		}
	}
}

// The end of the run is not a failure of a sample, whatever the policy: there is no ledger entry and no placeholder.
func TestDeadlineIsNoFailure(t *testing.T) {
	for _, policy := range []loader.Policy{loader.Skip, loader.Fail, loader.Placeholder} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		slow := faulty{open(t, "photos"), func(ctx context.Context, _ int) (spool.Object, error) {
			<-ctx.Done()
			return nil, &spool.Error{Op: "open", File: "slow", Class: spool.ErrTimeout, Err: ctx.Err()}
		}}
		var ledger pipe.MemoryLedger
		ld, err := loader.Images(slow,
			loader.ImageOptions{Spec: spec(8), Options: loader.Options{OnError: policy,
				Failures: loader.Failures{Ledger: &ledger}}})
		require.NoError(t, err)
		for b, err := range ld.Batches(ctx) {
			require.Nil(t, b)
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		require.Empty(t, ledger.Failures())
		require.NoError(t, ld.Close())
	}
}

// A panic while a sample is read is a failure of that sample, and neither its slot nor its memory leaks.
func TestPanicIsAFailure(t *testing.T) {
	for _, order := range []batch.Order{batch.Exact, batch.Any} {
		list := open(t, "photos")
		panicking := faulty{list, func(ctx context.Context, i int) (spool.Object, error) {
			if i%2 == 0 {
				panic("broken source")
			}
			return list.Open(ctx, i)
		}}
		var ledger pipe.MemoryLedger
		got, err := load(t, panicking,
			loader.ImageOptions{Spec: spec(8), Options: loader.Options{Batch: 2, Order: order,
				Failures: loader.Failures{Ledger: &ledger}}},
			(*batch.Batch).Len)
		require.NoError(t, err)
		delivered := 0
		for _, n := range got {
			delivered += n
		}
		require.Equal(t, list.Len()/2, delivered)
		require.Len(t, ledger.Failures(), (list.Len()+1)/2)
		for _, f := range ledger.Failures() {
			require.Equal(t, "panic", f.Class)
			require.NotEmpty(t, f.File)
		}
	}
}

// The same holds for a panic during decoding, when the sample has a slot and memory.
func TestPanicOfADecoderIsAFailure(t *testing.T) {
	for _, order := range []batch.Order{batch.Exact, batch.Any} {
		list, calls := open(t, "photos"), atomic.Int64{}
		panicking := spec(8)
		panicking.Draw = func(int, int) (resize.Spec, error) {
			if calls.Add(1)%2 == 0 {
				panic("broken draw")
			}
			return panicking.Resize, nil
		}
		var ledger pipe.MemoryLedger
		got, err := load(t, list, loader.ImageOptions{Spec: panicking,
			Options: loader.Options{Batch: 2, Order: order, Failures: loader.Failures{Ledger: &ledger}}}, (*batch.Batch).Len)
		require.NoError(t, err)
		delivered := 0
		for _, n := range got {
			delivered += n
		}
		require.Equal(t, (list.Len()+1)/2, delivered)
		require.Len(t, ledger.Failures(), list.Len()/2)
		for _, f := range ledger.Failures() {
			require.Equal(t, "panic", f.Class)
			require.Equal(t, "decode", f.Stage)
			require.NotEmpty(t, f.File)
		}
	}
}

func TestLimitsOfFiles(t *testing.T) {
	for _, c := range []struct {
		limit int64
		class error
	}{{0, nil}, {-1, nil}, {math.MaxInt64, nil}, {1000, spool.ErrTooLarge}} {
		_, err := load(t, open(t, "photos"),
			loader.ImageOptions{Spec: spec(8),
				Options: loader.Options{Limit: 2, OnError: loader.Fail, Limits: decode.Limits{MaxBytes: c.limit}}},
			(*batch.Batch).Len)
		require.ErrorIs(t, err, c.class, "limit %d", c.limit)
	}
}
