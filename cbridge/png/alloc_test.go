//go:build !asan

package png_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func TestDecodeAllocatesNothing(t *testing.T) {
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	defer c.Leave()
	data, dst := lanetest.Read(t, "rgb8.png"), make([]byte, 33*21*3)
	assert.Zero(t, testing.AllocsPerRun(20, func() {
		if _, err := png.Decode(c, data, png.Options{Dst: dst}); err != nil {
			t.Error(err)
		}
		if _, err := png.ReadHeader(data); err != nil {
			t.Error(err)
		}
	}))
}
