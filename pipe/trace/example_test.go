package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/trace"
)

// A trace of two stages with three items has six slices.
func Example() {
	var file bytes.Buffer
	w := trace.NewWriter(&file)
	p := pipe.New(pipe.Options{Observer: w})
	squares := pipe.Map(pipe.FromSlice(p, "list", []int{1, 2, 3}), "square", pipe.Stage{},
		func(_ context.Context, n int) (int, error) { return n * n, nil })
	for _, err := range squares.All(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	var events struct {
		TraceEvents []struct{ Ph, Name string }
	}
	if err := json.Unmarshal(file.Bytes(), &events); err != nil {
		fmt.Println(err)
	}
	slices := map[string]int{}
	for _, e := range events.TraceEvents {
		if e.Ph == "X" {
			slices[e.Name]++
		}
	}
	fmt.Println(slices)
	// Output: map[list:3 square:3]
}
