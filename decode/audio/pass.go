package audio

import (
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/decode"
)

// pass converts a stream's samples to results: it mixes channels, resamples, and converts the type. It belongs to
// one call of Read or Chunks.
type pass struct {
	track     track
	spec      Spec   // with Rate and Channels filled in
	layout    string // channel layout of the stream
	matrix    *resample.Matrix
	inputs    int                 // input channels of matrix
	resampler *resample.Resampler // nil: the rate stays

	lead        int64 // samples of silence to write before the audio
	before      int64 // samples from the end of a window to the start of the audio, if the window ends earlier
	first, last int64 // the window, in samples at the result's rate
	done        int64 // samples of the window that are delivered
	skip        int64 // samples of the stream to drop before the first that the window needs
	to          int64 // the window needs no sample of the stream from this index on
	src         resample.Samples
	fed         int64 // index of the first sample of src, or of the next sample
	parts       bool  // the caller may have a part of the window already
	begun       bool
	ended       bool // the stream and the resampler have no more samples

	spare  []float32       // results that did not fit, or are not converted yet
	extra  resample.Planes // the rest of spare
	extras int             // samples in extra

	damage []decode.DamagedPacket
}

var errWindow = fmt.Errorf("%w: a window of audio needs more samples than planned", spool.ErrInternal)

// spareSamples is how many samples, of all channels, are computed at a time where they cannot be computed in place.
const spareSamples = 4096

// planPass plans the conversion of a stream to the result that spec describes. It reads nothing.
func planPass(t track, info Info, spec Spec, filters *resample.Filters) (*pass, error) {
	if spec.Rate == 0 {
		spec.Rate = info.Rate
	}
	if spec.Channels == 0 {
		spec.Channels = info.Channels
	}
	p := &pass{track: t, spec: spec, layout: info.Speakers}
	p.first, p.last = spec.window(spec.Rate, info.Start)
	if p.first < 0 {
		p.lead = -p.first
		if p.last < 0 {
			p.lead = max(p.last-p.first, 0)
		}
		p.before = -p.first - p.lead
		p.first, p.last = 0, max(p.last, 0)
	}
	if spec.Rate != info.Rate {
		filter, err := filters.Get(info.Rate, spec.Rate, spec.Quality.filter())
		if err != nil {
			return nil, err
		}
		if p.resampler, err = resample.New(filter, spec.Channels); err != nil {
			return nil, err
		}
	}
	return p, p.mix(info.Channels)
}

// expected is the number of samples of the result for a stream of n samples, which may be an estimate. It is -1 where
// unknown.
func (p *pass) expected(n int64) int64 {
	if p.spec.Length > 0 {
		return int64(p.spec.Length)
	}
	last := p.last
	switch {
	case n < 0 && last == unbounded:
		return -1
	case n >= 0 && p.resampler != nil:
		last = min(last, p.resampler.Filter().Length(n))
	case n >= 0:
		last = min(last, n)
	}
	return max(last-p.first, 0) + p.lead
}

// begin seeks to the start of the window, at the first call. old is the previous pass on the same stream, which may
// hold samples that it did not need, or nil.
func (p *pass) begin(c *call.Call, old *pass) error {
	if p.begun || p.first >= p.last {
		return nil
	}
	p.begun = true
	var from int64
	from, p.to = p.span()
	if old != nil && p.follows(old) {
		p.resampler, p.spare, p.extra, p.extras = old.resampler, old.spare, old.extra, old.extras
		p.src, p.fed, p.skip, p.ended = old.src, old.fed, old.skip, old.ended
		return nil
	}
	if p.resampler != nil {
		p.resampler.Reset(p.first)
	}
	if old != nil && old.fed <= from && from < old.fed+int64(old.src.Len) {
		p.src, p.fed = after(old.src, int(from-old.fed)), from
		return nil
	}
	at, err := p.track.seek(c, from)
	p.fed, p.skip = from, from-at
	return err
}

// span is the range of the stream's samples that the window needs.
func (p *pass) span() (from, to int64) {
	from, to = p.first, p.last
	if p.resampler != nil {
		filter := p.resampler.Filter()
		from, _ = filter.Span(p.first, p.first+1)
		if p.last != unbounded {
			_, to = filter.Span(p.first, p.last)
		}
	}
	return from, to
}

// follows reports whether the window begins where the window of a previous pass with the same settings ended.
func (p *pass) follows(old *pass) bool {
	x, y := &old.spec, &p.spec
	return old.begun && old.first+old.done == p.first && x.Rate == y.Rate && x.Channels == y.Channels &&
		x.Quality == y.Quality &&
		(x.dtype() == spool.Float32) == (y.dtype() == spool.Float32) // the weights for integer results differ
}

// mix makes the matrix for a number of input channels.
func (p *pass) mix(channels int) error {
	p.matrix, p.inputs = nil, channels
	if channels == p.spec.Channels {
		return nil
	}
	weights, err := av.Downmix(p.layout, channels, p.spec.Channels, p.spec.dtype() != spool.Float32)
	if err != nil {
		return err
	}
	p.matrix = &resample.Matrix{In: channels, Out: p.spec.Channels, Weights: make([]float32, len(weights))}
	for i, w := range weights {
		p.matrix.Weights[i] = float32(w)
	}
	return nil
}

// wanted is the number of samples left in the window, after the silence before it.
func (p *pass) wanted() int64 {
	if p.last == unbounded {
		return unbounded
	}
	return p.last - p.first - p.done
}

