package decode

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// AudioOptions say how a sound is opened.
type AudioOptions struct {
	// Stream is the number of the stream in the file; nil is the best one, of Language if that is given ("eng", as
	// the container has it).
	Stream   *int
	Language string

	// Near lets a window that is far from the front be decoded from shortly before it in every codec and container. It may differ from
	// that part of the whole then, in noise that a codec makes up (AAC), in what its filters remember (Opus), and
	// in Matroska by a millisecond of time. Without it, codecs other than PCM, FLAC, ALAC and MP3 are decoded from
	// the front, for the same samples.
	Near bool

	Codec        string            // FFmpeg's name of the decoder; empty: its first choice
	CodecOptions map[string]string // the decoder's own
}

// Validate reports all that is wrong with the options, as ErrOptions.
func (o AudioOptions) Validate() error {
	var problems []error
	if o.Stream != nil && *o.Stream < 0 {
		problems = append(problems, fmt.Errorf("%w: stream %d", spool.ErrOptions, *o.Stream))
	}
	if o.Stream != nil && o.Language != "" {
		problems = append(problems, fmt.Errorf("%w: a stream is chosen by number or by language", spool.ErrOptions))
	}
	return errors.Join(problems...)
}

// Audio is an open sound. It belongs to one goroutine at a time; many may be open side by side.
type Audio struct {
	decoder *Decoder
	name    string
	info    AudioInfo
	track   track // nil once closed
	last    *soundPass
	in      *input
}

// OpenAudio opens the sound of a file, which may have pictures as well. WAV files whose samples are not compressed are read by this
// module, all others by FFmpeg. The object is lent until Close, which the caller MUST call.
//
//	Errors: *spool.Error with ErrNotFound, ErrNotAFile, ErrPermission, ErrEmpty, ErrNotMedia (also: there is no
//	        sound), ErrUnsupported, ErrTruncated, ErrCorrupt, ErrTooLarge, ErrNoSuchFrame (no such stream), ErrIO,
//	        ErrCanceled, ErrTimeout; they name the file. ErrOptions for options that make no sense.
//	Cost:   some 20 us for WAV; 0.2 to 5 ms for the rest, by how much has to be read.
func (d *Decoder) OpenAudio(ctx context.Context, object spool.Object, o AudioOptions) (*Audio, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	a := &Audio{decoder: d, name: nameOf(object)}
	var err error
	if a.in, err = openInput(ctx, object, farSound, &d.ends); err == nil {
		err = a.open(ctx, o)
	}
	if err != nil {
		a.in.close()
		return nil, a.failed(ctx, err)
	}
	return a, nil
}

func (a *Audio) open(ctx context.Context, o AudioOptions) error {
	c, err := call.Enter(ctx, 1)
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

// Fetched is what was read of a remote input so far; all zero of others.
func (a *Audio) Fetched() Fetched { return a.in.fetched() }

// Info says what the container tells of the sound. Of a damaged FLAC file it may be another once damage has been met, see
// docs/audio.md.
func (a *Audio) Info() AudioInfo { return a.info }

// Road says what decodes the sound. It may be another when reading has met something odd. It must not be called after Close.
func (a *Audio) Road() AudioRoad { return a.track.road() }

// Read decodes what spec asks for into a buffer from the decoder's pool, owned by the caller.
//
//	Result:       spec's type, CT or TC as its Layout says, [c t] or [t c]; see AudioSpec.
//	Errors:       those of OpenAudio, ErrClosed, ErrOptions for a spec that is not valid.
//	Cancellation: within about a millisecond; a reader of the caller's that does not return is abandoned.
//	Cost:         that of decoding the window and what its codec needs before it; from the sound's beginning where a
//	              codec never forgets what came before, see docs/audio.md.
func (a *Audio) Read(ctx context.Context, spec AudioSpec) (*Sound, error) {
	sound, err := oneWay(a, func() (*Sound, error) { return a.readSound(ctx, spec) })
	if err != nil {
		return nil, a.failed(ctx, err)
	}
	return sound, nil
}

// oneWay reads all over again where what was read comes another way in the end.
func oneWay[T any](a *Audio, read func() (T, error)) (T, error) {
	result, err := read()
	if errors.Is(err, errOther) {
		a.info = a.track.info()
		return read()
	}
	return result, err
}

func (a *Audio) readSound(ctx context.Context, spec AudioSpec) (*Sound, error) {
	p, err := a.plan(spec)
	if err != nil {
		return nil, err
	}
	buffer, err := a.decoder.pixels.GetFor(ctx, a.guess(p), spool.Sound)
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
		if buffer, err = a.decoder.pixels.GetFor(ctx, n, spool.Sound); err != nil {
			return nil, err
		}
		copy(buffer.Bytes(), s.bytes)
	}
	buffer.SetDesc(report.Desc)
	return &Sound{Buffer: buffer, SoundReport: report}, nil
}

// Into decodes what spec asks for into dst, which has exactly the size of the result: spec.Length samples of
// spec.Channels, or of the sound's own. It may begin at any address. Errors are those of Read, and ErrShape for a dst of
// another size. On error the contents of dst are unspecified.
func (a *Audio) Into(ctx context.Context, dst []byte, spec AudioSpec) (SoundReport, error) {
	report, err := oneWay(a, func() (SoundReport, error) { return a.readInto(ctx, dst, spec) })
	if err != nil {
		return SoundReport{}, a.failed(ctx, err)
	}
	return report, nil
}

