package pipe_test

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/spoolmedia/spool/pipe"
)

func ExamplePipeline_String() {
	p := pipe.New(pipe.Options{})
	files := pipe.FromSlice(p, "files", []string{"a.jpg", "clip.mp4"})
	decoded := pipe.Route(files, "decode", pipe.Stage{}, func(context.Context, string) (int, error) { return 0, nil },
		func(images *pipe.Flow[string]) *pipe.Flow[string] {
			return pipe.Map(images, "image", pipe.Stage{Workers: 2}, toUpper)
		},
		func(videos *pipe.Flow[string]) *pipe.Flow[string] {
			return pipe.Map(videos, "video", pipe.Stage{Workers: pipe.Auto, MaxWorkers: 8, Queue: 4}, toUpper)
		})
	pipe.Batch(decoded, "batch", pipe.Stage{}, 32)
	fmt.Print(p)
	// Output:
	// files           1 worker               ordered  queue 64  -> decode
	// decode          1 worker               ordered  queue 4   -> decode/0/image, decode/1/video
	// decode/0/image  2 workers              ordered  queue 4   -> decode join
	// decode/1/video  auto, up to 8 workers  ordered  queue 4   -> decode join
	// decode join     1 worker               ordered  queue 4   -> batch
	// batch           1 worker               ordered  queue 4   -> loop
}

// MergeFunc zips two flows.
func ExampleMergeFunc() {
	p := pipe.New(pipe.Options{})
	names := pipe.FromSlice(p, "names", []string{"a.jpg", "b.jpg", "c.jpg", "d.jpg"})
	labels := pipe.FromSlice(p, "labels", []string{"cat", "dog", "cow"})
	pairs := pipe.MergeFunc("pair", pipe.Stage{},
		func(_ context.Context, flows []func() (string, bool)) iter.Seq2[string, error] {
			return func(yield func(string, error) bool) {
				for {
					name, more := flows[0]()
					label, both := flows[1]()
					if !more || !both || !yield(name+" is a "+label, nil) {
						return
					}
				}
			}
		}, names, labels)
	for pair, err := range pairs.All(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(pair)
	}
	// Output:
	// a.jpg is a cat
	// b.jpg is a dog
	// c.jpg is a cow
}

// A profile shows what each stage can do alone. Its model predicts what they can do together.
func ExamplePipeline_Profile() {
	build := func(p *pipe.Pipeline, decoders int) *pipe.Flow[int] {
		read := pipe.Map(pipe.FromSeq(p, "count", count(500)), "read", pipe.Stage{Workers: 4}, read)
		return pipe.Map(read, "decode", pipe.Stage{Workers: decoders}, square)
	}
	p := pipe.New(pipe.Options{})
	build(p, 1)
	profile, err := p.Profile(context.Background(), pipe.ProfileOptions{Items: 100, Workers: []int{1, 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, stage := range profile.Stages { // or print all of it: fmt.Print(profile)
		for _, speed := range stage.Speeds {
			fmt.Println(stage.Name, speed.Workers, speed.Items)
		}
	}

	model := profile.Model()
	model.Stage("read").Workers = 8
	predicted := model.Simulate(10_000)
	fmt.Println(predicted.Stages[1].Name, predicted.Stages[1].Workers, predicted.Stages[1].Items)
	// Output:
	// count 1 200
	// read 1 100
	// read 4 100
	// decode 1 100
	// decode 4 100
	// read 8 10000
}

// read stands for a function that waits for a disk.
func read(_ context.Context, n int) (int, error) {
	time.Sleep(100 * time.Microsecond)
	return n, nil
}
