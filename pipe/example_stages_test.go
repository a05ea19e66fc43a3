package pipe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/pipe"
)

// Sources: a slice, a sequence, a sequence that may fail, a channel, a function, another pipeline.
func Example_sources() {
	ctx := context.Background()
	p := pipe.New(pipe.Options{})
	slice := pipe.FromSlice(p, "slice", []string{"a", "b"})
	sequence := pipe.FromSeq(p, "sequence", slices.Values([]string{"c", "d"}))

	lines := strings.NewReader("e f")
	words := pipe.FromNext(p, "function", func(context.Context) (word string, err error) {
		_, err = fmt.Fscan(lines, &word) // io.EOF ends the flow
		return word, err
	})

	c := make(chan string, 1)
	c <- "g"
	close(c)
	channel := pipe.FromChan(p, "channel", c)

	inner := pipe.New(pipe.Options{})
	upper := pipe.Map(pipe.FromSlice(inner, "list", []string{"h", "i"}), "upper", pipe.Stage{}, toUpper)
	pipeline := pipe.FromFunc(p, "pipeline", pipe.Stage{}, upper.All)

	for word, err := range pipe.Merge("merge", pipe.Stage{}, pipe.MergeOptions{}, slice, sequence, words, channel,
		pipeline).All(ctx) {
		fmt.Print(word, " ")
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output: a c e g H b d f I
}

func toUpper(_ context.Context, s string) (string, error) { return strings.ToUpper(s), nil }

// Map, Filter and FlatMap with several workers have the same results as with one worker.
func Example_map() {
	ctx := context.Background()
	p := pipe.New(pipe.Options{})
	numbers := pipe.FromSeq(p, "numbers", count(10))
	odd := pipe.Filter(numbers, "odd", pipe.Stage{Workers: 2}, func(_ context.Context, n int) (bool, error) {
		return n%2 == 1, nil
	})
	squares := pipe.Map(odd, "square", pipe.Stage{Workers: 8, Queue: 256}, func(_ context.Context, n int) (int, error) {
		return n * n, nil
	})
	digits := pipe.FlatMap(squares, "digits", pipe.Stage{Workers: 4},
		func(_ context.Context, n int) iter.Seq2[string, error] {
			return func(yield func(string, error) bool) {
				for _, digit := range fmt.Sprint(n) {
					if !yield(string(digit), nil) {
						return
					}
				}
			}
		})
	for digit, err := range digits.All(ctx) {
		if err != nil {
			fmt.Println(err)
		}
		fmt.Print(digit, " ")
	}
	// Output: 1 9 2 5 4 9 8 1
}

// Batches by count, by bytes, and by a common property of their items.
func ExampleBatchBy() {
	words := strings.Fields("a bb cc d eee fff gg h")
	length := func(word string) int { return len(word) }
	for _, by := range []pipe.BatchOptions[string]{
		{Count: 3},
		{Bytes: 5, Size: func(word string) int64 { return int64(len(word)) }},
		{Count: 2, Bucket: length},
		{Count: 2, Bucket: length, DropLast: true},
	} {
		p := pipe.New(pipe.Options{})
		for batch, err := range pipe.BatchBy(pipe.FromSlice(p, "words", words), "batch", pipe.Stage{},
			by).All(context.Background()) {
			if err != nil {
				fmt.Println(err)
			}
			fmt.Print(batch)
		}
		fmt.Println()
	}
	// Output:
	// [a bb cc][d eee fff][gg h]
	// [a bb cc][d eee][fff gg][h]
	// [bb cc][a d][eee fff][gg][h]
	// [bb cc][a d][eee fff]
}

// After any number of items, each flow has contributed its share, with an error below one item.
func ExampleMerge() {
	p := pipe.New(pipe.Options{})
	web := pipe.FromSlice(p, "web", slices.Repeat([]string{"w"}, 12))
	books := pipe.FromSlice(p, "books", slices.Repeat([]string{"b"}, 6))
	code := pipe.FromSlice(p, "code", slices.Repeat([]string{"c"}, 2))
	mixed := pipe.Merge("mix", pipe.Stage{}, pipe.MergeOptions{Weights: []float64{0.6, 0.3, 0.1}}, web, books, code)
	for item, err := range pipe.Limit(mixed, "limit", pipe.Stage{}, 20).All(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
		fmt.Print(item)
	}
	// Output: wbwwbwcwbwwbwwbwcwbw
}

// Images and videos take separate paths, and come out in the order of the input.
func ExampleRoute() {
	p := pipe.New(pipe.Options{})
	files := pipe.FromSlice(p, "files", []string{"clip.mp4", "a.jpg", "b.jpg", "video.mp4", "c.jpg"})
	decoded := pipe.Route(files, "decode", pipe.Stage{},
		func(_ context.Context, file string) (int, error) {
			if strings.HasSuffix(file, ".jpg") {
				return 0, nil
			}
			return 1, nil
		},
		func(images *pipe.Flow[string]) *pipe.Flow[string] {
			return pipe.Map(images, "image", pipe.Stage{Workers: 2}, toUpper)
		},
		func(videos *pipe.Flow[string]) *pipe.Flow[string] {
			return pipe.Map(videos, "video", pipe.Stage{Workers: 8}, func(_ context.Context, file string) (string, error) {
				return "(" + file + ")", nil
			})
		})
	for item, err := range decoded.All(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(item)
	}
	for _, s := range p.Report().Stages {
		fmt.Printf("%s: %d\n", s.Name, s.Items)
	}
	// Output:
	// (clip.mp4)
	// A.JPG
	// B.JPG
	// (video.mp4)
	// C.JPG
	// files: 5
	// decode: 5
	// decode/0/image: 3
	// decode/1/video: 2
	// decode join: 5
}

// Every item goes to the loop and to a sink.
func ExampleTee() {
	p := pipe.New(pipe.Options{})
	tees := pipe.Tee(pipe.FromSeq(p, "count", count(5)), "tee", pipe.Stage{}, 2, nil)
	sum := 0
	pipe.To(tees[1], "sum", pipe.Stage{}, func(_ context.Context, n int) error {
		sum += n
		return nil
	})
	for n, err := range tees[0].All(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
		fmt.Print(n, " ")
	}
	fmt.Println("sum", sum)
	// Output: 0 1 2 3 4 sum 10
}

// Run runs a pipeline without a loop.
func ExamplePipeline_Run() {
	p := pipe.New(pipe.Options{})
	upper := pipe.Map(pipe.FromSlice(p, "words", strings.Fields("one two three")), "upper", pipe.Stage{Workers: 3},
		toUpper)
	pipe.To(upper, "print", pipe.Stage{}, func(_ context.Context, word string) error {
		fmt.Println(word)
		return nil
	})
	if err := p.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ONE
	// TWO
	// THREE
}

// A shuffle within a window: the same seed gives the same order.
func ExampleShuffle() {
	p := pipe.New(pipe.Options{})
	for n, err := range pipe.Shuffle(pipe.FromSeq(p, "count", count(12)), "shuffle", pipe.Stage{}, 4,
		1).All(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
		fmt.Print(n, " ")
	}
	// Output: 3 2 5 0 7 8 6 9 1 11 4 10
}

// Each epoch has its own loop. Batches end with the epoch, while workers start the next one.
func ExampleFlow_Epochs() {
	p := pipe.New(pipe.Options{})
	numbers := pipe.FromEpochs(p, "numbers", pipe.Stage{}, 3, func(_ context.Context, epoch int) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			for n := range 5 {
				if !yield(10*epoch+n, nil) {
					return
				}
			}
		}
	})
	squares := pipe.Map(numbers, "double", pipe.Stage{Workers: 4, AsCompleted: true},
		func(_ context.Context, n int) (int, error) {
			return 2 * n, nil
		})
	for epoch, batches := range pipe.Batch(squares, "batch", pipe.Stage{}, 2).Epochs(context.Background()) {
		sum, n := 0, 0
		for batch, err := range batches {
			if err != nil {
				fmt.Println(err)
			}
			for _, x := range batch {
				sum += x
			}
			n++
		}
		fmt.Println("epoch", epoch, "batches", n, "sum", sum)
	}
	// Output:
	// epoch 0 batches 3 sum 20
	// epoch 1 batches 3 sum 120
	// epoch 2 batches 3 sum 220
}

