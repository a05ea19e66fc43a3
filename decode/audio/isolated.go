package audio

import (
	"context"
	"encoding/json"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/flac"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/decode/internal/isolated"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/internal/helper"
)

// isolated reports whether audio is decoded in helpers. A stream is decoded here, since a helper that takes the place
// of another could not read it again.
func (d *Decoder) isolated(in *container.Input) bool {
	return d.helpers != nil && d.isolate >= decode.IsolateAuto && !in.IsStream()
}

// The operations of a helper.
const (
	opOpen  = "open"
	opRead  = "read"  // a window of any length
	opInto  = "into"  // Spec.Length samples
	opChunk = "chunk" // a part of a window
)

// task is what a helper does with audio.
type task struct {
	Op    string
	Spec  Spec
	Bytes int // of the result, for opInto
	Size  int // samples of a chunk
	First int // the chunk's number
}

// told is the reply to a task. The samples are in the memory of the output.
type told struct {
	Info   Info
	Trace  Trace
	Report Report
	Damage []isolated.Damage // of the report
	Bytes  int
}

// away is how a helper opens audio.
type away struct {
	Options    OpenOptions
	FFmpegOnly bool // for FLAC
}

// openAway makes a session, and has a helper open the audio.
func (a *Audio) openAway(ctx context.Context, o OpenOptions) error {
	a.away = isolated.NewSession(a.decoder.helpers, decode.Audio, a.in.Object, a.in.Info, a.in.State().Version,
		func() (any, []byte, error) { return away{o, a.decoder.flac.ffmpegOnly}, nil, nil })
	_, err := a.inHelper(ctx, task{Op: opOpen}, nil)
	return err
}

// inHelper has a helper do a task, and calls use with the samples.
func (a *Audio) inHelper(ctx context.Context, t task, use func(r *Report, samples []byte) error) (Report, error) {
	var r told
	err := a.away.Do(ctx, t, 0, func(text json.RawMessage, output []byte) error {
		if err := json.Unmarshal(text, &r); err != nil || r.Bytes < 0 || r.Bytes > len(output) ||
			r.Info.Rate <= 0 || r.Info.Channels <= 0 {
			return isolated.Untrue("%d bytes of audio, %v", r.Bytes, err)
		}
		a.decoder.flac.told(a.info, r.Info, a.told, r.Trace)
		a.info, a.told = r.Info, r.Trace
		r.Report.Damage = isolated.Damages(r.Damage)
		if use == nil {
			return nil
		}
		if n, ok := r.Report.Desc.Bytes(); r.Bytes > 0 && (!ok || n != r.Bytes) {
			return isolated.Untrue("%d bytes of %v", r.Bytes, r.Report.Desc)
		}
		return use(&r.Report, output[:r.Bytes])
	})
	return r.Report, err
}

// told counts a FLAC file by what a helper says of it, after what it said before.
func (e *flacEngine) told(before, now Info, was, is Trace) {
	owns := func(i Info, t Trace) bool { return i.Codec == "flac" && t.Engine == "own" }
	if owns(before, was) != owns(now, is) {
		if owns(now, is) {
			e.own.Add(1)
		} else {
			e.own.Add(-1)
		}
	}
	if is.Reason == was.Reason {
		return
	}
	for reason := range flac.Reasons {
		if flac.Reason(reason).String() == is.Reason {
			e.countFallback(flac.Reason(reason))
		}
	}
}

// samplesAway has a helper do a task whose result is samples. They are nil for the end of the chunks.
func (a *Audio) samplesAway(ctx context.Context, t task) (samples *Samples, err error) {
	if err := a.check(t.Spec); err != nil {
		return nil, err
	}
	_, err = a.inHelper(ctx, t, func(r *Report, from []byte) error {
		if t.Op == opChunk && len(from) == 0 {
			return nil
		}
		buffer, err := a.decoder.results.GetFor(ctx, len(from), spool.AudioSamples)
		if err != nil {
			return err
		}
		copy(buffer.Bytes(), from)
		buffer.SetDesc(r.Desc)
		samples = &Samples{Buffer: buffer, Report: *r}
		return nil
	})
	return samples, err
}

// intoAway has a helper fill dst.
func (a *Audio) intoAway(ctx context.Context, dst []byte, spec Spec) (Report, error) {
	t := task{Op: opInto, Spec: spec, Bytes: len(dst)}
	return a.inHelper(ctx, t, func(_ *Report, samples []byte) error {
		if copy(dst, samples) != len(dst) {
			return isolated.Untrue("%d bytes for %d", len(samples), len(dst))
		}
		return nil
	})
}

