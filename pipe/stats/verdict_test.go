package stats_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/pipe/stats"
)

func TestVerdict(t *testing.T) {
	stage := func(name string, workers int, occupancy, waitIn, waitOut float64) stats.StageReport {
		return stats.StageReport{Name: name, Workers: workers, Items: 100, Occupancy: occupancy,
			StaffS:  10 * float64(workers),
			WaitInS: waitIn * float64(workers) * 10, WaitOutS: waitOut * float64(workers) * 10}
	}
	few := func(s stats.StageReport) stats.StageReport {
		s.Items, s.Failures, s.Dropped = 20, 5, 4
		return s
	}
	single := func(s stats.StageReport) stats.StageReport {
		s.Setup.Single = true
		return s
	}
	for _, test := range []struct {
		name   string
		stages []stats.StageReport // the last is the consumer
		cores  int
		want   string
	}{
		{"more workers", []stats.StageReport{
			stage("list", 1, 0.02, 0, 0.98), stage("read", 2, 0.32, 0, 0.68), stage("decode", 2, 0.96, 0.03, 0.01),
			stage("consumer", 1, 0.1, 0.9, 0)}, 8,
			"decode limits: its 2 workers are at work 96 % of the time, the next busiest, read, 32 %. " +
				"Up to 2.0 times the throughput is possible: give decode 4 workers, or make it cheaper."},
		{"no cores for more workers", []stats.StageReport{
			stage("list", 1, 0.02, 0, 0.98), stage("decode", 2, 0.96, 0.03, 0.01), stage("consumer", 1, 0.1, 0.9, 0)}, 2,
			"decode limits: its 2 workers are at work 96 % of the time, the next busiest, consumer, 10 %. " +
				"All of the 2 cores have work: only a cheaper decode or more cores help."},
		{"source", []stats.StageReport{
			single(stage("list", 1, 0.9, 0, 0.1)), stage("decode", 2, 0.3, 0.7, 0), stage("consumer", 1, 0.1, 0.9, 0)}, 8,
			"list limits: its one worker is at work 90 % of the time, the next busiest, decode, 30 %. " +
				"Up to 3.0 times the throughput is possible with a cheaper list, or by moving work out of it into a stage that " +
				"can have more workers."},
		{"consumer", []stats.StageReport{
			stage("list", 1, 0.01, 0, 0.99), stage("decode", 2, 0.5, 0, 0.5), stage("consumer", 1, 1, 0, 0)}, 8,
			"the consumer limits: its loop is at work 100 % of the time, the busiest stage, decode, 50 %. " +
				"The pipeline could deliver 2.0 times as much."},
		{"bursts", []stats.StageReport{
			stage("list", 1, 0.01, 0, 0.99), stage("decode", 4, 0.5, 0.1, 0.4), stage("consumer", 1, 0.4, 0.6, 0)}, 8,
			"decode and consumer wait for each other: decode is without room for results 40 % of the time, consumer without " +
				"items 60 %. " +
				"Results come in bursts or out of order: give decode a longer Queue."},
		{"too few", []stats.StageReport{
			stage("list", 1, 0.02, 0, 0.98), few(stage("decode", 2, 0.96, 0.03, 0.01)), few(stage("consumer", 1, 0.1, 0.9, 0))},
			8,
			"too few items for a verdict: decode, the busiest so far, has had 29, and it takes 30"},
		{"too few for bursts", []stats.StageReport{
			stage("list", 1, 0.01, 0, 0.99), stage("decode", 4, 0.6, 0.1, 0.3), few(stage("consumer", 1, 0.4, 0.6, 0))}, 2,
			"decode limits: its 4 workers are at work 60 % of the time, the next busiest, consumer, 40 %. " +
				"All of the 2 cores have work: only a cheaper decode or more cores help."},
		{"nobody", []stats.StageReport{
			stage("list", 1, 0.2, 0, 0.1), stage("decode", 4, 0.1, 0.1, 0), stage("consumer", 1, 0.1, 0.2, 0)}, 8,
			"no stage limits: the busiest, list, is at work 20 % of the time. " +
				"The rest goes into starting and handing on: items are few, or too cheap for so many stages."},
	} {
		t.Run(test.name, func(t *testing.T) {
			last := len(test.stages) - 1
			r := stats.Report{Elapsed: 10 * time.Second, Cores: test.cores, Stages: test.stages[:last],
				Consumer: test.stages[last]}
			assert.Equal(t, test.want, r.Verdict())
		})
	}
}
