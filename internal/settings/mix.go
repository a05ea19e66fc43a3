package settings

import (
	"errors"
	"path"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
)

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

// sampler returns the mixture of a source whose arguments have counts samples, or nil without --mix.
func (m *mix) sampler(o loader.Options, counts []int) (func(epoch uint64) order.Sampler, error) {
	if m.names == nil {
		return nil, nil
	}
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
