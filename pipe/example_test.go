package pipe_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool/pipe"
)

func Example() {
	p := pipe.New(pipe.Options{})
	words := pipe.FromSeq(p, "list", slices.Values([]string{"one", "two", "three", "four", "five"}))
	upper := pipe.Map(words, "upper", pipe.Stage{Workers: 4}, func(_ context.Context, word string) (string, error) {
		return strings.ToUpper(word), nil
	})
	for batch, err := range pipe.Batch(upper, "batch", pipe.Stage{}, 2).All(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(batch)
	}
	// Output:
	// [ONE TWO]
	// [THREE FOUR]
	// [FIVE]
}

// Failed items are dropped and recorded in the ledger. More than MaxFailures of them end the run.
func Example_failures() {
	p := pipe.New(pipe.Options{
		OnFailure:   pipe.Skip,
		MaxFailures: 2,
		Ledger:      pipe.NewJSONLedger(os.Stdout),
		Describe: func(f *pipe.Failure) {
			if errors.Is(f.Err, strconv.ErrSyntax) {
				f.Class = "not-a-number"
			}
		},
	})
	words := pipe.FromSeq(p, "list", slices.Values([]string{"1", "zwei", "3", "vier"}))
	numbers := pipe.Map(words, "parse", pipe.Stage{Workers: 2}, func(_ context.Context, word string) (int, error) {
		return strconv.Atoi(word)
	})
	for n, err := range numbers.All(context.Background()) {
		switch {
		case errors.Is(err, pipe.ErrTooManyFailures):
			fmt.Println("giving up:", err)
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println(n)
		}
	}
	// Unordered output:
	// 1
	// 3
	// {"id":"1","file":"","stage":"parse","class":"not-a-number","text":"strconv.Atoi: parsing \"zwei\": invalid syntax","attempts":1,"action":"skip"}
	// {"id":"3","file":"","stage":"parse","class":"not-a-number","text":"strconv.Atoi: parsing \"vier\": invalid syntax","attempts":1,"action":"skip"}
}

func ExamplePipeline_Report() {
	p := pipe.New(pipe.Options{})
	numbers := pipe.FromSeq(p, "count", count(1000))
	for _, err := range pipe.Map(numbers, "square", pipe.Stage{Workers: 2}, square).All(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
	}
	for _, s := range p.Report().Stages {
		fmt.Println(s.Name, s.Workers, s.Items, s.Failures)
	}
	// Output:
	// count 1 1000 0
	// square 2 1000 0
}

func square(_ context.Context, n int) (int, error) { return n * n, nil }