// HelperTasks is what a helper process does for audio: see package decode/isolate.
func HelperTasks() decode.HelperTasks {
	return isolated.HelperTasks(decode.Audio, func(shared *decode.Decoder) (helper.Handler, error) {
		d, err := New(shared, Options{})
		if err != nil {
			return nil, err
		}
		onlyFFmpeg, err := New(shared, Options{FLAC: FLACFFmpeg})
		if err != nil {
			return nil, err
		}
		open := func(object spool.Object, far bool, options json.RawMessage, _ []byte) (*lent, error) {
			var o away
			if err := json.Unmarshal(options, &o); err != nil {
				return nil, err
			}
			a := &Audio{decoder: d, in: &container.Input{Object: object, Info: object.Info(), Far: far}}
			if o.FFmpegOnly {
				a.decoder = onlyFFmpeg
			}
			if err := a.open(context.Background(), o.Options); err != nil {
				return nil, a.failed(context.Background(), err)
			}
			return &lent{Audio: a}, nil
		}
		audios := isolated.Kept[*lent]{Open: open}
		return func(c *helper.Call) (any, error) {
			a, err := audios.Of(c)
			if err != nil {
				return nil, err
			}
			var t task
			if err := json.Unmarshal(c.Head, &t); err != nil {
				return nil, err
			}
			return a.serve(t, c.Output)
		}, nil
	})
}

// lent is audio in a helper.
type lent struct {
	*Audio
	chunks task  // of parts; First is the next one
	parts  *pass // nil if there is none
}

// serve does a task in a helper. It is canceled by the helper's end.
func (a *lent) serve(t task, output []byte) (r told, err error) {
	ctx := context.Background()
	switch t.Op {
	case opRead:
		r.Report, err = fromOneEngine(a.Audio, func() (Report, error) { return a.readOutput(ctx, t.Spec, output, &r.Bytes) })
	case opInto:
		if t.Bytes > len(output) {
			return r, limit.Exceeded("%d bytes of audio, the limit is %d", t.Bytes, len(output))
		}
		r.Bytes = t.Bytes
		r.Report, err = a.ReadInto(ctx, output[:t.Bytes:t.Bytes], t.Spec)
	case opChunk:
		r.Report, r.Bytes, err = a.chunkOutput(ctx, t, output)
	}
	if err != nil {
		return r, a.failed(ctx, err)
	}
	r.Info, r.Trace, r.Damage, r.Report.Damage = a.info, a.Trace(), isolated.WireDamage(r.Report.Damage), nil
	return r, nil
}

// readOutput reads a window into output, and sets n to its bytes.
func (a *Audio) readOutput(ctx context.Context, spec Spec, output []byte, n *int) (Report, error) {
	p, err := a.plan(spec)
	if err != nil {
		return Report{}, err
	}
	room := len(output)
	if spec.Length > 0 {
		want, ok := p.spec.desc(p.spec.Channels, spec.Length).Bytes()
		if !ok || want > room {
			return Report{}, limit.Exceeded("%d samples of audio, the limit is %d bytes", spec.Length, room)
		}
		room = want
	}
	s := newSheet(output[:room], p.spec)
	report, moved, err := a.read(ctx, p, &s)
	if err == nil && moved {
		err = limit.Exceeded("more than %d bytes of audio", room)
	}
	if err != nil {
		return Report{}, err
	}
	*n = s.closeUp()
	return report, nil
}

// chunkOutput writes a chunk to output. It starts with the first one again if the helper has not made the one before.
func (a *lent) chunkOutput(ctx context.Context, t task, output []byte) (Report, int, error) {
	if a.parts == nil || a.chunks != t {
		p, err := a.plan(t.Spec)
		if err != nil {
			return Report{}, 0, err
		}
		p.spec.Length, p.parts = t.Size, true
		a.parts, a.chunks = p, task{Op: opChunk, Spec: t.Spec, Size: t.Size}
	}
	for {
		report, n, err := a.nextChunk(ctx, output)
		last := a.chunks.First == t.First
		a.chunks.First++
		if err != nil || n == 0 {
			a.parts = nil
		}
		if err != nil || n == 0 || last {
			return report, n, err
		}
	}
}

// nextChunk writes the next chunk to output.
func (a *lent) nextChunk(ctx context.Context, output []byte) (Report, int, error) {
	size, ok := a.parts.spec.desc(a.parts.spec.Channels, a.parts.spec.Length).Bytes()
	if !ok || size > len(output) {
		return Report{}, 0, limit.Exceeded("chunks of %d samples", a.parts.spec.Length)
	}
	return a.chunkInto(ctx, a.parts, output[:size:size])
}
