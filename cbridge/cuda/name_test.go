package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
)

func TestParseName(t *testing.T) {
	for name, want := range map[string]int{"cuda": 0, "cuda:0": 0, "cuda:1": 1, "cuda:12": 12,
		"cuda:2147483647": 2147483647} {
		got, err := cuda.ParseName(name)
		assert.NoError(t, err)
		assert.Equal(t, want, got, name)
	}
	for _, name := range []string{"", "0", "gpu", "host", "CUDA:0", "cuda:", "cuda:x", "cuda:-1", "cuda:+1", "cuda: 1",
		"cuda:0x1", "cuda:1_0", "cuda:2147483648", "cuda0", "cuda:0:1", "acuda:0"} {
		_, err := cuda.ParseName(name)
		assert.ErrorIs(t, err, spool.ErrOptions, "%q", name)
		assert.ErrorContains(t, err, `device "`+name+`"`)
	}
	assert.Equal(t, "cuda:7", cuda.Name(7))
}
