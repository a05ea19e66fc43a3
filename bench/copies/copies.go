package copies

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/transfer"
)

// Options configure a measurement.
type Options struct {
	Device string // as for transfer.Open; "" means "cuda:0"
	Driver string // the CUDA driver's file; "" means the system's

	Sizes  []int // bytes of a batch; nil means 1, 4, 16 and 64 MiB
	Rounds int   // turns of each step; 0 means 5
	// Batches is the number of batches that a turn copies. 0 means as many as make 256 MiB, from 16 to 4096.
	Batches int
}

func (o *Options) setDefaults() {
	if o.Device == "" {
		o.Device = "cuda:0"
	}
	if o.Sizes == nil {
		o.Sizes = []int{1 << 20, 4 << 20, 16 << 20, 64 << 20}
	}
	if o.Rounds == 0 {
		o.Rounds = 5
	}
}

// Result is the cost of a step for batches of one size.
type Result struct {
	Codec      string  `json:"codec"` // "transfer"
	Device     string  `json:"device"`
	Step       string  `json:"step"`
	Bytes      int     `json:"bytes"`       // of a batch
	UsPerItem  float64 `json:"us_per_item"` // a batch
	GBPerS     float64 `json:"gb_per_s,omitempty"`
	FloorRatio float64 `json:"floor_ratio,omitempty"` // its time as a multiple of the bare driver's; 0 without a floor
	// of "overlap": the share of the copies' time that the consumer hides
	Hidden float64 `json:"hidden,omitempty"`
	Engine string  `json:"engine"`
}

// step is an operation that is timed. run repeats it for a number of batches.
type step struct {
	name   string
	engine string
	floor  string // the step that it is compared with; "" if there is none
	moves  bool   // it moves bytes, so it has a bandwidth
	run    func(ctx context.Context, batches int) error
}

// Measure measures all steps for all sizes. The error is one of the device, spool.ErrOptions, or that of ctx.
func Measure(ctx context.Context, o Options) (results []Result, err error) {
	o.setDefaults()
	if o.Rounds < 0 || o.Batches < 0 {
		return nil, fmt.Errorf("%w: %d rounds of %d batches", spool.ErrOptions, o.Rounds, o.Batches)
	}
	device, err := transfer.Open(o.Device, transfer.DeviceOptions{Driver: o.Driver})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	for _, size := range o.Sizes {
		if size < 1 {
			return nil, fmt.Errorf("%w: a batch of %d bytes", spool.ErrOptions, size)
		}
		of, err := measureSize(ctx, device, o, size)
		if err != nil {
			return nil, err
		}
		results = append(results, of...)
	}
	return results, nil
}

func measureSize(ctx context.Context, device *transfer.Device, o Options, size int) (results []Result, err error) {
	r, err := newRig(device, o.Driver, size)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.verify(ctx); err != nil {
		return nil, err
	}
	batches := o.Batches
	if batches == 0 {
		batches = min(max(16, 256<<20/size), 4096)
	}
	steps := r.steps()
	took, err := turns(ctx, o.Rounds, batches, steps)
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		results = append(results, result(device, s, size, took[s.name], took[s.floor]))
	}
	if device.Kind() != transfer.CUDA {
		return results, nil
	}
	copying := took["h2d"]
	steps = r.overlap(copying)
	if took, err = turns(ctx, o.Rounds, batches, steps); err != nil {
		return nil, err
	}
	for _, s := range steps {
		results = append(results, result(device, s, size, took[s.name], 0))
	}
	if batches > 1 {
		results[len(results)-1].Hidden = hidden(batches, copying, took["use"], took["overlap"])
	}
	return results, nil
}

// hidden returns the hidden share of the copies' time, from the times of a batch. All copies but the first can be
// hidden.
func hidden(batches int, copying, use, both time.Duration) float64 {
	return float64(batches) * (copying + use - both).Seconds() / (float64(batches-1) * copying.Seconds())
}

// turns returns the fastest time of a batch for each step, by name.
func turns(ctx context.Context, rounds, batches int, steps []step) (map[string]time.Duration, error) {
	fastest := map[string]time.Duration{}
	for range rounds {
		for _, i := range rand.Perm(len(steps)) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s := steps[i]
			begin := time.Now()
			if err := s.run(ctx, batches); err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			took := time.Since(begin) / time.Duration(batches)
			if before, ok := fastest[s.name]; !ok || took < before {
				fastest[s.name] = took
			}
		}
	}
	return fastest, nil
}

func result(device *transfer.Device, s step, size int, took, floor time.Duration) Result {
	r := Result{Codec: "transfer", Device: device.Name(), Step: s.name, Bytes: size, Engine: s.engine,
		UsPerItem: float64(took.Nanoseconds()) / 1e3}
	if s.moves && took > 0 {
		r.GBPerS = float64(size) / float64(took.Nanoseconds())
	}
	if floor > 0 {
		r.FloorRatio = float64(took) / float64(floor)
	}
	return r
}
