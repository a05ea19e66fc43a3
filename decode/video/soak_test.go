package video_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/timing"
	"github.com/spoolmedia/spool/resize"
)

var kills = flag.Int("video.kills", 150, "calls that TestVideoKills cancels")

// Opens, seeks and decodes that are cancelled at any moment return soon, with an error of the right class or the
// result, and leak nothing (TestMain counts).
func TestVideoKills(t *testing.T) {
	rounds := *kills
	d := decodetest.New(t, decoders.Options{})
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 0))
	files := videos(t)
	var late []time.Duration
	for round := range rounds {
		path := files[rng.IntN(len(files))]
		after := time.Duration(rng.Float64() * rng.Float64() * 20 * float64(time.Millisecond))
		kill, cancel := context.WithCancel(ctx)
		killed := make(chan time.Time, 1)
		timer := time.AfterFunc(after, func() {
			killed <- time.Now()
			cancel()
		})
		err := openAndDecode(kill, d, path, rng)
		ended := time.Now()
		if !timer.Stop() {
			late = append(late, ended.Sub(<-killed))
		}
		cancel()
		if err != nil {
			require.ErrorIs(t, err, context.Canceled, "seed %d, round %d: %s", seed, round, filepath.Base(path))
		}
	}
	if len(late) > 0 {
		slices.Sort(late)
		timing.Within(t, late[len(late)*4/5], 50*time.Millisecond, "four of five killed calls")
	}
}

func openAndDecode(ctx context.Context, d *decoders.Set, path string, rng *rand.Rand) error {
	v, err := d.Videos.Open(ctx, spool.File(path), video.OpenOptions{})
	if err != nil {
		return err
	}
	defer v.Close()
	for {
		spec := video.Spec{Resize: resize.Spec{Width: 60, Height: 40, Profile: resize.Profile(rng.IntN(3))},
			OnDamage: decode.RepeatOnDamage}
		clip, err := v.Frames(ctx, index.Even(v.Len(), 1+rng.IntN(8)), spec)
		if err != nil {
			return err
		}
		clip.Release()
		if ctx.Err() != nil {
			return nil
		}
	}
}