// fill writes samples to a sheet until the sheet is full or the window ends.
func (p *pass) fill(c *call.Call, s *output) error {
	if p.lead > 0 {
		n := int(min(p.lead, int64(s.left())))
		s.silence(n)
		s.n += n
		p.lead -= int64(n)
	}
	for s.left() > 0 && p.wanted() > 0 {
		if p.extras > 0 {
			n := int(min(int64(min(p.extras, s.left())), p.wanted()))
			if err := s.store(c, p.extra, n); err != nil {
				return err
			}
			p.pass(n)
			continue
		}
		more, err := p.take(c)
		if err != nil || !more {
			return err
		}
		if p.extras == 0 {
			if err := p.step(c, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// report describes the next result.
func (p *pass) report() Report {
	return Report{Rate: p.spec.Rate, First: p.first + p.done - p.lead - p.before}
}

// pass drops the first n samples of extra, which are delivered.
func (p *pass) pass(n int) {
	p.done += int64(n)
	p.extras -= n
	p.extra.Data = p.extra.Data[min(n, len(p.extra.Data)):]
}

// take gets samples into src or extra, unless they hold some. It reports false at the end.
func (p *pass) take(c *call.Call) (bool, error) {
	if p.src.Len > 0 && p.usable() == 0 {
		return false, errWindow
	}
	for p.src.Len == 0 && p.extras == 0 && !p.ended {
		src, err := p.track.next(c)
		found := p.track.damage()
		p.damage = append(p.damage, found...)
		switch {
		case errors.Is(err, io.EOF):
			return p.flush(c)
		case errors.Is(err, errOther) && p.parts:
			continue
		case err != nil:
			return false, err
		case len(found) > 0 && p.spec.OnDamage == decode.FailOnDamage: // samples came after the damage
			return false, &spool.Error{Op: "decode", Class: found[0].Class,
				Text: fmt.Sprintf("at %.3f s: %s", found[0].PTS, found[0].Text)}
		}
		if p.skip >= int64(src.Len) {
			p.skip -= int64(src.Len)
			continue
		}
		if src.Channels != p.inputs {
			p.layout = "" // the name belongs to the former number of channels
			if err := p.mix(src.Channels); err != nil {
				return false, err
			}
		}
		if p.skip > 0 {
			src = after(src, int(p.skip))
			p.skip = 0
		}
		p.src = src
	}
	return p.src.Len > 0 || p.extras > 0, nil
}

// usable is the number of samples in src that the window needs.
func (p *pass) usable() int { return int(min(int64(p.src.Len), max(p.to-p.fed, 0))) }

// used drops the first n samples of src.
func (p *pass) used(n int) {
	p.src = after(p.src, n)
	p.fed += int64(n)
}

// flush takes the rest from the resampler.
func (p *pass) flush(c *call.Call) (bool, error) {
	p.ended = true
	if p.resampler == nil {
		return false, nil
	}
	n := p.resampler.Rest()
	planes := p.scratch(n, n)
	if _, err := p.resampler.Flush(c, planes); err != nil {
		return false, err
	}
	p.extra, p.extras = planes, n
	return n > 0, nil
}

// step converts samples of src to the sheet, or to extra.
func (p *pass) step(c *call.Call, s *output) error {
	if p.resampler == nil {
		return p.copy(c, s)
	}
	fit := int(min(int64(s.left()), p.wanted()))
	p.resampler.Collect(false)
	p.resampler.Collect(p.resampler.Next(p.usable()) < fit) // results need no samples for the sake of speed alone
	planes, direct := s.planes()
	k := p.inputsFor(fit)
	if !direct || k == 0 {
		direct = false
		planes = p.scratch(p.resampler.Next(1), spareSamples/p.spec.Channels)
		k = p.inputsFor(planes.Stride)
	}
	n, err := p.resampler.Process(c, planes, first(p.src, k), p.matrix)
	if err != nil {
		return err
	}
	p.used(k)
	p.store(s, planes, n, direct)
	return nil
}

// copy is step without resampling.
func (p *pass) copy(c *call.Call, s *output) error {
	n := int(min(int64(min(p.usable(), s.left())), p.wanted()))
	if p.matrix == nil && s.exact(first(p.src, n)) {
		p.used(n)
		p.done += int64(n)
		return nil
	}
	planes, direct := s.planes()
	if !direct {
		planes = p.scratch(1, spareSamples/p.spec.Channels)
		n = min(n, planes.Stride)
	}
	if err := resample.Mix(c, planes, first(p.src, n), p.matrix); err != nil {
		return err
	}
	p.used(n)
	p.store(s, planes, n, direct)
	return nil
}

// inputsFor is the number of samples of src that give at most n results.
func (p *pass) inputsFor(n int) int {
	most := p.usable()
	if p.resampler.Next(most) <= n {
		return most
	}
	return sort.Search(most, func(k int) bool { return p.resampler.Next(k+1) > n })
}

// scratch has room for at least n samples, and for usual samples when it allocates.
func (p *pass) scratch(n, usual int) resample.Planes {
	if len(p.spare) < n*p.spec.Channels {
		p.spare = make([]float32, max(n, usual)*p.spec.Channels)
	}
	n = len(p.spare) / p.spec.Channels
	return resample.Planes{Data: p.spare, Stride: n}
}

// first is the first n samples of s.
func first(s resample.Samples, n int) resample.Samples {
	s.Len = n
	return s
}

// store counts n samples in planes: those of s, or extra ones, which are copied later.
func (p *pass) store(s *output, planes resample.Planes, n int, direct bool) {
	if direct {
		s.n += n
		p.done += int64(n)
		return
	}
	p.extra, p.extras = planes, n
}
