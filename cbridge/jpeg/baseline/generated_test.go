package baseline_test

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
)

// generated is how many files of each kind the tests make.
var generated = flag.Int("generated", 200, "how many pictures of each kind are generated")

func newRandom(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// picture makes pixels of w x h: noise, flat pieces, waves, or a mixture of these.
func picture(r *rand.Rand, w, h int) (y *image.Gray, rgb *image.RGBA) {
	y, rgb = image.NewGray(image.Rect(0, 0, w, h)), image.NewRGBA(image.Rect(0, 0, w, h))
	noise, piece, wave := r.IntN(2)*r.IntN(256), 1+r.IntN(40), r.IntN(6)
	for j := range h {
		for i := range w {
			base := (i/piece*7+j/piece*13)*31 + wave*i*j/(w+h)
			for k := range 3 {
				v := byte(base * (k + 3))
				if noise > 0 {
					v += byte(r.IntN(noise))
				}
				rgb.Pix[rgb.PixOffset(i, j)+k] = v
			}
			rgb.Pix[rgb.PixOffset(i, j)+3] = 255
			y.Pix[y.PixOffset(i, j)] = rgb.Pix[rgb.PixOffset(i, j)]
		}
	}
	return y, rgb
}

// identical compares one file in both engines, with all kernels.
type identical struct {
	call    *call.Call
	engines map[string]*baseline.Engine
	count   map[baseline.Reason]int
	m       comparison
	areas   *rand.Rand
}

func (i *identical) check(t testing.TB, data []byte, what string) {
	t.Helper()
	for name, e := range i.engines {
		reason, difference := i.m.planes(t, i.call, e, data)
		i.count[reason]++
		if l, inScope := baseline.ReadLayout(data); difference == "" && inScope == baseline.Decoded {
			_, difference = i.m.rows(t, i.call, e, data, i.areas.IntN(4) == 0, area{0, 0, l.Width, l.Height},
				someArea(i.areas, l.Width, l.Height), someArea(i.areas, l.Width, l.Height))
		}
		if difference != "" {
			file := filepath.Join(os.TempDir(), "differs.jpg")
			_ = os.WriteFile(file, data, 0o600)
			t.Fatalf("%s, %s: %s; the file is %s", what, name, difference, file)
		}
	}
}

func newIdentical(t testing.TB, r *rand.Rand) *identical {
	t.Helper()
	return &identical{call: enter(t), engines: engines(t), count: map[baseline.Reason]int{}, areas: r}
}

// onlyDecoded fails when any file was left to the other engine.
func (i *identical) onlyDecoded(t testing.TB) {
	t.Helper()
	assert.Len(t, i.count, 1, "%v", i.count)
	assert.Positive(t, i.count[baseline.Decoded])
	t.Log(i.count)
}

// Files of Go's encoder: 4:2:0 and gray, its tables, any quality.
func TestPlanesOfGo(t *testing.T) {
	r := newRandom(t)
	all := newIdentical(t, r)
	for range *generated {
		w, h, q := 1+r.IntN(200), 1+r.IntN(200), 1+r.IntN(100)
		gray, rgb := picture(r, w, h)
		var source image.Image = rgb
		if r.IntN(3) == 0 {
			source = gray
		}
		var file bytes.Buffer
		require.NoError(t, jpeg.Encode(&file, source, &jpeg.Options{Quality: q}))
		all.check(t, file.Bytes(), fmt.Sprintf("%T of %dx%d, quality %d", source, w, h, q))
	}
	all.onlyDecoded(t)
}

// Files of libjpeg-turbo's encoder: any sampling, optimised tables, restart markers, any quality.
func TestPlanesOfTurbo(t *testing.T) {
	cjpeg, err := exec.LookPath("cjpeg")
	if err != nil {
		t.Skip("cjpeg is not here: ", err)
	}
	r := newRandom(t)
	all := newIdentical(t, r)
	for range (*generated + 1) / 2 {
		w, h := 1+r.IntN(200), 1+r.IntN(200)
		_, rgb := picture(r, w, h)
		args := []string{"-quality", fmt.Sprint(1 + r.IntN(100)), "-sample", [...]string{"1x1", "2x1", "2x2", "1x2", "2x2,2x1,2x1", "2x2,1x2,1x2"}[r.IntN(6)]}
		for _, option := range [][]string{{"-optimize"}, {"-baseline"}, {"-grayscale"}, {"-restart", fmt.Sprint(1 + r.IntN(3))}, {"-restart", fmt.Sprint(1+r.IntN(20)) + "B"}, {"-dct", "fast"}} {
			if r.IntN(4) == 0 {
				args = append(args, option...)
			}
		}
		command := exec.CommandContext(t.Context(), cjpeg, args...)
		command.Stdin = bytes.NewReader(ppm(rgb))
		data, err := command.Output()
		require.NoError(t, err, args)
		all.check(t, data, fmt.Sprintf("%dx%d %v", w, h, args))
	}
	all.onlyDecoded(t)
}

func ppm(rgb *image.RGBA) []byte {
	b := fmt.Appendf(nil, "P6 %d %d 255\n", rgb.Rect.Dx(), rgb.Rect.Dy())
	for i := 0; i < len(rgb.Pix); i += 4 {
		b = append(b, rgb.Pix[i:i+3]...)
	}
	return b
}

// Files of FFmpeg's encoder, which has tables of its own, and factors above what the chroma needs.
func TestPlanesOfFFmpeg(t *testing.T) {
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("ffmpeg is not here: ", err)
	}
	r := newRandom(t)
	all := newIdentical(t, r)
	for n := 0; n < *generated; {
		dir := t.TempDir()
		size := fmt.Sprintf("%dx%d", 2+r.IntN(300), 2+r.IntN(300))
		args := []string{"-v", "error", "-f", "lavfi", "-i",
			[...]string{"testsrc2", "mandelbrot", "smptebars", "life"}[r.IntN(4)] + "=size=" + size, "-frames:v", "20",
			"-pix_fmt", [...]string{"yuvj420p", "yuvj422p", "yuvj444p"}[r.IntN(3)], "-q:v", fmt.Sprint(1 + r.IntN(31)),
			"-huffman", [...]string{"default", "optimal"}[r.IntN(2)], filepath.Join(dir, "%d.jpg")}
		out, err := exec.CommandContext(t.Context(), ffmpeg, args...).CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
		for _, file := range picked(t, dir+"/*.jpg") {
			all.check(t, read(t, file), fmt.Sprint(args))
			n++
		}
	}
	all.onlyDecoded(t)
}

// Files of random symbols. Coefficients that are out of range are left to libjpeg-turbo: those, and only those.
func TestPlanesOfAnything(t *testing.T) {
	for name, kind := range map[string]int{"tame": tame, "wild": wild, "brink": brink} {
		t.Run(name, func(t *testing.T) {
			r := newRandom(t)
			all := newIdentical(t, r)
			for i := range 4 * *generated {
				all.check(t, newSynthetic(r, kind), fmt.Sprint("file ", i))
			}
			if kind == tame {
				all.onlyDecoded(t)
				return
			}
			t.Log(all.count)
			assert.Len(t, all.count, 2, "%v", all.count)
			assert.Positive(t, all.count[baseline.Range])
			assert.Positive(t, all.count[baseline.Decoded])
		})
	}
}
