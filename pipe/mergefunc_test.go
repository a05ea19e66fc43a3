package pipe_test

import (
	"context"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
)

// operation is the type of MergeFunc's argument.
type operation = func(context.Context, []func() (*item, bool)) iter.Seq2[int, error]

// zip yields the differences of two flows' items, and fails at the end with err.
func zip(err error) operation {
	return func(_ context.Context, flows []func() (*item, bool)) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			for {
				a, ok := flows[0]()
				if !ok {
					break
				}
				b, ok := flows[1]()
				n := -a.n
				a.Release()
				if ok {
					n += b.n
					b.Release()
				}
				if !ok || !yield(n, nil) {
					break
				}
			}
			if err != nil {
				yield(0, err)
			}
		}
	}
}

// epochsOfItems returns a source of epochs of the given sizes.
func epochsOfItems(s *stock, p *pipe.Pipeline, name string, first int, sizes ...int) *pipe.Flow[*item] {
	return pipe.FromEpochs(p, name, pipe.Stage{}, len(sizes), func(_ context.Context, epoch int) iter.Seq2[*item, error] {
		return func(yield func(*item, error) bool) {
			for n := range sizes[epoch] {
				time.Sleep(time.Millisecond)
				if !yield(s.make(first+n*n), nil) {
					return
				}
			}
		}
	})
}

// The results of the operation come epoch by epoch, and items that it does not take are released.
func TestMergeFunc(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &stock{}
		p := pipe.New(pipe.Options{})
		a := epochsOfItems(s, p, "a", 100, 3, 0, 200, 4)
		b := epochsOfItems(s, p, "b", 200, 2, 5, 100)
		var epochs [][]int
		for _, items := range pipe.MergeFunc("zip", pipe.Stage{}, zip(nil), a, b).Epochs(t.Context()) {
			var got []int
			for n, err := range items {
				require.NoError(t, err)
				got = append(got, n)
			}
			epochs = append(epochs, got)
		}
		assert.Equal(t, [][]int{{100, 100}, nil, slices.Repeat([]int{100}, 100), nil}, epochs)
		s.checkReleased(t)
		r := p.Report()
		assert.Equal(t, r.Stages[2].In, r.Stages[2].Items)
		assert.EqualValues(t, 102, r.Stages[2].Out)
		assert.Greater(t, r.Stages[2].WaitInS, 0.2)
	})
}

func TestMergeFuncFails(t *testing.T) {
	for name, test := range map[string]struct {
		operation operation
		flow      error
		want      error
	}{
		"the operation": {operation: zip(errTorn), want: errTorn},
		"a flow":        {operation: zip(nil), flow: errTorn, want: errTorn},
		"panic": {operation: func(context.Context, []func() (*item, bool)) iter.Seq2[int, error] {
			return func(func(int, error) bool) { panic(errTorn) }
		}, want: errTorn},
	} {
		t.Run(name, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				s := &stock{}
				p := pipe.New(pipe.Options{})
				a := pipe.From(p, "a", func(yield func(*item, error) bool) {
					for n := range 10 {
						if !yield(s.make(n), nil) {
							return
						}
					}
					if test.flow != nil {
						yield(nil, test.flow)
					}
				})
				b := epochsOfItems(s, p, "b", 0, 20)
				got, err := collect(t.Context(), t, pipe.MergeFunc("zip", pipe.Stage{}, test.operation, a, b))
				require.ErrorIs(t, err, test.want)
				if name != "panic" {
					assert.Len(t, got, 10, "what came before")
				}
				s.checkReleased(t)
			})
		})
	}
	bubble.Test(t, func(t *testing.T) {
		s := &stock{}
		p := pipe.New(pipe.Options{})
		for _, err := range pipe.MergeFunc("zip", pipe.Stage{}, zip(nil), pipe.FromSeq(p, "a", endless(s)),
			pipe.FromSeq(p, "b", endless(s))).All(t.Context()) {
			require.NoError(t, err)
			break
		}
		s.checkReleased(t)
	})
}
