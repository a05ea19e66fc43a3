package index_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// steady is an index of n frames at fps frames a second, without reordering, with a key packet every gop packets.
func steady(t testing.TB, n int, fps int32, gop int) *index.Index {
	t.Helper()
	const tick = 512
	packets := make([]index.Packet, n)
	for i := range packets {
		packets[i] = index.Packet{PTS: int64(i) * tick, DTS: int64(i) * tick, Duration: tick, Pos: int64(100 + 1000*i),
			Size: 900}
		if i%gop == 0 {
			packets[i].Flags = index.Key
		}
	}
	return build(t, packets, index.Ratio{Num: 1, Den: tick * fps})
}

func build(t testing.TB, packets []index.Packet, base index.Ratio) *index.Index {
	t.Helper()
	x, err := index.New(index.File{}, index.Stream{Base: base}, packets)
	require.NoError(t, err)
	return x
}
