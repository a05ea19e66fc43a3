package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
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
