package audio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/decode/internal/contents"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/internal/isolated"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/internal/invalid"
)

// OpenOptions are the options of [Decoder.Open]. The zero value means the best stream.
type OpenOptions struct {
	// Stream is the index of the stream in the file. nil selects the best stream; if Language is set, the best one of that
	// language, as the container names it ("eng").
	Stream   *int
	Language string

	// Near allows a seek to a distant window in every codec and container: decoding begins shortly before the window. The
	// result may then differ from the same window of a full decode: by noise that a codec generates (AAC), by the state of
	// its filters (Opus), and in Matroska by a millisecond. Without Near, codecs other than PCM, FLAC, ALAC and MP3 are
	// decoded from the beginning, which gives the samples of a full decode.
	Near bool

	Codec        string            // FFmpeg's name of the decoder; empty: FFmpeg's default
	CodecOptions map[string]string // of the decoder
}

// Validate reports every invalid option, each as a *spool.OptionError.
func (o OpenOptions) Validate() error {
	var bad invalid.Options
	if o.Stream != nil && *o.Stream < 0 {
		bad.Value("Stream", *o.Stream, "must not be negative")
	}
	if o.Stream != nil && o.Language != "" {
		bad.Excludes(invalid.Named("Stream"), invalid.Named("Language"), "each selects a stream")
	}
	return bad.Err()
}

// Audio is an open audio stream. It is for one goroutine at a time. Several may be open at once.
type Audio struct {
	decoder *Decoder
	name    string
	info    Info
	track   track             // nil after Close, and with away
	away    *isolated.Session // nil if this process decodes
	told    Trace             // by the helper, with away
	last    *pass
	in      *container.Input
}

// Open opens the audio of a file, which may hold video as well. This module reads WAV files of PCM or G.711
// samples, and FLAC files as far as its engine can; FFmpeg reads all others. The object is lent until Close, which the
// caller MUST call.
//
//	Errors: *spool.Error with ErrNotFound, ErrNotAFile, ErrPermission, ErrEmpty, ErrNotMedia (also if the file has no
//	        audio), ErrUnsupported, ErrTruncated, ErrCorrupt, ErrTooLarge, ErrNoSuchFrame (no such stream), ErrIO,
//	        ErrCanceled, ErrTimeout; they name the file. ErrOptions for invalid options.
//	Cost:   some 20 us for WAV; 0.2 to 5 ms for other formats, depending on how much has to be read.
func (d *Decoder) Open(ctx context.Context, object spool.Object, o OpenOptions) (*Audio, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	a := &Audio{decoder: d, name: contents.NameOf(object)}
	var err error
	if a.in, err = container.Open(ctx, object, d.remoteRanges(), &d.ends); err == nil {
		err = a.openHereOrAway(ctx, o)
	}
	if err != nil {
		a.in.Close()
		return nil, a.failed(ctx, err)
	}
	return a, nil
}

// openHereOrAway opens the audio in this process or in a helper.
func (a *Audio) openHereOrAway(ctx context.Context, o OpenOptions) error {
	if !a.decoder.isolated(a.in) {
		return a.open(ctx, o)
	}
	if a.decoder.isolate == decode.IsolateAuto && o.Codec == "" && (o.Stream == nil || *o.Stream == 0) &&
		o.Language == "" {
		if err := a.openWAV(ctx); err != nil || a.track != nil {
			return err
		}
	}
	return a.openAway(ctx, o)
}

// openWAV opens a file that this module reads without a library. The track is nil for all others.
func (a *Audio) openWAV(ctx context.Context) error {
	c, err := call.EnterWithin(ctx, 1, limit.MediaCPU(a.decoder.limits, a.in.Info.Size, 0))
	if err != nil {
		return err
	}
	defer c.Leave()
	s, _, err := newSource(c, a.in)
	if err != nil {
		return err
	}
	if t := newWAV(s); t != nil {
		a.track, a.info = t, t.info()
	}
	return nil
}

func (a *Audio) open(ctx context.Context, o OpenOptions) error {
	c, err := call.EnterWithin(ctx, 1, limit.MediaCPU(a.decoder.limits, a.in.Info.Size, 0))
	if err != nil {
		return err
	}
	defer c.Leave()
	if a.track, err = a.decoder.openTrack(c, a.in, o); err != nil {
		return err
	}
	a.info = a.track.info()
	return nil
}

// Fetched reports what was read of a remote object so far. For other inputs it is zero.
func (a *Audio) Fetched() decode.Fetched { return a.in.Fetched() }

