package cache

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestExpense(t *testing.T) {
	var e expense
	const memory = 3 * time.Microsecond
	assert.Equal(t, memory, e.of(memory), "nothing has waited: all of the object is in memory")
	assert.Equal(t, 20*time.Millisecond, e.of(20*time.Millisecond))
	assert.Equal(t, 20*time.Millisecond, e.of(memory), "fetched ahead")
	assert.Equal(t, 40*time.Millisecond, e.of(40*time.Millisecond))
	assert.Equal(t, 30*time.Millisecond, e.of(memory), "the mean of the reads that waited")
	assert.Equal(t, 30*time.Millisecond, e.of(cheap))
}
