package audio

import (
	"context"
	"fmt"
	"iter"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/internal/limit"
)

// Chunks gives the window that spec requests in chunks of n samples; the last one may be shorter. The loop's body owns
// each chunk. The chunks concatenated equal the result of Read. Memory use does not grow with the length of the audio.
// An error ends the loop, and the caller may leave it at any time. The handle must not be used for anything else during
// the loop. spec.Length must be 0.
func (a *Audio) Chunks(ctx context.Context, n int, spec Spec) iter.Seq2[*Samples, error] {
	return func(yield func(*Samples, error) bool) {
		p, err := a.plan(spec)
		switch {
		case err != nil:
		case n < 1:
			err = fmt.Errorf("%w: chunks of %d samples", spool.ErrOptions, n)
		case spec.Length != 0:
			err = fmt.Errorf("%w: a length does not apply to chunks", spool.ErrOptions)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		p.spec.Length, p.parts = n, true
		for i := 0; ; i++ {
			part, err := a.chunk(ctx, p, task{Op: opChunk, Spec: spec, Size: n, First: i})
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

// chunk is the next spec.Length samples of the pass, or the rest; nil at the end. A helper gets t.
func (a *Audio) chunk(ctx context.Context, p *pass, t task) (*Samples, error) {
	if a.isClosed() { // since the pass began
		return nil, fmt.Errorf("decode: audio: %w", spool.ErrClosed)
	}
	if a.away != nil {
		return a.samplesAway(ctx, t)
	}
	size, ok := p.spec.desc(p.spec.Channels, p.spec.Length).Bytes()
	if !ok {
		return nil, limit.Exceeded("chunks of %d samples", p.spec.Length)
	}
	buffer, err := a.decoder.results.GetFor(ctx, size, spool.AudioSamples)
	if err != nil {
		return nil, err
	}
	report, size, err := a.chunkInto(ctx, p, buffer.Bytes())
	if err != nil || size == 0 {
		buffer.Release()
		return nil, err
	}
	buffer.Shrink(size)
	buffer.SetDesc(report.Desc)
	return &Samples{Buffer: buffer, Report: report}, nil
}

// chunkInto writes the next chunk to memory, and returns its length in bytes; 0 at the end.
func (a *Audio) chunkInto(ctx context.Context, p *pass, memory []byte) (Report, int, error) {
	s := newSheet(memory, p.spec)
	report := p.report()
	err := a.enter(ctx, p, func(c *call.Call) error {
		if err := p.begin(c, a.last); err != nil {
			return err
		}
		return p.fill(c, &s)
	})
	if err != nil || s.n == 0 {
		return Report{}, 0, err
	}
	report.Samples, report.Damage, p.damage = s.n, p.damage, nil
	report.Desc = p.spec.desc(p.spec.Channels, s.n)
	return report, s.closeUp(), nil
}
