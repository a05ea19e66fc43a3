package settings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
)

// sampling is the settings for which samples an epoch has, and in which order.
type sampling struct {
	mix     mix
	kind    samplerKind
	window  int
	repeats int
	weights string // a file with a weight for each sample; empty: none
	draws   int
	lengths string // a file with a length for each sample; empty: none
	buckets int
}

// samplerKind is a value of the setting --sampler.
type samplerKind uint8

const (
	listed   samplerKind = iota // in the order of the list, or shuffled
	balanced                    // all classes equally often
	shards                      // shuffled, from few shards at a time
)

// sampling defines the settings of m.
func (s *Set) sampling(m *sampling) {
	s.mix(&m.mix)
	Choice(s, "sampler", &m.kind, "", "balanced: all classes equally often, in random order; shards: shuffled, with few "+
		"tar shards or parts of tables read at a time", map[string]samplerKind{"balanced": balanced, "shards": shards})
	s.Number("shuffle-window", &m.window, "0", 0, "samples that --sampler=shards mixes with each other; 0: those of 16 "+
		"shards")
	s.Text("weights", &m.weights, "FILE", "draw samples with replacement by the numbers in this file, one a line: the "+
		"relative frequency of each sample")
	s.Number("draws", &m.draws, "0", 0, "samples of an epoch with --weights; 0: as many as there are samples")
	s.Text("lengths", &m.lengths, "FILE", "batches of similar length, in random order, by the numbers in this file, one "+
		"a line: the length of each sample")
	s.Number("length-buckets", &m.buckets, "10", 1, "buckets of --lengths; more give less padding and less mixing")
	s.Number("repeats", &m.repeats, "1", 1, "deliver each sample this often in an epoch, one after the other: repeated "+
		"augmentation, since each has new random choices")
}

// judge assigns the weights to the arguments, and checks what excludes what.
func (m *sampling) judge(s *Set, args []string, o loader.Options) {
	m.mix.judge(s, args)
	if m.kind != listed && m.mix.names != nil {
		s.Refuse("--sampler excludes --mix: each chooses the samples of an epoch")
	}
	if m.kind != listed && o.Shuffle {
		s.Refuse("--sampler excludes --shuffle: its order is random, by --seed")
	}
	m.judgeNumbers(s, o)
	if m.kind != shards && m.window > 0 {
		s.Refuse("--shuffle-window needs --sampler=shards")
	}
}

// set sets the sampler of a loader of a source, unless the loader's own order is meant.
func (m *sampling) set(o *loader.Options, src source.Source) error {
	sampler, err := m.of(*o, src)
	if err != nil || sampler == nil && m.repeats == 1 {
		return err
	}
	if sampler == nil {
		n, seed := src.Len(), o.Seed
		sampler = func(uint64) order.Sampler { return order.Sequential(n) }
		if o.Shuffle {
			sampler = func(epoch uint64) order.Sampler { return order.NewPermutation(n, seed, epoch) }
		}
	}
	o.Shuffle = false // the sampler shuffles
	if o.Sampler = sampler; m.repeats > 1 {
		o.Sampler = func(epoch uint64) order.Sampler { return order.Repeated(sampler(epoch), m.repeats) }
	}
	return nil
}

// of returns the sampler that the settings name, or nil.
func (m *sampling) of(o loader.Options, src source.Source) (func(epoch uint64) order.Sampler, error) {
	switch {
	case m.kind == balanced:
		classes := classesOf(src)
		if classes.Len() == 0 {
			return nil, Problems{"--sampler=balanced: no sample has a label; class folders and tables have labels"}
		}
		return func(epoch uint64) order.Sampler { return classes.Sampler(o.Limit, o.Seed, epoch) }, nil
	case m.kind == shards:
		parts, ok := src.(interface{ Sizes() []int })
		if !ok {
			return nil, Problems{"--sampler=shards: this source has no shards"}
		}
		sizes := parts.Sizes()
		with := order.ShardOptions{Window: m.window, Streams: max(o.Sharing.Rank.World, 1), Run: o.Batch}
		return func(epoch uint64) order.Sampler { return order.NewShards(sizes, with, o.Seed, epoch) }, nil
	case m.weights != "":
		return m.weighted(o, src.Len())
	case m.lengths != "":
		return m.bucketed(o, src.Len())
	case m.mix.names != nil:
		arguments, ok := src.(interface{ Counts() []int })
		if !ok {
			return nil, Problems{"--mix: this source is one data set"}
		}
		return m.mix.sampler(o, arguments.Counts())
	}
	return nil, nil
}

// classesOf groups the samples of a source by label.
func classesOf(src source.Source) *order.Classes {
	if l, ok := src.(interface{ Labels(i int, labels []int64) }); ok {
		return order.ClassesOf(src.Len(), l.Labels)
	}
	return order.NewClasses(src.Len(), func(i int) int64 { return src.Item(i).Label })
}

