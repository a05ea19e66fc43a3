package resample_test

import (
	"context"
	"fmt"
	"math"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// A second of stereo at 44.1 kHz becomes mono at 16 kHz, in chunks.
func Example() {
	var filters resample.Filters // shared by all resamplers
	f := lanetest.Must(filters.Get(44100, 16000, resample.Default))
	mono := resample.Matrix{In: 2, Out: 1, Weights: []float32{0.5, 0.5}}
	r := lanetest.Must(resample.New(f, mono.Out))
	c := lanetest.Must(call.Enter(context.Background(), 1))
	defer c.Leave()

	chunk := make([]int16, 2*441)
	audio := make([]float32, f.Length(44100))
	done := 0
	for range 100 { // 440 Hz on the left, silence on the right
		for i := 0; i < len(chunk); i += 2 {
			chunk[i] = int16(20000 * math.Sin(2*math.Pi*440*float64(i/2)/44100))
		}
		n := lanetest.Must(r.Process(c, resample.Planes{Data: audio[done:]}, resample.Interleaved(2, chunk), &mono))
		done += n
	}
	n, err := r.Flush(c, resample.Planes{Data: audio[done:]})
	fmt.Println(f.Taps(), done, n, err)
	// Output:
	// 96 15982 18 <nil>
}