// Items with temporary failures are tried again, and no attempt takes longer than a second.
func Example_retry() {
	tries := map[string]int{}
	fetch := func(_ context.Context, name string) (string, error) {
		tries[name]++
		switch {
		case name == "slow.jpg" && tries[name] < 3:
			return "", &net.DNSError{Err: "try again", IsTemporary: true}
		case name == "gone.jpg":
			return "", errors.New("no such file")
		}
		return name, nil
	}
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip})
	names := pipe.FromSlice(p, "names", []string{"good.jpg", "slow.jpg", "gone.jpg"})
	files := pipe.Map(names, "fetch", pipe.Stage{
		Timeout: time.Second,
		Retry: pipe.Retry{Attempts: 5, Backoff: time.Millisecond, If: func(err error) bool {
			temporary := (*net.DNSError)(nil)
			return errors.As(err, &temporary) && temporary.IsTemporary
		}},
	}, fetch)
	for name, err := range files.All(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(name)
	}
	s := p.Report().Stages[1]
	fmt.Println("failed:", s.Failures, "tries of slow.jpg:", tries["slow.jpg"], "further tries in all:", s.Retries)
	// Output:
	// good.jpg
	// slow.jpg
	// failed: 1 tries of slow.jpg: 3 further tries in all: 2
}

// The buffers of all stages together have at most 64 KiB, whatever their workers and queues.
func ExampleAdmit() {
	memory, err := spool.NewPool(spool.PoolOptions{MaxBytes: 64 << 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer memory.Close()
	p := pipe.New(pipe.Options{})
	texts := pipe.FromSlice(p, "texts", strings.Fields("one two three four five"))
	admitted := pipe.Admit(texts, "admit", pipe.Stage{}, func(ctx context.Context, text string) (*spool.Buffer, error) {
		b, err := memory.Get(ctx, 32<<10)
		if err == nil {
			copy(b.Bytes(), text+" ")
		}
		return b, err
	})
	upper := pipe.Map(admitted, "upper", pipe.Stage{Workers: 16},
		func(_ context.Context, b *spool.Buffer) (*spool.Buffer, error) {
			copy(b.Bytes(), bytes.ToUpper(b.Bytes()[:8]))
			return b, nil
		})
	for b, err := range upper.All(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		word, _, _ := strings.Cut(string(b.Bytes()[:8]), " ")
		fmt.Print(word, " ", memory.Stats().HeldBytes <= 64<<10, " ")
		b.Release()
	}
	// Output: ONE true TWO true THREE true FOUR true FIVE true
}

// The number of the stage's workers is tuned, with two fifths of the machine's CPU time.
func ExampleStage_auto() {
	p := pipe.New(pipe.Options{CPUShare: 0.4})
	numbers := pipe.FromSeq(p, "count", count(50))
	squares := pipe.Map(numbers, "square", pipe.Stage{Workers: pipe.Auto, MaxWorkers: 16}, square)
	for _, err := range squares.All(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
	}
	r := p.Report()
	for _, m := range r.Moves {
		fmt.Println(m.At, m.Stage, m.From, m.To, m.Reason)
	}
	fmt.Println(r.Stages[1].Items)
	// Output: 50
}
