package stats_test

import (
	"fmt"
	"time"

	"github.com/spoolmedia/spool/pipe/stats"
)

// A model predicts that a second worker doubles the throughput of a stage that takes ten times as long as its source.
func Example() {
	var read, decode stats.Histogram
	read.Add(time.Millisecond)
	decode.Add(10 * time.Millisecond)
	model := stats.Model{Cores: 4, Stages: []stats.ModelStage{
		{Name: "read", Workers: 1, Queue: 4, Results: 1, CPU: 1, Service: &read},
		{Name: "decode", Workers: 1, Queue: 4, Results: 1, CPU: 1, Service: &decode},
	}}
	one := model.Simulate(1000)
	model.Stage("decode").Workers = 2
	two := model.Simulate(1000)
	fmt.Printf("%.1f times as fast\n", one.Elapsed.Seconds()/two.Elapsed.Seconds())
	// Output: 2.0 times as fast
}
