package main

import (
	"math/rand/v2"
	"time"

	"github.com/spoolmedia/spool/pipe/stats"
)

// rank is what one rank loads, and with what.
type rank struct {
	batch, cores int
	files        int            // that it reads at a time
	requests     stats.Requests // of its client
	latency      time.Duration  // of a request
	link         float64        // bytes a second
	bytes        float64        // mean of a sample
	decode       time.Duration  // mean CPU time of a sample
	spread       float64        // of sizes and CPU times: 0 is none
	step         time.Duration  // that the training takes with a batch
}

// simulate loads n samples, and returns the time to the first batch and the rate after it. number makes its random
// numbers.
func (r rank) simulate(number uint64, n int) (first time.Duration, perSecond float64) {
	report := r.model(number, n).Simulate(n)
	left := float64(n - r.batch)
	return report.First, left / max((report.Elapsed-report.First).Seconds(), 1e-9)
}

// model returns the stages of a loader that reads files of known sizes in a store. The core of the model is the link,
// which all answers on their way share evenly. Workers that decode have a core each.
func (r rank) model(number uint64, n int) stats.Model {
	random := rand.New(rand.NewPCG(number, 1))
	transfers, decodes := make([]time.Duration, n), make([]time.Duration, n)
	for i := range n {
		size := r.varied(random)
		transfers[i] = time.Duration(1e9 * r.bytes * size / r.link)
		decodes[i] = time.Duration(float64(r.decode) * size)
	}
	const waiting = 2 // batches
	return stats.Model{Cores: 1, Requests: r.requests, Stages: []stats.ModelStage{
		{Name: "fetch", Workers: r.files, Queue: r.files, Results: 1, Wait: r.latency, Times: transfers, CPU: 1,
			Request: stats.ReadRequest},
		{Name: "decode", Workers: r.cores, Queue: r.cores, Results: 1, Times: decodes},
		{Name: "batch", Workers: 1, Queue: waiting, Results: 1 / float64(r.batch)},
		{Name: "train", Workers: 1, Results: 1, Times: []time.Duration{r.step}},
	}}
}

// varied returns a factor with a mean of 1: a part that is the same for all, and an exponential one.
func (r rank) varied(random *rand.Rand) float64 { return 1 - r.spread + r.spread*random.ExpFloat64() }
