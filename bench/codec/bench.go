package codec

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/spoolmedia/spool/internal/decoders"
)

// Bench measures one codec. It must not be used concurrently.
type Bench struct {
	codec   Codec
	size    int
	decoder *decoders.Set
	steps   []step            // those of bare libraries first
	closed  func() error      // releases what some steps need; nil if there is nothing
	kinds   map[string]*tally // by kind of files, which are measured separately
}

// tally sums up the images of one kind.
type tally struct {
	steps []stepTally
	lane  string // the lane that decoded them
}

// stepTally sums up a step over the images that have it: its fastest time for each image, and the floor's.
type stepTally struct {
	took, floor   time.Duration
	pixels, items int
}

// New makes a bench for a codec. Resized images are size x size pixels. Close releases the bench.
func New(c Codec, size int) (_ *Bench, err error) {
	b := &Bench{codec: c, size: size, kinds: map[string]*tally{}}
	if b.decoder, err = decoders.New(decoders.Options{}); err != nil {
		return nil, err
	}
	var own []step
	if c.more != nil {
		if own, b.closed, err = c.more(size); err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	b.steps = stepsOf(c, b.decoder, size, own)
	return b, nil
}

// Close releases what the bench holds.
func (b *Bench) Close() error {
	err := b.decoder.Close()
	if b.closed != nil {
		err = errors.Join(err, b.closed())
	}
	return err
}

// Add measures a file. In each round, every step runs once. An error is about this file only: the file does not count,
// and others may be added.
func (b *Bench) Add(ctx context.Context, data []byte, rounds int) error {
	p, err := b.open(ctx, data)
	if err != nil {
		return err
	}
	memory := p.memory(b.size)
	fastest, err := turns(rounds, len(b.steps), func(i int) error {
		if p.without[i] {
			return nil
		}
		return b.steps[i].run(ctx, p, memory)
	})
	if err == nil {
		b.count(p, fastest)
	}
	return err
}

// turns runs n steps, each once a round, and returns the fastest time of each.
func turns(rounds, n int, step func(i int) error) ([]time.Duration, error) {
	fastest := make([]time.Duration, n)
	for round := range rounds {
		for _, i := range rand.Perm(n) {
			begin := time.Now()
			err := step(i)
			took := time.Since(begin)
			if err != nil {
				return nil, err
			}
			if round == 0 || took < fastest[i] {
				fastest[i] = took
			}
		}
	}
	return fastest, nil
}

// count adds an image to the tally of its kind.
func (b *Bench) count(p *photo, fastest []time.Duration) {
	kind := ""
	if b.codec.kind != nil {
		kind = b.codec.kind(p.data, p.width*p.height)
	}
	t := b.kinds[kind]
	if t == nil {
		t = &tally{steps: make([]stepTally, len(b.steps))}
		b.kinds[kind] = t
	}
	t.lane = p.lane
	for i, took := range fastest {
		if s := &t.steps[i]; !p.without[i] {
			s.took += took
			s.floor += fastest[0]
			s.pixels += p.width * p.height
			s.items++
		}
	}
}

// Result is the cost of a step. Either NsPerPixel or UsPerItem is 0.
type Result struct {
	Codec      string  `json:"codec"`
	Step       string  `json:"step"`
	Files      string  `json:"files,omitempty"`        // the kind of files, if the codec has kinds with different costs
	Items      int     `json:"items"`                  // files that have this step
	NsPerPixel float64 `json:"ns_per_pixel,omitempty"` // of the image as stored
	UsPerItem  float64 `json:"us_per_item,omitempty"`  // for steps whose cost does not depend on pixels
	// its time as a multiple of the floor's on the same files; 0 without a floor
	FloorRatio float64 `json:"floor_ratio,omitempty"`
	Engine     string  `json:"engine"`
}

// Results returns all steps over the added files, kind by kind, with the floor first. Steps that no file has are left
// out.
func (b *Bench) Results() (all []Result) {
	for _, kind := range slices.Sorted(maps.Keys(b.kinds)) {
		t := b.kinds[kind]
		for i, s := range t.steps {
			if s.items == 0 {
				continue
			}
			r := Result{Codec: b.codec.Name, Step: b.steps[i].name, Files: kind, Items: s.items, Engine: b.steps[i].engine}
			if r.Engine == "" {
				r.Engine = t.lane
			}
			if b.steps[i].perItem {
				r.UsPerItem = s.took.Seconds() * 1e6 / float64(s.items)
			} else {
				r.NsPerPixel = s.took.Seconds() * 1e9 / float64(s.pixels)
			}
			if len(b.codec.bare) > 0 {
				r.FloorRatio = s.took.Seconds() / s.floor.Seconds()
			}
			all = append(all, r)
		}
	}
	return all
}
