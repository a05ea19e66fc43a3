package video_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/short"
)

var damageRounds = flag.Int("video.damage", 10,
	"damaged versions of each file in TestDamageHoweverReached, of either kind")

// breakPacket damages a packet's payload in one of the ways seen in files: a few wrong bits, or more.
func breakPacket(rng *rand.Rand, payload []byte, bits bool) string {
	at := rng.IntN(len(payload))
	way := rng.IntN(3)
	if bits {
		way = 3 + rng.IntN(2)
	}
	switch way {
	case 0:
		for i := range payload {
			payload[i] = byte(rng.Uint32())
		}
		return "noise"
	case 1:
		clear(payload[at:min(at+64, len(payload))])
		return "a block of zeros"
	case 2:
		clear(payload)
		return "zeros"
	case 3:
		payload[at] ^= 1 << rng.IntN(8)
		return "a bit"
	default:
		for range 4 {
			payload[rng.IntN(min(16, len(payload)))] ^= 1 << rng.IntN(8)
		}
		return "bits of the header"
	}
}

// A frame of a damaged video is the same, whole or not, in any request. No decoder may notice a few wrong bits: then a
// frame that is predicted from the wrong frame may differ with the packets that are left out.
func TestDamageHoweverReached(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	const seed = 20261122
	t.Logf("seed %d", seed)
	for _, name := range short.Some([]string{"bframes.mp4", "opengop.mp4", "bframes.ts", "raw.h264", "mpeg4.avi",
		"mpeg2.mpg", "altref.webm", "refresh.ts"}, 5) {
		for _, bits := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s bits=%v", name, bits), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 0))
				path := filepath.Join(media, "video", name)
				packets := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{}).Index().Packets
				seen, unnoticed := 0, 0
				few := bits || name == "mpeg4.avi" // its frames have no end that zeros could hide
				for range *damageRounds {
					data := bytes.Clone(decodetest.ReadFile(t, path))
					var ways []string
					for range 1 + rng.IntN(2) {
						p := packets[rng.IntN(len(packets))]
						way, ok := damageOf(rng, name, data, p, bits)
						if ok {
							ways = append(ways, fmt.Sprintf("%s in %+v", way, p))
						}
					}
					v, err := d.Videos.Open(ctx, spool.Bytes{Data: data}, video.OpenOptions{})
					if err != nil {
						continue
					}
					pixels, states := whole(t, v, small)
					require.Len(t, states, v.Len())
					one := decodetest.OpenVideo(t, d, spool.Bytes{Data: data}, video.OpenOptions{})
					for _, n := range rng.Perm(v.Len()) {
						got, report := decodetest.Frames(t, one, []int{n}, small)
						same := states[n] == report.Frames[0].State && bytes.Equal(pixels[n], got)
						require.True(t, same || few, "%v: frame %d, %d in the whole, is %d alone", ways, n, states[n],
							report.Frames[0].State)
						require.Equal(t, report.Frames[0].State == video.Whole, len(report.Damage) == 0, "%v: %v", ways, report.Damage)
						if seen++; !same {
							unnoticed++
						}
					}
					for range 10 {
						if err := request(v, rng, pixels, states); !few {
							require.NoError(t, err, "%v", ways)
						}
					}
					require.NoError(t, v.Close())
				}
				assert.LessOrEqual(t, unnoticed, seen/50)
			})
		}
	}
}

// damageOf damages a packet of a file, unless nothing would be left to compare.
func damageOf(rng *rand.Rand, name string, data []byte, p index.Packet, bits bool) (string, bool) {
	kept := 0
	switch name {
	case "raw.h264": // a packet without its start disappears without a trace
		kept = 6
	case "altref.webm": // the position is that of the container's block; without its start nothing can be read
		kept = 16
	// a decoder remembers the parameters before an earlier key packet, a new decoder has none
	case "mpeg4.avi", "mpeg2.mpg":
		if p.Flags&index.Key != 0 {
			return "", false
		}
	}
	if p.Pos < 0 || int(p.Size) <= kept || int(p.Pos)+int(p.Size) > len(data) {
		return "", false
	}
	return breakPacket(rng, data[p.Pos:][kept:p.Size], bits), true
}
