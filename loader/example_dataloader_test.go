package loader_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool/loader"
)

// reviews is a dataset of texts and their ratings.
type reviews struct {
	texts  []string
	rating []int
}

// review is a sample of it.
type review struct {
	text   string
	rating int
}

func (r reviews) Len() int { return len(r.texts) }

func (r reviews) Get(_ context.Context, i int) (review, error) {
	return review{r.texts[i], r.rating[i]}, nil
}

var rated = reviews{[]string{"good", "bad", "fine", "awful", "great"}, []int{4, 1, 3, 0, 5}}

// Custom samples in batches, with the loops of PyTorch's DataLoader.
func ExampleDataLoader() {
	dl, err := loader.NewDataLoader(rated,
		loader.DataLoaderOptions{BatchSize: 2, Shuffle: true, Seed: 1, NumWorkers: 4, Epochs: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dl.Len(), "batches an epoch")
	for epoch, batches := range dl.Epochs(context.Background()) {
		for batch, err := range batches {
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(epoch, batch)
		}
	}
	// Output:
	// 3 batches an epoch
	// 0 [{great 5} {good 4}]
	// 0 [{awful 0} {fine 3}]
	// 0 [{bad 1}]
	// 1 [{awful 0} {fine 3}]
	// 1 [{bad 1} {good 4}]
	// 1 [{great 5}]
}

// The collate function converts a batch's samples to the input of a model.
func ExampleNewDataLoaderCollate() {
	type tensors struct {
		texts   []string
		ratings []float32
	}
	stack := func(_ context.Context, samples []review) (t tensors, _ error) {
		for _, s := range samples {
			t.texts = append(t.texts, s.text)
			t.ratings = append(t.ratings, float32(s.rating)/5)
		}
		return t, nil
	}
	dl, err := loader.NewDataLoaderCollate(rated, stack, loader.DataLoaderOptions{BatchSize: 3, DropLast: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for t, err := range dl.Batches(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(t.texts, t.ratings)
	}
	// Output: [good bad fine] [0.8 0.2 0.6]
}

// noisy is a dataset whose samples are augmented.
type noisy struct{ of []float64 }

func (n noisy) Len() int { return len(n.of) }

func (n noisy) Get(ctx context.Context, i int) (float64, error) {
	return n.of[i] + loader.Rand(ctx).NormFloat64()/10, nil
}

// Random numbers depend on seed, epoch and sample only, so they are the same for any number of workers.
func ExampleRand() {
	for _, workers := range []int{1, 8} {
		dl, err := loader.NewDataLoader(noisy{[]float64{1, 2, 3}},
			loader.DataLoaderOptions{BatchSize: 3, Epochs: 2, Seed: 7, NumWorkers: workers})
		if err != nil {
			fmt.Println(err)
			return
		}
		for batch, err := range dl.Batches(context.Background()) {
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("%.2f\n", batch)
		}
	}
	// Output:
	// [0.88 1.85 3.10]
	// [1.02 1.91 3.01]
	// [0.88 1.85 3.10]
	// [1.02 1.91 3.01]
}

// A loader that resumes where another stopped delivers the batches that would have followed.
func ExampleDataLoader_State() {
	o := loader.DataLoaderOptions{BatchSize: 2, Shuffle: true, Seed: 1}
	dl, err := loader.NewDataLoader(rated, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, err := range dl.Batches(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
		break // after the first batch
	}
	state, err := dl.State() // save it as JSON: see ParseState
	if err != nil {
		fmt.Println(err)
		return
	}
	o.Resume = []loader.State{state}
	again, err := loader.NewDataLoader(rated, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	for batch, err := range again.Batches(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(batch)
	}
	// Output:
	// [{awful 0} {fine 3}]
	// [{bad 1}]
}
