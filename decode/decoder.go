package decode

import (
	"errors"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/resize"
)

// Options are the settings of a Decoder.
type Options struct {
	Limits Limits
	// Pool provides the buffers of results. nil means a pool of the decoder's own with a ceiling of Limits.MaxMemory.
	Pool *spool.Pool
	// Tables caches resize weights for later images, and may be shared. nil means the decoder's own.
	Tables *resize.Tables
	// Isolate says which files are decoded in helper processes. The zero value has HEIC decoded
	// so, if there is a helper.
	Isolate Isolation
}

// Decoder holds what the decoders of all media share: limits, working memory and resize weights. One should serve a
// whole program. It is safe for concurrent use.
type Decoder struct {
	limits  Limits
	results *spool.Pool
	owned   bool        // Close closes results
	files   *spool.Pool // file contents of images, during a call
	ranges  *spool.Pool // ranges of remote objects
	scratch *spool.Pool // working memory: one buffer a call, so that no call waits for memory while it holds some
	tables  *resize.Tables
	isolate Isolate
	helpers // of a nil pool if all is decoded in this process
}

type helpers = helper.Holder

// New makes a decoder. The caller releases it by Close, after the decoders of media that were made with it.
func New(o Options) (*Decoder, error) {
	d := &Decoder{limits: o.Limits.WithDefaults(), results: o.Pool, tables: o.Tables, isolate: o.Isolate.Which}
	pool, err := o.Isolate.pool(d.limits)
	if err != nil {
		return nil, err
	}
	d.helpers = helper.Hold(pool)
	if d.scratch, err = spool.NewPool(spool.PoolOptions{MaxBytes: d.limits.MaxMemory}); err != nil {
		return nil, err
	}
	if d.files, err = newFilePool(d.limits); err != nil {
		return nil, err
	}
	if d.ranges, err = spool.NewPool(spool.PoolOptions{MaxBytes: rangeBytes, MaxKept: keptRanges}); err != nil {
		return nil, err
	}
	if d.results == nil {
		d.owned = true
		if d.results, err = spool.NewPool(spool.PoolOptions{MaxBytes: d.limits.MaxMemory}); err != nil {
			return nil, err
		}
	}
	if d.tables == nil {
		d.tables = new(resize.Tables)
	}
	return d, nil
}

// Close frees what the decoder holds. It must not be called during a call of a decoder made with it. Buffers of results
// stay valid. If some of the decoder's own pool are not released yet, Close returns ErrLeaked.
func (d *Decoder) Close() error {
	err := errors.Join(d.files.Close(), d.ranges.Close(), d.scratch.Close())
	if pool := helper.Of(d); pool != nil {
		err = errors.Join(err, pool.Close())
	}
	if d.owned {
		err = errors.Join(err, d.results.Close())
	}
	return err
}

// Limits are the limits in force.
func (d *Decoder) Limits() Limits { return d.limits }

// Results is the pool of the buffers that decoders return.
func (d *Decoder) Results() *spool.Pool { return d.results }

// Files is the pool for the contents of files during a call.
func (d *Decoder) Files() *spool.Pool { return d.files }

// Ranges is the pool for prefetched ranges of remote objects. Its users take what is free and never wait: the memory is
// released only when a video or audio is read or closed.
func (d *Decoder) Ranges() *spool.Pool { return d.ranges }

// Scratch is the pool for working memory. A call takes at most one buffer, so that no call waits for memory while it
// holds some.
func (d *Decoder) Scratch() *spool.Pool { return d.scratch }

// Isolate says which files helper processes decode.
func (d *Decoder) Isolate() Isolate { return d.isolate }

// Tables are the resize weights.
func (d *Decoder) Tables() *resize.Tables { return d.tables }

// newFilePool makes the pool for the contents of files.
func newFilePool(l Limits) (*spool.Pool, error) {
	return spool.NewPool(spool.PoolOptions{MaxBytes: max(l.MaxMemory, l.MaxBytes), MaxKept: keptFiles})
}

// rangeBytes limits the ranges of all remote objects, and keptRanges the memory that is kept for the next ones.
const (
	rangeBytes = 1 << 30
	keptRanges = 64 << 20
)

// keptFiles limits the memory that is kept for the next files: images of many sizes would otherwise each keep a buffer.
const keptFiles = 128 << 20
