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
)

// batchRef is a batch whose memory C holds.
type batchRef struct{ *batch.Batch }

func (d batchRef) Close() error {
	d.Release()
	return nil
}

// handBatch passes a batch to C, which may hold any number of them.
func handBatch(to *C.spool_batch, d delivery, on *device) error {
	b := d.batch
	about, err := batchMetadata(b)
	if err != nil {
		d.release()
		return err
	}
	var pixels *C.spool_array
	if d.deviceBatch != nil {
		pixels, err = handArray(on.hold(d.deviceBatch))
	} else {
		b.Exempt()
		pixels, err = newArray(b.Desc(), b.Bytes(), batchRef{b})
	}
	if err != nil {
		about.Release()
		return err
	}
	n, frames := b.Len(), framesOf(b)
	at := unsafe.Pointer(unsafe.SliceData(about.Bytes()))
	*to = C.spool_batch{epoch: C.int64_t(b.Epoch), index: C.int64_t(b.Index), count: C.int32_t(n),
		padded: C.int32_t(b.Padded), pixels: pixels,
		samples: (*C.spool_sample)(at), frames_each: C.int32_t(frames)}
	if frames > 0 {
		to.frames = (*C.spool_frame)(unsafe.Add(at, n*C.sizeof_spool_sample))
	}
	if to.about, err = bufferArray(about); err != nil {
		C.spool_array_release(pixels)
	}
	return err
}

// framesOf returns the number of frames of a batch's clips.
func framesOf(b *batch.Batch) (n int) {
	for _, s := range b.Samples {
		n = max(n, len(s.Frames))
	}
	return n
}

// batchMetadata writes the metadata of samples into C memory: a spool_sample for each, then their frames, then their
// names.
func batchMetadata(b *batch.Batch) (*spool.Buffer, error) {
	n, frames := b.Len(), framesOf(b)
	fixed := n*C.sizeof_spool_sample + n*frames*C.sizeof_spool_frame
	size := fixed
	for _, s := range b.Samples {
		size += len(s.Name) + len(s.Key) + 2
	}
	about, err := library.results.Get(context.Background(), size)
	if err != nil {
		return nil, err
	}
	memory := about.Bytes()
	clear(memory[:fixed])
	samples := unsafe.Slice((*C.spool_sample)(unsafe.Pointer(&memory[0])), n)
	names := memory[fixed:]
	text := func(s string) *C.char {
		at := (*C.char)(unsafe.Pointer(&names[0]))
		names[copy(names, s)] = 0
		names = names[len(s)+1:]
		return at
	}
	for i, s := range b.Samples {
		v := s.Crop
		samples[i] = C.spool_sample{id: C.int64_t(s.ID), label: C.int64_t(s.Label), name: text(s.Name), key: text(s.Key),
			region: C.spool_region{left: C.double(v.Left), top: C.double(v.Top), width: C.double(v.Width),
				height: C.double(v.Height), flip_x: cBool(v.FlipX), flip_y: cBool(v.FlipY)},
			start: C.double(s.Start), length: C.int64_t(s.Length), state: C.int32_t(s.State), warnings: C.int32_t(s.Warnings),
			occurrence: C.int32_t(s.Occurrence), padding: cBool(s.Padding)}
	}
	if frames > 0 {
		rows := unsafe.Slice((*C.spool_frame)(unsafe.Pointer(&memory[n*C.sizeof_spool_sample])), n*frames)
		for i, s := range b.Samples {
			for k, f := range s.Frames {
				rows[i*frames+k] = C.spool_frame{index: C.int64_t(f.Index), pts: C.double(f.PTS), duration: C.double(f.Duration),
					state: C.int32_t(f.State)}
			}
		}
	}
	return about, nil
}
