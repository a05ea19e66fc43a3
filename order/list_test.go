package order_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/order"
)

func TestList(t *testing.T) {
	l := order.List{5, 2, 5}
	assert.Equal(t, 3, l.Len())
	assert.Equal(t, []int{5, 2, 5}, []int{l.At(0), l.At(1), l.At(2)})
	assert.PanicsWithValue(t, "order: index 3 out of range [0, 3)", func() { l.At(3) })
	assert.Panics(t, func() { l.At(-1) })
}