// judgeNumbers checks what excludes the files of numbers.
func (m *sampling) judgeNumbers(s *Set, o loader.Options) {
	chosen := []string{}
	for _, c := range []struct {
		given bool
		name  string
	}{{m.weights != "", "--weights"}, {m.lengths != "", "--lengths"}, {m.kind != listed, "--sampler"},
		{m.mix.names != nil, "--mix"}, {o.Shuffle, "--shuffle"}} {
		if c.given {
			chosen = append(chosen, c.name)
		}
	}
	if (m.weights != "" || m.lengths != "") && len(chosen) > 1 {
		s.Refuse("%s exclude each other: each chooses the samples of an epoch, or their order", strings.Join(chosen, " and "))
	}
	if m.weights == "" && m.draws > 0 {
		s.Refuse("--draws needs --weights")
	}
	if m.lengths == "" && s.Given("length-buckets") {
		s.Refuse("--length-buckets needs --lengths")
	}
}

// weighted returns the sampler of --weights.
func (m *sampling) weighted(o loader.Options, n int) (func(epoch uint64) order.Sampler, error) {
	weights, err := numbersIn("--weights", m.weights, n, func(text string) (float64, error) {
		return strconv.ParseFloat(text, 64)
	})
	if err != nil {
		return nil, err
	}
	table, err := order.NewWeights(weights)
	if err != nil {
		return nil, Problems{"--weights: " + strings.TrimPrefix(err.Error(), "order: ")}
	}
	draws := cmp.Or(m.draws, n)
	return func(epoch uint64) order.Sampler { return table.Sampler(draws, o.Seed, epoch) }, nil
}

// bucketed returns the sampler of --lengths.
func (m *sampling) bucketed(o loader.Options, n int) (func(epoch uint64) order.Sampler, error) {
	lengths, err := numbersIn("--lengths", m.lengths, n, strconv.Atoi)
	if err != nil {
		return nil, err
	}
	table := order.NewBuckets(n, m.buckets, func(id int) int { return lengths[id] })
	batch := o.Batch * max(o.Sharing.Rank.World, 1) // so that all ranks have similar lengths at the same time
	return func(epoch uint64) order.Sampler { return table.Sampler(batch, o.Seed, epoch) }, nil
}

// numbersIn reads the file of a setting: a number for each of n samples, one a line.
func numbersIn[N int | float64](setting, file string, n int, parse func(string) (N, error)) ([]N, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	words := strings.Fields(string(text))
	if len(words) != n {
		return nil, Problems{fmt.Sprintf("%s: %s has %d numbers for %d samples: give one for each", setting, file, len(words),
			n)}
	}
	numbers := make([]N, n)
	for i, word := range words {
		if numbers[i], err = parse(word); err != nil || math.IsNaN(float64(numbers[i])) {
			return nil, Problems{fmt.Sprintf("%s: %s: %q is no number", setting, file, word)}
		}
	}
	return numbers, nil
}

// mix is the setting --mix: the weights of the arguments.
type mix struct {
	names   []string
	weights []float64 // of names
	shares  []float64 // of the arguments, set by judge
}

// mix defines its setting.
func (s *Set) mix(m *mix) {
	s.Add("mix", "NAME=W,...", "",
		"mix the sources by weights, exactly; NAME is an argument, or the last part of its path. A source that runs out "+
			"begins again", func(text string) error {
			for part := range strings.SplitSeq(text, ",") {
				name, weight, found := strings.Cut(part, "=")
				w, err := strconv.ParseFloat(weight, 64)
				if !found || name == "" || err != nil || !(w >= 0 && w <= 1e9) {
					return errors.New("must be of the form a=0.7,b=0.3")
				}
				m.names, m.weights = append(m.names, name), append(m.weights, w)
			}
			return nil
		})
}

// judge assigns the weights to the arguments.
func (m *mix) judge(s *Set, args []string) {
	if m.names == nil {
		return
	}
	m.shares = make([]float64, len(args))
	found := make([]int, len(m.names))
	for i, arg := range args {
		hits := 0
		for k, name := range m.names {
			if name == arg || name == path.Base(strings.TrimSuffix(arg, "/")) {
				m.shares[i] = m.weights[k]
				found[k]++
				hits++
			}
		}
		switch {
		case hits == 0:
			s.Refuse("--mix has no weight for the source %s: add %s=W", arg, path.Base(strings.TrimSuffix(arg, "/")))
		case hits > 1:
			s.Refuse("--mix has %d weights for the source %s: give one", hits, arg)
		}
	}
	for k, n := range found {
		switch {
		case n == 0:
			s.Refuse("--mix: no source is called %s", m.names[k])
		case n > 1:
			s.Refuse("--mix: %d sources are called %s: name each by its whole path", n, m.names[k])
		}
	}
}

// opMix separates the random numbers of a mixture's seeds from others.
const opMix = 17

// sampler returns the mixture of a source whose arguments have counts samples.
func (m *mix) sampler(o loader.Options, counts []int) (func(epoch uint64) order.Sampler, error) {
	var parts []order.Part
	first := 0
	for i, n := range counts {
		part := order.Part{Weight: m.shares[i], First: first,
			Samples: func(uint64) order.Sampler { return order.Sequential(n) }}
		if o.Shuffle {
			draws := order.NewRand(o.Seed, 0, uint64(i), opMix)
			seed := draws.Uint64()
			part.Samples = func(pass uint64) order.Sampler { return order.NewPermutation(n, seed, pass) }
		}
		parts = append(parts, part)
		first += n
	}
	table, err := order.NewMix(parts)
	if err != nil {
		return nil, Problems{"--mix: " + strings.TrimPrefix(err.Error(), "order: ")}
	}
	return func(epoch uint64) order.Sampler { return table.Sampler(o.Limit, epoch) }, nil
}
