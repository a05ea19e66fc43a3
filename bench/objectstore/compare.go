package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool/bench"
)

// loads is the work of loading photos at a latency.
func (s *settings) loads(ms int) bench.Work {
	return bench.Work{Name: "objectstore-" + strconv.Itoa(ms), Kind: bench.Remote, Set: s.set, Latency: ms,
		Files: len(s.files), Repeat: s.epochs(), Batch: s.batch, Size: s.size, Workers: s.workers, Rounds: s.rounds}
}

// compare measures all contestants at one latency: spool, spool without latency, and the others. Each of the others is
// paired with spool's run of its round. A run that fails has the reason instead of figures, and the others continue.
// The error is that of ctx.
func (s *settings) compare(ctx context.Context, out io.Writer, chosen []contestant, ms int) (*bench.Comparison, error) {
	c := &bench.Comparison{Partial: s.partial(), Work: s.loads(ms), Verified: len(s.files)}
	settings := map[string]string{}
	for _, other := range chosen {
		settings[other.Name] = s.search(ctx, out, other, ms)
	}
	for range s.rounds {
		own := s.measure(ctx, out, bench.Spool, s.own(ms, s.epochs()))
		c.Pairs = append(c.Pairs, bench.Pair{Own: own, Other: s.measure(ctx, out, bench.Still, s.own(0, s.epochs()))})
		for _, other := range chosen {
			run := s.measure(ctx, out, other.Name, s.command(other, ms, settings[other.Name], false))
			s.verified[other.Name] = s.verified[other.Name] || run.Error == ""
			c.Pairs = append(c.Pairs, bench.Pair{Own: own, Other: run})
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	labels := []bench.Contestant{{Name: bench.Spool, Label: "spool run"}, {Name: bench.Still, Label: "spool run at 0 ms"}}
	c.Duels = []bench.Duel{s.duel(bench.Still, ms, 0.9).Fought(c.Pairs)}
	for _, other := range chosen {
		labels = append(labels, other.Contestant)
		c.Duels = append(c.Duels, s.duel(other.Name, ms, other.goal).Fought(c.Pairs))
	}
	c.Contestants = summarize(c.Pairs, labels, settings)
	return c, nil
}

// duel returns the duel of spool with another contestant. Goals hold for 100 ms.
func (s *settings) duel(other string, ms int, goal float64) bench.Duel {
	d := bench.Duel{Own: bench.Spool, Other: other}
	if ms == 100 {
		d.Goal = goal
	}
	return d
}

// summarize sums up runs. A contestant whose runs have all failed has the reason instead of figures.
func summarize(pairs []bench.Pair, labels []bench.Contestant, settings map[string]string) (all []bench.Summary) {
	measured := bench.Summarize(pairs, labels)
	for _, l := range labels {
		i := slices.IndexFunc(measured, func(m bench.Summary) bool { return m.Peer == l.Name })
		if i >= 0 {
			measured[i].Setting = settings[l.Name]
			all = append(all, measured[i])
			continue
		}
		failed := bench.Summary{Peer: l.Name, Label: l.Label}
		for _, p := range pairs {
			for _, r := range [...]bench.Run{p.Own, p.Other} {
				if r.Peer == l.Name {
					failed.Error = r.Error
				}
			}
		}
		all = append(all, failed)
	}
	return all
}

// measure runs a contestant once. The rate is that of the whole run, since a loader that gets many batches together is
// slow with the first.
func (s *settings) measure(ctx context.Context, out io.Writer, name string, command []string) bench.Run {
	said := struct {
		bench.Run
		Samples float64 `json:"samples"` // spool's key for items
		Failed  int     `json:"failed"`
	}{Run: bench.Run{Load: bench.Load()}}
	err := s.json(ctx, &said, command...)
	run := said.Run
	run.Items = max(run.Items, said.Samples)
	run.Rate = run.Items / run.Wall
	switch {
	case err != nil:
	case said.Failed > 0:
		err = fmt.Errorf("%d photos failed", said.Failed)
	case run.Items == 0 || run.Wall == 0:
		err = errors.New("no photos were loaded")
	}
	if err != nil {
		run = bench.Run{Load: run.Load, Error: err.Error()}
	}
	run.Peer = name
	_ = json.NewEncoder(out).Encode(run)
	return run
}

// search tries each setting of a contestant at a latency, and returns the best; empty if there are none, or all fail.
func (s *settings) search(ctx context.Context, out io.Writer, c contestant, ms int) string {
	if !strings.Contains(c.grid, ",") {
		return c.grid
	}
	rates := map[string]float64{}
	for setting := range strings.SplitSeq(c.grid, ",") {
		fmt.Fprintf(out, "objectstore: %d ms: %s, %s: ", ms, c.Label, setting)
		if run := s.measure(ctx, out, c.Name, s.command(c, ms, setting, true)); run.Error == "" {
			rates[setting] = run.Rate
		}
	}
	if len(rates) == 0 {
		return ""
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(rates)),
		func(a, b string) int { return cmp.Compare(rates[a], rates[b]) })
}

func (s *settings) epochs() int { return max(1, s.images/len(s.files)) }
