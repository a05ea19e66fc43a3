package resample_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/resample"
)

// Every machine gives the same bits, including arm64 in the emulator. The digest covers all samples.
func TestDigest(t *testing.T) {
	h := sha256.New()
	r := rand.New(rand.NewPCG(17, 18))
	for _, rates := range [][2]int{{44100, 16000}, {16000, 44100}, {48000, 16000}, {44100, 44099}} {
		for q := range resample.Quality(3) {
			for _, channel := range whole(t, rates[0], rates[1], q, noise(r.Uint64(), 3000), noise(r.Uint64(), 3000)) {
				digest(h, channel)
			}
		}
	}
	c := enter(t)
	defer c.Leave()
	m := &resample.Matrix{In: 3, Out: 2, Weights: []float32{0.5, 0.3, 0.1, 0.7, 0.9, 1.1}}
	mixed := make([]float32, 2000)
	require.NoError(t, resample.Mix(c, resample.Planes{Data: mixed, Stride: 1000},
		resample.Interleaved(3, random[int32](r, 3000)), m))
	digest(h, mixed)
	stored := make([]int16, 2000)
	require.NoError(t, resample.Store(c, resample.Interleaved(2, stored), resample.Planes{Data: mixed, Stride: 1000}))
	digest(h, stored)
	assert.Equal(t, "e82201e703d582ac37a9c0b3ca819a5e90acd5d793629735b747a1b9e643db2f", hex.EncodeToString(h.Sum(nil)))
}

func digest(h hash.Hash, samples any) { _ = binary.Write(h, binary.LittleEndian, samples) }
