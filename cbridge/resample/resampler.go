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

// Resampler converts an audio stream to another rate, a chunk at a time. Chunk sizes do not change any sample. All its
// memory is Go memory; Release recycles it. A Resampler belongs to one goroutine at a time.
type Resampler struct {
	filter *Filter
	c      C.spool_resample_filter
	form   C.spool_resample_form
	state  C.spool_resample_state
	window []float32
	level  int
	group  int // outputs that Collect waits for
}

// strip is the number of samples of each channel that C processes at a time, STRIP of resample.c.
const strip = 4096

// New makes a resampler for a number of output channels, at the beginning of an audio stream. It takes 8 bytes for each
// tap and channel, and 32 KiB for each channel. f is borrowed for as long as the resampler is used.
//
//	Errors: spool.ErrOptions.
func New(f *Filter, channels int) (*Resampler, error) {
	if channels < 1 || channels > MaxChannels {
		return nil, fmt.Errorf("%w: resample: %d channels", spool.ErrOptions, channels)
	}
	capacity := 2*f.taps + 2*strip
	r := &Resampler{filter: f, level: best, window: f.idle.get(capacity * channels),
		c: C.spool_resample_filter{taps: C.int32_t(f.taps), rows: C.int32_t(f.rows), denominator: C.int64_t(f.denominator),
			whole: C.int64_t(f.whole), row: C.int64_t(f.part * f.rows / f.denominator),
			rest: C.int64_t(f.part * f.rows % f.denominator)},
		form:  C.spool_resample_form{channels: C.int32_t(channels), capacity: C.int64_t(capacity), group: 1},
		group: f.group(channels),
	}
	r.Reset(0)
	return r, nil
}

// Release passes the resampler's memory to the filter's next resampler. The resampler MUST NOT be used afterwards.
// Without Release, its memory is garbage collected.
func (r *Resampler) Release() {
	r.filter.idle.put(r.window)
	*r = Resampler{}
}

// Filter returns the filter that was passed to New.
func (r *Resampler) Filter() *Filter { return r.filter }

// Channels returns the number of output channels.
func (r *Resampler) Channels() int { return int(r.form.channels) }

// Reset drops all samples and makes output number `first` the next one. The samples for Process MUST then begin with
// the first input sample of Filter.Span(first, first+1). The outputs equal those of the whole audio.
func (r *Resampler) Reset(first int64) {
	at, phase := r.filter.position(max(first, 0))
	lead := max(-at, 0)
	r.state = C.spool_resample_state{filled: C.int64_t(lead), lead: C.int64_t(lead)}
	r.state.position.row = C.int64_t(phase * r.filter.rows / r.filter.denominator)
	r.state.position.rest = C.int64_t(phase * r.filter.rows % r.filter.denominator)
}

// Collect makes Process wait until it can compute many outputs at once: those of at most 4096 samples. No output
// changes. From 44.1 to 16 kHz, in chunks of 1024 samples, the filter then takes 0.7 of the time. Without it, or after
// Collect(false), Process computes all outputs that are complete.
func (r *Resampler) Collect(on bool) {
	r.form.group = 1
	if on {
		r.form.group = C.int64_t(r.group)
	}
}

// Next returns the number of outputs of Process for n more samples.
func (r *Resampler) Next(n int) int {
	group := int(r.form.group)
	return r.complete(n) / group * group
}

// complete returns the number of outputs that n more samples complete.
func (r *Resampler) complete(n int) int {
	room := int(r.state.filled) + n - r.filter.taps - int(r.state.position.at)
	if room < 0 {
		return 0
	}
	f, p := r.filter, r.state.position
	step := f.whole*f.denominator + f.part
	phase := (int(p.row)*f.denominator + int(p.rest)) / f.rows
	return ((room+1)*f.denominator - phase + step - 1) / step
}

// Process takes the next samples of the audio, mixes them by m (nil: unchanged), and writes r.Next(src.Len) outputs to
// dst: those that are then complete, unless Collect makes them wait. Outputs lag behind by half of the filter's taps,
// but without delay in time: output i is at i/out seconds. Before its beginning and after its end the audio is extended
// by its mirror image, as in swresample.
//
// Process borrows dst, src and m for the call. It makes one C call, which stops soon after c's context ends; the
// resampler must then be Reset.
//
//	Errors: spool.ErrOptions, spool.ErrShape (no sample was taken), or *spool.Error of class canceled or timeout.
func (r *Resampler) Process(c *call.Call, dst Planes, src Samples, m *Matrix) (n int, err error) {
	defer c.Part("spool audio: resample", c.Begin())
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

// Rest returns the number of outputs of Flush.
func (r *Resampler) Rest() int { return r.complete(r.behind()) }

// behind returns the number of samples that an output's taps reach beyond its input sample.
func (r *Resampler) behind() int { return r.filter.taps - 1 - r.filter.centre }

// Flush writes the outputs that are left at the end of the audio, r.Rest() of them. n samples have then become
// Filter.Length(n). The resampler must then be Reset.
//
// Flush borrows dst and makes one C call. Errors are those of Process.
func (r *Resampler) Flush(c *call.Call, dst Planes) (n int, err error) {
	defer c.Part("spool audio: resample", c.Begin())
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
