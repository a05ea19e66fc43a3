package codec

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/spoolmedia/spool/decode"
)

// Bench measures one codec. It belongs to one goroutine at a time.
type Bench struct {
	codec   Codec
	size    int
	decoder *decode.Decoder
	steps   []step          // the codec's bare ones first
	took    []time.Duration // by step: of all pictures, the fastest turn on each
	pixels  int
	items   int
	lane    string // what decoded the pictures
}

// New makes a bench for a codec, whose resized pictures are size x size pixels. It is released by Close.
func New(c Codec, size int) (*Bench, error) {
	d, err := decode.New(decode.Options{})
	if err != nil {
		return nil, err
	}
	steps := stepsOf(c, d, size)
	return &Bench{codec: c, size: size, decoder: d, steps: steps, took: make([]time.Duration, len(steps))}, nil
}

// Close releases what the bench holds.
func (b *Bench) Close() error { return b.decoder.Close() }

// Add measures a file in rounds, in each of which every step has a turn. The error of a file that cannot be measured is
// about that file: it does not count, and others may be added.
func (b *Bench) Add(ctx context.Context, data []byte, rounds int) error {
	p, err := b.open(ctx, data)
	if err != nil {
		return err
	}
	memory := p.memory(b.size)
	fastest := make([]time.Duration, len(b.steps))
	for round := range rounds {
		for _, i := range rand.Perm(len(b.steps)) {
			begin := time.Now()
			err := b.steps[i].run(ctx, p, memory)
			took := time.Since(begin)
			if err != nil {
				return err
			}
			if round == 0 || took < fastest[i] {
				fastest[i] = took
			}
		}
	}
	for i, took := range fastest {
		b.took[i] += took
	}
	b.pixels += p.width * p.height
	b.items++
	b.lane = p.lane
	return nil
}

// Result is what a step costs. One of NsPerPixel and UsPerItem is 0.
type Result struct {
	Codec      string  `json:"codec"`
	Step       string  `json:"step"`
	NsPerPixel float64 `json:"ns_per_pixel,omitempty"` // of the picture as stored
	UsPerItem  float64 `json:"us_per_item,omitempty"`  // of a step whose cost does not depend on pixels
	FloorRatio float64 `json:"floor_ratio,omitempty"`  // its time as a multiple of the floor's; 0 where there is no floor
	Engine     string  `json:"engine"`
}

// Results are all steps, the floor first, over the files that were added; nothing when there was none.
func (b *Bench) Results() (all []Result) {
	if b.items == 0 {
		return nil
	}
	for i, s := range b.steps {
		r := Result{Codec: b.codec.Name, Step: s.name, Engine: s.engine}
		if r.Engine == "" {
			r.Engine = b.lane
		}
		if s.perItem {
			r.UsPerItem = b.took[i].Seconds() * 1e6 / float64(b.items)
		} else {
			r.NsPerPixel = b.took[i].Seconds() * 1e9 / float64(b.pixels)
		}
		if len(b.codec.bare) > 0 {
			r.FloorRatio = b.took[i].Seconds() / b.took[0].Seconds()
		}
		all = append(all, r)
	}
	return all
}