// Info reports what the container says about the audio. For a damaged FLAC file it may change when reading reaches the
// damage; see docs/audio.md.
func (a *Audio) Info() Info { return a.info }

// Trace reports which engine decodes the audio. It may change when reading reaches unusual data. It must not be called
// after Close.
func (a *Audio) Trace() Trace {
	if a.away != nil {
		return a.told
	}
	return a.track.trace()
}

// Read decodes what spec requests into a buffer from the decoder's pool, owned by the caller.
//
//	Result:       spec's type, CT or TC according to spec.Layout, [c t] or [t c]; see Spec.
//	Errors:       those of Open, ErrClosed, ErrOptions for a spec that is not valid.
//	Cancellation: within about a millisecond; a caller's reader that does not return is abandoned.
//	Cost:         that of decoding the window and what its codec needs before it. Codecs whose state depends on all
//	              earlier samples are decoded from the beginning; see docs/audio.md.
func (a *Audio) Read(ctx context.Context, spec Spec) (*Samples, error) {
	samples, err := fromOneEngine(a, func() (*Samples, error) { return a.readSamples(ctx, spec) })
	if err != nil {
		return nil, a.failed(ctx, err)
	}
	return samples, nil
}

// fromOneEngine repeats read from the beginning if the track changed its engine meanwhile, so that one engine makes the
// result.
func fromOneEngine[T any](a *Audio, read func() (T, error)) (T, error) {
	result, err := read()
	if errors.Is(err, errOther) {
		a.info = a.track.info()
		return read()
	}
	return result, err
}

func (a *Audio) readSamples(ctx context.Context, spec Spec) (*Samples, error) {
	if a.away != nil {
		return a.samplesAway(ctx, task{Op: opRead, Spec: spec})
	}
	p, err := a.plan(spec)
	if err != nil {
		return nil, err
	}
	buffer, err := a.decoder.results.GetFor(ctx, a.estimate(p), spool.AudioSamples)
	if err != nil {
		return nil, err
	}
	s := newSheet(buffer.Bytes(), p.spec)
	report, moved, err := a.read(ctx, p, &s)
	if err != nil {
		buffer.Release()
		return nil, err
	}
	n := s.closeUp()
	if !moved {
		buffer.Shrink(n)
	} else {
		buffer.Release()
		if buffer, err = a.decoder.results.GetFor(ctx, n, spool.AudioSamples); err != nil {
			return nil, err
		}
		copy(buffer.Bytes(), s.bytes)
	}
	buffer.SetDesc(report.Desc)
	return &Samples{Buffer: buffer, Report: report}, nil
}

// Expected returns how many samples of each channel Read will give for a spec, by what the file says of its length,
// which may be an estimate: see Info. It is -1 if the file does not say it. Errors are ErrOptions and ErrClosed.
func (a *Audio) Expected(spec Spec) (int, error) {
	p, err := a.plan(spec)
	if err != nil {
		return 0, err
	}
	return int(min(p.expected(a.info.Samples), math.MaxInt32)), nil
}

// ReadInto decodes what spec requests into dst. Dst has exactly the size of the result: spec.Length samples of
// spec.Channels channels, or of the channels of the file. It may begin at any memory address. Errors are those of Read,
// and ErrShape for a dst of another size. On error the contents of dst are unspecified.
func (a *Audio) ReadInto(ctx context.Context, dst []byte, spec Spec) (Report, error) {
	report, err := fromOneEngine(a, func() (Report, error) { return a.readInto(ctx, dst, spec) })
	if err != nil {
		return Report{}, a.failed(ctx, err)
	}
	return report, nil
}

func (a *Audio) readInto(ctx context.Context, dst []byte, spec Spec) (Report, error) {
	if err := a.check(spec); err != nil {
		return Report{}, err
	}
	if spec.Length == 0 {
		return Report{}, fmt.Errorf("%w: a destination needs a length", spool.ErrOptions)
	}
	desc := spec.desc(cmp.Or(spec.Channels, a.info.Channels), spec.Length)
	if n, ok := desc.Bytes(); !ok || n != len(dst) {
		return Report{}, fmt.Errorf("%w: %v takes %d bytes, the destination has %d", spool.ErrShape, desc, n, len(dst))
	}
	if a.away != nil {
		return a.intoAway(ctx, dst, spec)
	}
	p, err := a.plan(spec)
	if err != nil {
		return Report{}, err
	}
	s := newSheet(dst, p.spec)
	report, _, err := a.read(ctx, p, &s)
	return report, err
}

