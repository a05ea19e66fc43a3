package video_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
)

// Frames of noise, of all sizes, equal those of the ffmpeg command.
func TestPixelsAreSwscales(t *testing.T) {
	need.Command(t, "ffmpeg")
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, 0))
	d := decodetest.New(t, decoders.Options{})
	for round := range short.Of(40, 10) {
		width, height := 2+rng.IntN(150), 2+rng.IntN(60)
		if round%4 != 0 {
			width, height = width&^1, height&^1
		}
		form := []struct {
			name       string
			subX, subY int
		}{{"420jpeg", 2, 2}, {"422", 2, 1}, {"444", 1, 1}, {"mono", 0, 0}}[min(rng.IntN(5), 3)]
		var y4m bytes.Buffer
		fmt.Fprintf(&y4m, "YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C%s", width, height, form.name)
		if round%3 == 0 {
			y4m.WriteString(" XCOLORRANGE=FULL")
		}
		y4m.WriteString("\n")
		const n = 2
		for range n {
			y4m.WriteString("FRAME\n")
			samples := width * height
			if form.subX > 0 {
				samples += 2 * ((width + form.subX - 1) / form.subX) * ((height + form.subY - 1) / form.subY)
			}
			for range samples {
				y4m.WriteByte(byte(rng.Uint32()))
			}
		}
		command := exec.Command("ffmpeg", "-v", "error", "-f", "yuv4mpegpipe", "-i", "-", "-pix_fmt", "rgb24", "-f",
			"rawvideo", "-")
		command.Stdin = bytes.NewReader(y4m.Bytes())
		want, err := command.Output()
		require.NoError(t, err)
		v := decodetest.OpenVideo(t, d, spool.Bytes{Data: y4m.Bytes()}, video.OpenOptions{})
		got, _ := decodetest.Frames(t, v, []int{0, 1}, video.Spec{})
		require.Equal(t, want, got, "seed %d, round %d: %s of %dx%d", seed, round, form.name, width, height)
	}
}
