package augment

import (
	"fmt"
	"slices"

	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
)

// Op is a random operation on pixels: one of this package's types, by value. Decoders know no other steps than those of
// [StepKind].
type Op interface {
	// Draw draws the operation's steps for an image of a size. It takes its numbers from r in torchvision's order.
	Draw(r resize.Random, width, height int) []Step

	// Validate returns all problems, each a *spool.OptionError.
	Validate() error
}

// Ops is a list of operations, which are applied in order. nil does nothing.
type Ops []Op

// firstOp is the number of the first operation of a list, in the keys of random numbers. It is fixed for all releases.
const firstOp = 64

// MaxOps is the largest number of operations of a list.
const MaxOps = 64

// Validate returns all problems, each a *spool.OptionError.
func (o Ops) Validate() error {
	var bad invalid.Options
	if len(o) > MaxOps {
		bad.Value("Ops", len(o), "must be at most %d operations", MaxOps)
	}
	for i, op := range o {
		if op == nil {
			bad.Value(fmt.Sprintf("Ops[%d]", i), nil, "must be an operation")
			continue
		}
		bad.Add(op.Validate())
	}
	return bad.Err()
}

// Draw draws the steps for a sample, an image of width x height. They depend on the arguments only.
func (o Ops) Draw(by order.Draw, width, height int) (steps []Step) {
	for i, op := range o {
		r := by.Rand(firstOp + uint64(i))
		steps = append(steps, op.Draw(&r, width, height)...)
	}
	return steps
}

// Steps returns a function that draws the steps for a sample from the size of its result, as decoders call it. It is
// nil for a list without operations.
func (o Ops) Steps(by order.Draw) func(width, height int) []Step {
	if len(o) == 0 {
		return nil
	}
	return func(width, height int) []Step { return o.Draw(by, width, height) }
}

// Moves reports whether an operation may move pixels: RandAugment and TrivialAugmentWide. Masks, boxes and points do
// not follow such moves.
func (o Ops) Moves() bool {
	return slices.ContainsFunc(o, func(op Op) bool {
		switch op.(type) {
		case RandAugment, TrivialAugmentWide:
			return true
		}
		return false
	})
}

// happens reports whether an operation is applied. It draws a number in any case.
func happens(r resize.Random, p, def float64) bool {
	if p == 0 {
		p = def
	}
	return r.Float64() < p
}

// checkP adds a probability above 1.
func checkP(bad *invalid.Options, p float64) {
	if !(p <= 1) {
		bad.Value("P", p, "a probability must be at most 1")
	}
}

// onlyP validates an operation that has nothing but a probability.
func onlyP(p float64) error {
	var bad invalid.Options
	checkP(&bad, p)
	return bad.Err()
}

// checkRange adds a range that is not within bounds.
func checkRange(bad *invalid.Options, name string, r [2]float64, least, most float64) {
	if !(least <= r[0] && r[0] <= r[1] && r[1] <= most) {
		bad.Value(name, r, "must ascend, from %v to %v", least, most)
	}
}
