package video_test

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/need"
)

// Packets that the rows of a batch decode, each by itself and in one plan for those of one file: what Gather over the
// rows of a batch could save. Rows are those of bench/peers/segments.py and lerobot.py; "in order" are rows of a table
// that is not shuffled, and "windows" follow each other.
func BenchmarkPlansOfBatches(b *testing.B) {
	segment := func(first, length int) []int { // 8 frames, evenly
		frames := index.Even(length, 8)
		for i := range frames {
			frames[i] += first
		}
		return frames
	}
	near := func(first int) []int { return []int{first, first + 1, first + 2, first + 3} }
	type row struct {
		file   int
		frames []int
	}
	for name, c := range map[string]struct {
		keys, frames, batch int
		row                 func(r *rand.Rand, i int) row
	}{
		"segments": {250, 1800, 16, func(r *rand.Rand, _ int) row {
			return row{r.IntN(8), segment(r.IntN(1500), 90+r.IntN(150))}
		}},
		"segments of 400 files": {250, 1800, 16, func(r *rand.Rand, _ int) row {
			return row{r.IntN(400), segment(r.IntN(1500), 90+r.IntN(150))}
		}},
		"segments in order": {250, 1800, 16, func(r *rand.Rand, i int) row {
			return row{i / 10, segment(i%10*165, 90+r.IntN(75))}
		}},
		"windows of 2 s":   {250, 1800, 16, func(r *rand.Rand, i int) row { return row{i / 30, segment(i%30*60, 60)} }},
		"LeRobot":          {2, 2500, 8, func(r *rand.Rand, _ int) row { return row{r.IntN(2), near(r.IntN(2400))} }},
		"LeRobot in order": {2, 2500, 8, func(_ *rand.Rand, i int) row { return row{0, near(i % 2400)} }},
	} {
		b.Run(name, func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "a.mp4")
			out, err := exec.CommandContext(b.Context(), need.Command(b, "ffmpeg"), "-v", "error", "-f", "lavfi", "-i",
				"testsrc2=size=64x48:rate=30", "-frames:v", strconv.Itoa(c.frames), "-c:v", "libx264", "-preset", "veryfast", "-g",
				strconv.Itoa(c.keys), file).CombinedOutput()
			require.NoError(b, err, string(out))
			v := decodetest.OpenVideo(b, decodetest.New(b, decoders.Options{}), spool.File(file), video.OpenOptions{})
			packets := func(frames []int) (n int) {
				for _, run := range v.Index().Plan(frames).Runs {
					n += run.Packets()
				}
				return n
			}
			r := rand.New(rand.NewPCG(1, 2))
			alone, together, rows := 0, 0, 0
			for b.Loop() {
				byFile := map[int][]int{}
				for range c.batch {
					x := c.row(r, rows)
					rows++
					alone += packets(x.frames)
					byFile[x.file] = append(byFile[x.file], x.frames...)
				}
				for _, frames := range byFile {
					together += packets(frames)
				}
			}
			b.ReportMetric(float64(alone)/float64(rows), "packets/row-alone")
			b.ReportMetric(float64(together)/float64(rows), "packets/row-together")
			b.ReportMetric(float64(alone)/float64(together), "gain")
		})
	}
}
