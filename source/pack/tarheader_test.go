package pack

import (
	"archive/tar"
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Headers are those of archive/tar, or nil where it writes more than one block.
func TestTarHeader(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	h := newTarHeader()
	names := []string{"000000000.jpg", "000000000.seg.png", "a", strings.Repeat("x", 100), strings.Repeat("x", 101),
		"é.jpg", "a/b.jpg", "a\x00b"}
	for i := range 4000 {
		name := names[i%len(names)]
		size := rng.Int64N(1 << (1 + rng.IntN(40)))
		if i < 64 {
			size = []int64{0, 1, 511, 512, 1<<33 - 1, 1 << 33, 1<<33 + 1, 7}[i/8]
		}
		var want bytes.Buffer
		err := tar.NewWriter(&want).WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644})
		got := h.of(name, size)
		if err != nil || want.Len() > tarBlock {
			assert.Nil(t, got, "%q %d", name, size)
			continue
		}
		require.True(t, bytes.Equal(want.Bytes(), got), "%q %d", name, size)
	}
}

func TestKeyAt(t *testing.T) {
	for _, at := range []int{0, 1, 9, 10, 123456789, 99999999, 999999999, 1000000000, 12345678901, math.MaxInt} {
		assert.Equal(t, fmt.Sprintf("%09d.", at), keyAt(at))
	}
}
