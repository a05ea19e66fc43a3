package stats

import (
	"fmt"
	"math"
	"slices"
)

// bursty is a share of time. Two adjacent stages that wait for each other for a larger share are not badly balanced:
// results come in bursts, and the queue between them is too short.
const bursty = 0.25

// limiting is the occupancy below which the busiest stage is not a bottleneck, because it mostly waits.
const limiting = 0.5

// fewest is the number of items below which a stage's figures are dominated by chance and by the start of the run.
const fewest = 30

// Verdict returns the bottleneck, by how much, and what to change, in a sentence or two. Without a bottleneck it says
// why there is none. With Auto workers it adds what their tuning does.
func (r Report) Verdict() string {
	all, delivered := r.ends()
	if delivered == 0 || r.Elapsed <= 0 {
		return "nothing has been delivered yet"
	}
	if r.Tuning == "" {
		return r.limit(all)
	}
	return r.limit(all) + " Auto: " + r.Tuning + "."
}

// limit finds the bottleneck. In a chain in steady state, the bottleneck is always at work, the stages before it wait
// for room, and those after it for items. So the throughput can rise by the ratio of its occupancy to the next highest,
// at which another stage is the bottleneck.
func (r *Report) limit(all []StageReport) string {
	if shut := r.Paused.Seconds() / r.Elapsed.Seconds(); shut > bursty {
		return fmt.Sprintf("CPUShare limits: no work is begun %s of the time, for the process to use no more than %.2f of "+
			"%d cores. "+
			"Raise it, or make the stages cheaper.", percent(shut), r.CPUShare*float64(r.Cores), r.Cores)
	}
	for i, s := range r.Stages {
		next := s.Setup.Next
		if next == nil {
			next = []int{i + 1}
		}
		if len(next) != 1 || s.Setup.Budget {
			continue // it may wait for one stage while another waits for it, or wait for bytes
		}
		to := all[next[0]]
		out, in := s.share(s.WaitOutS), to.share(to.WaitInS)
		if out > bursty && in > bursty && s.seen() >= fewest && to.seen() >= fewest {
			return fmt.Sprintf("%s and %s wait for each other: %s is without room for results %s of the time, %s without "+
				"items %s. "+
				"Results come in bursts or out of order: give %s a longer Queue.",
				s.Name, to.Name, s.Name, percent(out), to.Name, percent(in), s.Name)
		}
	}

	busiest, second := 0, -1
	for i := 1; i < len(all); i++ {
		switch {
		case all[i].Occupancy > all[busiest].Occupancy:
			busiest, second = i, busiest
		case second < 0 || all[i].Occupancy > all[second].Occupancy:
			second = i
		}
	}
	limit, next := all[busiest], all[second]
	if limit.seen() < fewest {
		return fmt.Sprintf("too few items for a verdict: %s, the busiest so far, has had %d, and it takes %d", limit.Name,
			limit.seen(), fewest)
	}
	if limit.Occupancy < limiting {
		for _, s := range r.Stages {
			if short := s.share(s.WaitOutS); s.Setup.Budget && short > limiting {
				return fmt.Sprintf("the budget of %s limits: it is without bytes %s of the time, and the busiest stage, %s, is "+
					"at work %s. "+
					"Raise the budget, or let fewer items wait behind it.", s.Name, percent(short), limit.Name,
					percent(limit.Occupancy))
			}
		}
		return fmt.Sprintf("no stage limits: the busiest, %s, is at work %s of the time. "+
			"The rest goes into starting and handing on: items are few, or too cheap for so many stages.",
			limit.Name, percent(limit.Occupancy))
	}
	gain := limit.Occupancy / max(next.Occupancy, 0.01)
	if busiest == len(r.Stages) {
		return fmt.Sprintf("the consumer limits: its loop is at work %s of the time, the busiest stage, %s, %s. "+
			"The pipeline could deliver %.1f times as much.",
			percent(limit.Occupancy), next.Name, percent(next.Occupancy), gain)
	}
	verdict := fmt.Sprintf("%s limits: its %s at work %s of the time, the next busiest, %s, %s.",
		limit.Name, workers(limit.Workers), percent(limit.Occupancy), next.Name, percent(next.Occupancy))
	if limit.Setup.Auto {
		return verdict
	}
	return verdict + " " + r.advice(limit, gain) + "."
}

// ends returns the stages with the consumer, if there is one, and the number of items that reached the consumer or
// sinks.
func (r *Report) ends() (all []StageReport, delivered int64) {
	loop := false
	for _, s := range r.Stages {
		next := s.Setup.Next
		loop = loop || next == nil || slices.Contains(next, len(r.Stages))
		if next != nil && len(next) == 0 {
			delivered += s.Items
		}
	}
	if !loop {
		return r.Stages, delivered
	}
	return append(slices.Clone(r.Stages), r.Consumer), delivered + r.Consumer.Items
}

// advice returns what to change about the bottleneck.
func (r *Report) advice(limit StageReport, gain float64) string {
	if limit.Setup.Single {
		return fmt.Sprintf("Up to %.1f times the throughput is possible with a cheaper %s, or by moving work out of it "+
			"into a stage "+
			"that can have more workers", gain, limit.Name)
	}
	busy := r.Consumer.Occupancy
	for _, s := range r.Stages {
		busy += s.Occupancy * s.StaffS / r.Elapsed.Seconds()
	}
	if busy > 0.9*float64(r.Cores) {
		return fmt.Sprintf("All of the %d cores have work: only a cheaper %s or more cores help", r.Cores, limit.Name)
	}
	gain = min(gain, 2) // only a higher throughput shows whether the cores or the disk allow more than twice
	more := int(math.Ceil(float64(limit.Workers) * gain))
	return fmt.Sprintf("Up to %.1f times the throughput is possible: give %s %d workers, or make it cheaper", gain,
		limit.Name, more)
}

// seen returns the number of items that the stage has finished.
func (s *StageReport) seen() int64 { return s.Items + s.Failures + s.Dropped }

// share returns the share of a stage's time that the total seconds of all its workers are.
func (s *StageReport) share(seconds float64) float64 {
	return seconds / s.StaffS
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

func workers(n int) string {
	if n == 1 {
		return "one worker is"
	}
	return fmt.Sprintf("%d workers are", n)
}
