//go:build !asan

package jpeg_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func TestDecodeAllocatesNothing(t *testing.T) {
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	defer c.Leave()
	data, dst := lanetest.Read(t, "s420.jpg"), make([]byte, 41*93*3)
	assert.Zero(t, testing.AllocsPerRun(20, func() {
		if _, err := jpeg.Decode(c, data, jpeg.Options{Dst: dst}); err != nil {
			t.Error(err)
		}
		if _, err := jpeg.ReadHeader(data); err != nil {
			t.Error(err)
		}
	}))
}
