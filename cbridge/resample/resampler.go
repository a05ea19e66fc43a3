package resample

/*
#cgo noescape spool_resample_push
#cgo nocallback spool_resample_push
#cgo noescape spool_resample_flush
#cgo nocallback spool_resample_flush
#include "resample.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Resampler takes a sound to another rate, a chunk at a time. How it is cut into chunks does not change a
// sample. It has no memory but Go's, which Release gives to the next, and belongs to one goroutine at a time.
type Resampler struct {
	filter *Filter
	c      C.spool_resample_filter
	form   C.spool_resample_form
	state  C.spool_resample_state
	window []float32
	level  int
}

// strip is how many samples of each channel C takes at a time, STRIP of resample.c.
const strip = 4096

// New makes a resampler for the channels that leave it, at the beginning of a sound. It takes 8 bytes for
// each tap and channel, and 8 KB a channel. F is lent for as long as the resampler is used.
//
//	Errors: spool.ErrOptions.
func New(f *Filter, channels int) (*Resampler, error) {
	if channels < 1 || channels > MaxChannels {
		return nil, fmt.Errorf("%w: resample: %d channels", spool.ErrOptions, channels)
	}
	capacity := 2*f.taps + 2*strip
	r := &Resampler{filter: f, level: best, window: f.idle.take(capacity * channels),
		c: C.spool_resample_filter{taps: C.int32_t(f.taps), rows: C.int32_t(f.rows), denominator: C.int64_t(f.denominator),
			whole: C.int64_t(f.whole), row: C.int64_t(f.part * f.rows / f.denominator), rest: C.int64_t(f.part * f.rows % f.denominator)},
		form: C.spool_resample_form{channels: C.int32_t(channels), capacity: C.int64_t(capacity)},
	}
	r.Reset(0)
	return r, nil
}

// Release hands the resampler's memory to the next one of the filter. The resampler MUST NOT be used any more. One that is not released
// is garbage like all else.
func (r *Resampler) Release() {
	r.filter.idle.give(r.window)
	*r = Resampler{}
}

// Filter is what New was given.
func (r *Resampler) Filter() *Filter { return r.filter }

// Channels is how many channels the output has.
func (r *Resampler) Channels() int { return int(r.form.channels) }

// Reset forgets all samples and makes output number first the next one. What is given to Process from then
// on MUST begin with the first input sample of Filter.Span(first, first+1): the outputs are the same as those
// of the whole sound then.
func (r *Resampler) Reset(first int64) {
	at, phase := r.filter.position(max(first, 0))
	lead := max(-at, 0)
	r.state = C.spool_resample_state{filled: C.int64_t(lead), lead: C.int64_t(lead)}
	r.state.position.row = C.int64_t(phase * r.filter.rows / r.filter.denominator)
	r.state.position.rest = C.int64_t(phase * r.filter.rows % r.filter.denominator)
}

// Next is how many outputs Process would give for n more samples.
func (r *Resampler) Next(n int) int {
	room := int(r.state.filled) + n - r.filter.taps - int(r.state.position.at)
	if room < 0 {
		return 0
	}
	f, p := r.filter, r.state.position
	step := f.whole*f.denominator + f.part
	phase := (int(p.row)*f.denominator + int(p.rest)) / f.rows
	return ((room+1)*f.denominator - phase + step - 1) / step
}

// Process takes the next samples of the sound, mixes them by m (nil: as they are), and gives the outputs that
// are complete then: r.Next(src.Len) of them, in dst. Outputs lag behind by half of the filter's taps; there
// is no delay in them: output i is at the time of i/out seconds. Before its beginning and behind its end a sound
// is taken to go on as its own mirror image, as swresample does.
//
// Dst, src and m are lent. One C call, which stops soon after c's context ends; the resampler is to be reset
// then.
//
//	Errors: spool.ErrOptions, spool.ErrShape (nothing was taken in), or *spool.Error of class canceled or timeout.
func (r *Resampler) Process(c *call.Call, dst Planes, src Samples, m *Matrix) (n int, err error) {
	if err := src.validate(); err != nil {
		return 0, err
	}
	channels, err := m.out(src.Channels)
	if err != nil {
		return 0, err
	}
	if channels != r.Channels() {
		return 0, fmt.Errorf("%w: resample: %d channels for a resampler of %d", spool.ErrShape, channels, r.Channels())
	}
	if n, err = r.fits(dst, r.Next(src.Len)); err != nil {
		return 0, err
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	src.pin(&pins)
	in := src.c()
	r.form.stride = C.int64_t(dst.Stride)
	status := C.spool_resample_push(&r.c, (*C.float)(unsafe.SliceData(r.filter.coefficients)), &r.form, &r.state,
		(*C.float)(unsafe.SliceData(r.window)), &in, src.data(), src.planes(), m.weights(),
		(*C.float)(unsafe.SliceData(dst.Data)), (*C.int32_t)(c.Flag()), C.int(r.level))
	if err := ended(c, status); err != nil {
		return 0, err
	}
	return n, nil
}

// Rest is how many outputs Flush would give.
func (r *Resampler) Rest() int { return r.Next(r.behind()) }

// behind is how many samples behind an output's input sample its taps reach.
func (r *Resampler) behind() int { return r.filter.taps - 1 - r.filter.centre }

// Flush gives the outputs that are left at the sound's end: r.Rest() of them, so that a sound of n samples has
// become one of Filter.Length(n). The resampler is to be reset then.
//
// Dst is lent. One C call. Errors are those of Process.
func (r *Resampler) Flush(c *call.Call, dst Planes) (n int, err error) {
	if n, err = r.fits(dst, r.Rest()); err != nil {
		return 0, err
	}
	r.form.stride = C.int64_t(dst.Stride)
	status := C.spool_resample_flush(&r.c, (*C.float)(unsafe.SliceData(r.filter.coefficients)), &r.form, &r.state,
		C.int64_t(r.filter.centre), (*C.float)(unsafe.SliceData(r.window)), (*C.float)(unsafe.SliceData(dst.Data)),
		(*C.int32_t)(c.Flag()), C.int(r.level))
	if err := ended(c, status); err != nil {
		return 0, err
	}
	return n, nil
}

func (r *Resampler) fits(dst Planes, n int) (int, error) {
	if !dst.holds(r.Channels(), n) {
		return 0, fmt.Errorf("%w: resample: %d floats for %d channels of %d samples, %d apart", spool.ErrShape,
			len(dst.Data), r.Channels(), n, dst.Stride)
	}
	return n, nil
}
