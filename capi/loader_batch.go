package main

/*
#include "handoff.h"
*/
import "C"

import (
	"cmp"
	"context"
	"io"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/invalid"
)

// batchRef is a batch whose memory C holds.
type batchRef struct {
	*batch.Batch
	room chan<- struct{} // of the run; nil: none
}

func (d batchRef) Close() error {
	d.Release()
	select {
	case d.room <- struct{}{}:
	default:
	}
	return nil
}

// batchForC is a batch that is ready for C.
type batchForC struct {
	batch  C.spool_batch
	exempt func() // removes its memory from the ceiling of its pool, since C may hold any number of batches
}

// forC makes the arrays and the metadata of a batch, which it takes over.
func forC(d delivery, on *device, records recordInfo) (b batchForC, err error) {
	to := &b.batch
	about, err := batchMetadata(d.batch, to, records)
	if err != nil {
		d.release()
		return batchForC{}, err
	}
	if d.deviceBatch != nil {
		b.exempt = func() {}
		to.pixels, err = handArray(on.hold(d.deviceBatch))
	} else {
		b.exempt = d.batch.Exempt
		to.pixels, err = hostArray(batchRef{d.batch, d.room}, 0)
	}
	if err != nil {
		about.Release()
		return batchForC{}, err
	}
	to.epoch, to.index = C.int64_t(d.batch.Epoch), C.int64_t(d.batch.Index)
	to.count, to.padded = C.int32_t(d.batch.Len()), C.int32_t(d.batch.Padded)
	if to.about, err = bufferArray(about); err != nil {
		C.spool_array_release(to.pixels)
		return batchForC{}, err
	}
	return b, nil
}

// hand passes the batch to C.
func (b *batchForC) hand(to *C.spool_batch) {
	b.exempt()
	*to = b.batch
}

// release releases a batch that C does not get.
func (b *batchForC) release() { C.spool_batch_release(&b.batch) }

// hostArray makes an array of a field of a batch in host memory, which it owns.
func hostArray(b batchRef, field int) (*C.spool_array, error) {
	return newArray(b.FieldDesc(field), b.FieldBytes(field), b)
}

//export goBatchArray
func goBatchArray(owner C.uintptr_t, number C.int32_t, array **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "array", func() error {
		return use(owner, func(_ context.Context, a *spool_array) (err error) {
			switch pixels := a.Closer.(type) {
			case batchRef:
				if n := len(pixels.Fields()); number < 0 || int(number) >= n {
					return invalid.Errorf("array %d: the batch has %d", number, n)
				}
				*array, err = hostArray(batchRef{pixels.Retain(), pixels.room}, int(number))
			case *onDevice:
				*array, err = pixels.array(int(number))
			default:
				return invalid.Errorf("no batch")
			}
			return err
		})
	})
}

// framesOf returns the number of frames of a batch's clips.
func framesOf(b *batch.Batch) (n int) {
	for _, s := range b.Samples {
		n = max(n, len(s.Frames))
	}
	return n
}

// metadata is the memory for the metadata of a batch, of which it has parts one after the other.
type metadata struct{ rest []byte }

// take returns memory for n values of a size, at a multiple of 8 bytes.
func (m *metadata) take(n, size int) unsafe.Pointer {
	at := unsafe.Pointer(unsafe.SliceData(m.rest))
	m.rest = m.rest[aligned(n*size):]
	return at
}

func aligned(n int) int { return (n + 7) &^ 7 }

// text writes a text that ends with a NUL.
func (m *metadata) text(s string) *C.char {
	at := m.take(len(s)+1, 1)
	text := unsafe.Slice((*byte)(at), len(s)+1)
	text[copy(text, s)] = 0
	return (*C.char)(at)
}

