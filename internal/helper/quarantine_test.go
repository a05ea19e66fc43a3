package helper

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool"
)

// TestQuarantineIsBounded has more inputs kill helpers than are remembered. The first are forgotten, but for one that
// goes on.
func TestQuarantineIsBounded(t *testing.T) {
	var q quarantine
	d := &death{class: spool.ErrCrashed, text: "it ended"}
	input := func(i int) []byte { return fmt.Appendf(nil, "input %04d", i) } // all of one size
	for i := range most + 100 {
		q.add(input(i), d)
		q.add(input(i), d)
		if i%100 == 0 {
			q.add(input(0), d)
		}
	}
	assert.Len(t, q.culprits, most)
	assert.ErrorIs(t, q.refuse(input(0)), spool.ErrCrashed)
	assert.NoError(t, q.refuse(input(1)))
	assert.NoError(t, q.refuse(input(100)))
	assert.ErrorIs(t, q.refuse(input(101)), spool.ErrCrashed)
	assert.ErrorIs(t, q.refuse(input(most+99)), spool.ErrCrashed)
	assert.NoError(t, q.refuse(input(most+100)))
	assert.NoError(t, q.refuse([]byte("of another size")))
}
