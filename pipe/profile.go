package pipe

import (
	"context"
	"iter"
	"runtime"
)

// Speed is how fast a function was with a number of workers and nothing before or behind it.
type Speed struct {
	Workers int
	Rate    float64     // items a second that did not fail
	Stage   StageReport // of the function: service times, failures, occupancy
}

// Profile runs a stage alone, once for each number of workers, over the items that items gives, which
// are there without a wait; results are released. So it says what the stage could do if nothing else
// limited it, and with how many workers it stops getting faster. workers may be nil for 1, 2, 4 and so
// on, up to twice the processors that Go uses.
//
// items is gone through once for each number, and has to give items of their own each time, because f
// takes them over. Keep them in memory: what giving one takes is measured, too, once the workers outrun
// it.
func Profile[In, Out any](ctx context.Context, items iter.Seq[In], s Stage, workers []int, f func(context.Context, In) (Out, error)) ([]Speed, error) {
	if workers == nil {
		for n := 1; n <= 2*runtime.GOMAXPROCS(0); n *= 2 {
			workers = append(workers, n)
		}
	}
	var speeds []Speed
	for _, n := range workers {
		p := New(Options{})
		s.Workers = n
		results := Map(FromSeq(p, "items", items), "stage", s, f)
		To(results, "drop", Stage{}, func(_ context.Context, result Out) error {
			release(result)
			return nil
		})
		if err := p.Run(ctx); err != nil {
			return speeds, err
		}
		r := p.Report()
		speeds = append(speeds, Speed{Workers: n, Rate: float64(r.Stages[1].Items) / r.Elapsed.Seconds(), Stage: r.Stages[1]})
	}
	return speeds, nil
}