// batchMetadata writes the metadata of a batch's samples into C memory, to which the fields of the batch point.
func batchMetadata(b *batch.Batch, to *C.spool_batch, records recordInfo) (*spool.Buffer, error) {
	n, frames, fields := b.Len(), framesOf(b), recordFields(b, records)
	size := aligned(n*C.sizeof_spool_sample) + aligned(n*frames*C.sizeof_spool_frame)
	for _, s := range b.Samples {
		size += aligned(len(s.Name)+1) + aligned(len(s.Key)+1)
	}
	size += fieldsSize(b, fields)
	about, err := library.results.Get(context.Background(), size)
	if err != nil {
		return nil, err
	}
	clear(about.Bytes())
	m := metadata{about.Bytes()}
	*to = C.spool_batch{samples: (*C.spool_sample)(m.take(n, C.sizeof_spool_sample)), frames_each: C.int32_t(frames)}
	samples := unsafe.Slice(to.samples, n)
	if frames > 0 {
		to.frames = (*C.spool_frame)(m.take(n*frames, C.sizeof_spool_frame))
		rows := unsafe.Slice(to.frames, n*frames)
		for i, s := range b.Samples {
			for k, f := range s.Frames {
				rows[i*frames+k] = C.spool_frame{index: C.int64_t(f.Index), pts: C.double(f.PTS), duration: C.double(f.Duration),
					state: C.int32_t(f.State)}
			}
		}
	}
	for i, s := range b.Samples {
		v := s.Crop
		samples[i] = C.spool_sample{id: C.int64_t(s.ID), label: C.int64_t(s.Label), name: m.text(s.Name), key: m.text(s.Key),
			region: C.spool_region{left: C.double(v.Left), top: C.double(v.Top), width: C.double(v.Width),
				height: C.double(v.Height), flip_x: cBool(v.FlipX), flip_y: cBool(v.FlipY)},
			start: C.double(s.Start), length: C.int64_t(s.Length), state: C.int32_t(s.State), warnings: C.int32_t(s.Warnings),
			occurrence: C.int32_t(s.Occurrence), padding: cBool(s.Padding)}
	}
	writeFields(b, fields, &m, to)
	return about, nil
}

// handoff is where C finds the next batch of a loader without entering Go. The loader's mutex guards it.
type handoff struct {
	loader C.uintptr_t // the loader's handle; 0: none yet
	batch  *delivery   // put there; nil: none
	waits  bool        // a call in Go takes the next delivery
}

// offer puts a delivery of a run where C finds it, and reports whether it did. When C takes the batch, Go does not
// notice, so settle notes it later.
func (l *spool_loader) offer(from *loaderRun, d delivery) bool {
	if d.batch == nil || l.papers != nil { // C gets a batch after its receipt is written
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settle()
	h := &l.handoff
	if h.loader == 0 || h.batch != nil || h.waits || l.run != from {
		return false
	}
	d.ready.exempt()
	if C.spool_handoff_put(h.loader, &d.ready.batch) == 0 {
		return false
	}
	h.batch = &d
	return true
}

// settle notes that C has taken the batch that was put. The mutex is locked.
func (l *spool_loader) settle() {
	if h := &l.handoff; h.batch != nil && C.spool_handoff_holds(h.loader) == 0 {
		l.took(*h.batch)
		h.batch = nil
	}
}

// took notes that C has a delivery. The mutex is locked.
func (l *spool_loader) took(d delivery) {
	l.before, l.state, l.inEpoch = l.state, d.state, d.batch != nil
	if d.batch != nil {
		l.past.note(l.before)
		l.tally.Add(d.batch)
	}
}

// recall takes the batch back, if C has not taken it. The mutex is locked.
func (l *spool_loader) recall() (d delivery, ok bool) {
	h := &l.handoff
	var batch C.spool_batch
	if h.batch != nil && C.spool_handoff_take(h.loader, &batch) != 0 {
		d, h.batch = *h.batch, nil
		return d, true
	}
	l.settle()
	return d, false
}

// discard releases the batch, if C has not taken it. The mutex is locked.
func (l *spool_loader) discard() {
	if d, ok := l.recall(); ok {
		d.ready.release()
	}
}

// next returns the next batch of the epoch, and waits up to wait. It returns io.EOF at the end of each epoch, and again
// after the last.
func (l *spool_loader) next(ctx context.Context, wait time.Duration) (got delivery, err error) {
	err = l.serial.do(ctx, func() error {
		if l.failed != nil {
			return l.failed
		}
		l.mu.Lock()
		l.handoff.waits = true
		d, more := l.recall() // C has just looked, in vain
		l.mu.Unlock()
		var err error
		if !more {
			d, more, err = l.run.next(ctx, wait)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.handoff.waits = false
		switch {
		case err != nil:
			return cmp.Or(l.device.ringError(), err)
		case !more:
			return io.EOF
		case d.err != nil:
			l.failed = d.err
			return d.err
		}
		l.took(d)
		if d.batch == nil {
			return io.EOF
		}
		got = d
		return l.papers.write(d.paper, l.before)
	})
	return got, err
}
