package metrics_test

import (
	"context"
	"fmt"
	"log"

	"github.com/spoolmedia/spool/observe/metrics"
	"github.com/spoolmedia/spool/pipe"
)

// The metrics of a pipeline.
func Example() {
	p := pipe.New(pipe.Options{})
	doubled := pipe.Map(pipe.FromSlice(p, "list", []int{1, 2, 3}), "double", pipe.Stage{},
		func(_ context.Context, n int) (int, error) { return 2 * n, nil })
	for _, err := range doubled.All(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
	}
	for _, m := range metrics.Collect(metrics.Source{Report: p.Report}).Metrics {
		if m.Name == "spool.stage.items" {
			for _, p := range m.Points {
				fmt.Println(p.Attributes[0].Value, p.Value)
			}
		}
	}
	// Output:
	// list 3
	// double 3
}