// Close ends the loan of the input. It is idempotent.
func (a *Audio) Close() error {
	if a.isClosed() {
		return nil
	}
	var err error
	if a.track != nil {
		err = a.track.close()
	}
	if a.last != nil && a.last.resampler != nil {
		a.last.resampler.Release()
	}
	a.track, a.away, a.last = nil, nil, nil
	a.in.Close()
	return err
}

// isClosed reports whether Close was called.
func (a *Audio) isClosed() bool { return a.track == nil && a.away == nil }

// check reports what keeps a spec from being read.
func (a *Audio) check(spec Spec) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	if a.isClosed() {
		return fmt.Errorf("decode: audio: %w", spool.ErrClosed)
	}
	return nil
}

func (a *Audio) plan(spec Spec) (*pass, error) {
	if err := a.check(spec); err != nil {
		return nil, err
	}
	return planPass(a.track, a.info, spec, &a.decoder.filters)
}

// estimateLimit bounds the memory that is allocated because of a header's sample count alone.
const estimateLimit = 64 << 20

// estimate estimates the bytes of a result. A high estimate costs nothing, a low one costs a copy.
func (a *Audio) estimate(p *pass) int {
	n := p.expected(a.info.Samples)
	step := int64(p.spec.Channels * p.spec.dtype().Size())
	if p.spec.Length > 0 {
		return int(n * step)
	}
	return int(min(a.claimed(p), estimateLimit/step*step))
}

// claimed is the bytes of a result without spec.Length, by the header's sample count.
func (a *Audio) claimed(p *pass) int64 {
	n := p.expected(a.info.Samples)
	if n < 0 || !a.info.Exact {
		n = max(n, 0) + spareSamples
	}
	step := int64(p.spec.Channels * p.spec.dtype().Size())
	return min(n, math.MaxInt64/step) * step
}

// grown is the size of the memory that replaces a full one: twice as much, or up to eight times as much where the
// header claims that. A wrong header cannot take much more than the samples that are there.
func (a *Audio) grown(p *pass, s *output) int64 {
	size := int64(len(s.bytes))
	claimed := min(a.claimed(p), 8*size, a.decoder.limits.MaxMemory)
	return max(2*size, claimed, int64(spareSamples*s.step()))
}

// read fills s. If the window is longer than s, s moves to a larger buffer on the heap and moved is true. With
// spec.Length the result has that length: it is cut or padded with silence.
func (a *Audio) read(ctx context.Context, p *pass, s *output) (report Report, moved bool, err error) {
	report = p.report()
	err = a.enter(ctx, p, func(c *call.Call) error {
		if err := p.begin(c, a.last); err != nil {
			return err
		}
		for {
			if err := p.fill(c, s); err != nil {
				return err
			}
			if s.left() > 0 || p.wanted() == 0 {
				return nil
			}
			more, err := p.take(c)
			if err != nil || !more {
				return err
			}
			if p.spec.Length > 0 {
				report.Cut = true
				return nil
			}
			room := a.grown(p, s)
			if room > a.decoder.limits.MaxMemory {
				return limit.Exceeded("more than %d bytes of audio, the limit is %d", len(s.bytes), a.decoder.limits.MaxMemory)
			}
			s.move(make([]byte, room))
			moved = true
		}
	})
	if err != nil {
		return Report{}, false, err
	}
	report.Samples, report.Damage = s.n, p.damage
	length := s.n
	if p.spec.Length > 0 {
		s.silence(s.left())
		length = p.spec.Length
		s.n = length
	}
	report.Desc = p.spec.desc(p.spec.Channels, length)
	return report, moved, nil
}

// enter runs work under admission. If it succeeds, p is the last pass, and the next one may continue where it ended.
func (a *Audio) enter(ctx context.Context, p *pass, work func(*call.Call) error) error {
	if a.track == nil { // closed since the pass began
		return fmt.Errorf("decode: audio: %w", spool.ErrClosed)
	}
	if err := a.expect(ctx, p); err != nil {
		return err
	}
	c, err := call.EnterWithin(ctx, 1, limit.MediaCPU(a.decoder.limits, a.in.Info.Size, 0))
	if err != nil {
		return err
	}
	defer c.Leave()
	if err = work(c); err == nil {
		a.last = p
	} else {
		a.last = nil
	}
	return err
}

// failed adds the file's name to err, and a class if its context ended.
func (a *Audio) failed(ctx context.Context, err error) error {
	return spool.InFile(failure.Ended(ctx, err), a.name)
}
