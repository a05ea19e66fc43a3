package order_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/order"
)

func TestRepeated(t *testing.T) {
	r := order.Repeated(order.List{5, 2, 5}, 2)
	assert.Equal(t, []int{5, 5, 2, 2, 5, 5}, ids(r))
	var occurrences []int
	for i := range r.Len() {
		occurrences = append(occurrences, r.Occurrence(i))
	}
	assert.Equal(t, []int{0, 1, 0, 1, 2, 3}, occurrences)
	assert.Equal(t, ids(order.NewPermutation(9, 1, 2)), ids(order.Repeated(order.NewPermutation(9, 1, 2), 1)))
	assert.Empty(t, ids(order.Repeated(order.List{}, 3)))
	assert.PanicsWithValue(t, "order: index 6 out of range [0, 6)", func() { r.At(6) })
	assert.PanicsWithValue(t, "order: a sampler repeated 0 times", func() { order.Repeated(order.List{}, 0) })
}
