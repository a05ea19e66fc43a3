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

// maxHeld is the most memory of images that are measured in turn, in bytes of their pixels.
const maxHeld = 1 << 30

// Bench measures one codec. It must not be used concurrently.
type Bench struct {
	codec   Codec
	size    int
	rounds  int
	decoder *decoders.Set
	photos  []*photo          // added, and not yet measured
	held    int               // bytes of their pixels
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

// New makes a bench for a codec, which runs each step on each file once a round. Resized images are size x size pixels.
// Close releases the bench.
func New(c Codec, size, rounds int) (_ *Bench, err error) {
	b := &Bench{codec: c, size: size, rounds: rounds, kinds: map[string]*tally{}}
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

// Add verifies a file, to be measured. It measures the files so far if their pixels take more than 1 GiB. An error is
// about this file only, unless ctx has ended: the file does not count, and others may be added.
func (b *Bench) Add(ctx context.Context, data []byte) error {
	p, err := b.open(ctx, data)
	if err != nil {
		return err
	}
	b.photos = append(b.photos, p)
	b.held += len(p.ppm)
	if b.held > maxHeld {
		return b.Measure(ctx)
	}
	return nil
}

// Measure measures the added files.
func (b *Bench) Measure(ctx context.Context) error {
	var memory []byte
	for _, p := range b.photos {
		if n := p.memory(b.size); n > len(memory) {
			memory = make([]byte, n)
		}
	}
	fastest, err := turns(b.rounds, len(b.steps), len(b.photos), func(i, k int) error {
		if b.photos[k].without[i] {
			return nil
		}
		return b.steps[i].run(ctx, b.photos[k], memory)
	})
	if err != nil {
		return err
	}
	for k, p := range b.photos {
		b.count(p, fastest[k])
	}
	b.photos, b.held = nil, 0
	return nil
}

// turns runs steps on files, and returns the fastest time of each step, by file. In a round, each step runs on all
// files in turn: branch predictors would learn a file on which it ran repeatedly.
func turns(rounds, steps, files int, run func(step, file int) error) ([][]time.Duration, error) {
	fastest := make([][]time.Duration, files)
	for k := range fastest {
		fastest[k] = make([]time.Duration, steps)
	}
	for round := range rounds {
		for _, i := range rand.Perm(steps) {
			for k := range files {
				begin := time.Now()
				err := run(i, k)
				took := time.Since(begin)
				if err != nil {
					return nil, err
				}
				if round == 0 || took < fastest[k][i] {
					fastest[k][i] = took
				}
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

// Results returns all steps over the measured files, kind by kind, with the floor first. Steps that no file has are
// left out.
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