func (a *Audio) readInto(ctx context.Context, dst []byte, spec AudioSpec) (SoundReport, error) {
	p, err := a.plan(spec)
	if err != nil {
		return SoundReport{}, err
	}
	if spec.Length == 0 {
		return SoundReport{}, fmt.Errorf("%w: a destination needs a length", spool.ErrOptions)
	}
	desc := p.spec.desc(p.spec.Channels, spec.Length)
	if n, ok := desc.Bytes(); !ok || n != len(dst) {
		return SoundReport{}, fmt.Errorf("%w: %v takes %d bytes, the destination has %d", spool.ErrShape, desc, n, len(dst))
	}
	s := newSheet(dst, p.spec)
	report, _, err := a.read(ctx, p, &s)
	return report, err
}

// Chunks gives the window that spec asks for in parts of n samples, the last one shorter, each owned by the loop's body. All parts
// together are what Read gives. Memory does not grow with the sound. An error ends the loop, and leaving it is
// allowed at any time. The handle must not be used otherwise meanwhile; spec.Length does not go with it.
func (a *Audio) Chunks(ctx context.Context, n int, spec AudioSpec) iter.Seq2[*Sound, error] {
	return func(yield func(*Sound, error) bool) {
		p, err := a.plan(spec)
		switch {
		case err != nil:
		case n < 1:
			err = fmt.Errorf("%w: chunks of %d samples", spool.ErrOptions, n)
		case spec.Length != 0:
			err = fmt.Errorf("%w: chunks have no length in common", spool.ErrOptions)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		p.spec.Length, p.parts = n, true
		for {
			part, err := a.chunk(ctx, p)
			if err != nil {
				yield(nil, a.failed(ctx, err))
				return
			}
			if part == nil || !yield(part, nil) {
				return
			}
		}
	}
}

// chunk is the next spec.Length samples of the pass, or what is left; nil when nothing is.
func (a *Audio) chunk(ctx context.Context, p *soundPass) (*Sound, error) {
	size, ok := p.spec.desc(p.spec.Channels, p.spec.Length).Bytes()
	if !ok {
		return nil, tooLarge("chunks of %d samples", p.spec.Length)
	}
	buffer, err := a.decoder.pixels.GetFor(ctx, size, spool.Sound)
	if err != nil {
		return nil, err
	}
	s := newSheet(buffer.Bytes(), p.spec)
	report := p.report()
	err = a.enter(ctx, p, func(c *call.Call) error {
		if err := p.begin(c, a.last); err != nil {
			return err
		}
		return p.fill(c, &s)
	})
	if err != nil || s.n == 0 {
		buffer.Release()
		return nil, err
	}
	report.Samples, report.Damage, p.damage = s.n, p.damage, nil
	report.Desc = p.spec.desc(p.spec.Channels, s.n)
	buffer.Shrink(s.closeUp())
	buffer.SetDesc(report.Desc)
	return &Sound{Buffer: buffer, SoundReport: report}, nil
}

// Close ends the loan of the input. It is idempotent.
func (a *Audio) Close() error {
	if a.track == nil {
		return nil
	}
	err := a.track.close()
	if a.last != nil && a.last.resampler != nil {
		a.last.resampler.Release()
	}
	a.track, a.last = nil, nil
	a.in.close()
	return err
}

func (a *Audio) plan(spec AudioSpec) (*soundPass, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	if a.track == nil {
		return nil, fmt.Errorf("decode: sound: %w", spool.ErrClosed)
	}
	return planSound(a.track, a.info, spec, &a.decoder.filters)
}

// guessLimit bounds what is taken on the word of a header.
const guessLimit = 64 << 20

// guess is how many bytes a result may take. Too many cost nothing, too few a copy.
func (a *Audio) guess(p *soundPass) int {
	n := p.expected(a.info.Samples)
	if p.spec.Length == 0 && (n < 0 || !a.info.Exact) {
		n = max(n, 0) + spareSamples
	}
	step := int64(p.spec.Channels * p.spec.dtype().Size())
	if p.spec.Length == 0 {
		n = min(n, guessLimit/step)
	}
	return int(n * step)
}

// read fills a sheet, which grows on the heap where the window is longer; moved says so. A length that spec asks for is kept.
func (a *Audio) read(ctx context.Context, p *soundPass, s *sheet) (report SoundReport, moved bool, err error) {
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
			room := max(2*len(s.bytes), spareSamples*s.step())
			if int64(room) > a.decoder.limits.MaxMemory {
				return tooLarge("more than %d bytes of sound, the limit is %d", len(s.bytes), a.decoder.limits.MaxMemory)
			}
			s.move(make([]byte, room))
			moved = true
		}
	})
	if err != nil {
		return SoundReport{}, false, err
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

// enter runs a part of a pass, which is the last one then: what comes next may go on where it has ended.
func (a *Audio) enter(ctx context.Context, p *soundPass, work func(*call.Call) error) error {
	if a.track == nil { // since the pass began
		return fmt.Errorf("decode: sound: %w", spool.ErrClosed)
	}
	if err := a.expect(ctx, p); err != nil {
		return err
	}
	c, err := call.Enter(ctx, 1)
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

// failed is err with the file named, and a class where a context has ended.
func (a *Audio) failed(ctx context.Context, err error) error {
	return spool.InFile(ended(ctx, err), a.name)
}
