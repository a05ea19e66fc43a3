package costs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/costs"
)

// The costs of a run predict one in which each fetch waits a minute longer.
func Example() {
	recorder := new(costs.Recorder)
	p := pipe.New(pipe.Options{Observer: recorder})
	list := pipe.FromSlice(p, "list", make([]int, 100))
	fetched := pipe.Map(list, "fetch", pipe.Stage{Workers: 10}, func(_ context.Context, n int) (int, error) {
		return n, nil
	})
	for items, err := range pipe.Batch(fetched, "batch", pipe.Stage{}, 10).All(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		recorder.Batch(len(items), 80)
	}

	file := filepath.Join(os.TempDir(), fmt.Sprintf("costs-%d.json", os.Getpid()))
	defer func() { _ = os.Remove(file) }()
	if err := recorder.Costs(p.Report()).Write(file); err != nil {
		fmt.Println(err)
		return
	}
	recorded, err := costs.Read(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	later, _ := recorded.Predict(costs.Settings{Latency: time.Minute})
	fmt.Println(recorded.Samples, "samples,", len(recorded.Stages), "stages with the loop")
	fmt.Println("slower:", later.Rate.Value < later.MeasuredRate)
	// Output:
	// 100 samples, 4 stages with the loop
	// slower: true
}
