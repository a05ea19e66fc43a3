package baseline_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
)

var (
	generated = flag.Int("generated", 1500, "how many images are generated, of all kinds together")
	python    = flag.String("python", "",
		"an `interpreter` that has the packages of testdata/encode.txt: their encoders are tested as well")
)

// share returns the number of generated images of one kind.
func share(perMille int) int { return (*generated*perMille + 999) / 1000 }

// side returns the width or height of an image, with small ones more often.
func side(r *rand.Rand) int { return 1 + r.IntN([...]int{64, 64, 200, 600}[r.IntN(4)]) }

// painter makes pixels from crops of photos, noise, flat areas, waves, and mixtures of these.
type painter struct {
	*rand.Rand
	photos []*image.RGBA
}

func photoFiles(t testing.TB) []string {
	t.Helper()
	return picked(t, "../../../testdata/photos/*/*[05].jpg")
}

func newPainter(t testing.TB, r *rand.Rand) *painter {
	t.Helper()
	p := &painter{Rand: r}
	for _, file := range photoFiles(t) {
		photo, err := jpeg.Decode(bytes.NewReader(read(t, file)))
		require.NoError(t, err, file)
		rgb := image.NewRGBA(photo.Bounds())
		draw.Draw(rgb, rgb.Rect, photo, image.Point{}, draw.Src)
		p.photos = append(p.photos, rgb)
	}
	require.NotEmpty(t, p.photos)
	return p
}

func (p *painter) next() *image.RGBA {
	rgb := image.NewRGBA(image.Rect(0, 0, side(p.Rand), side(p.Rand)))
	if p.IntN(2) == 0 {
		p.photo(rgb)
	} else {
		p.pattern(rgb)
	}
	return rgb
}

func (p *painter) photo(rgb *image.RGBA) {
	from := p.photos[p.IntN(len(p.photos))]
	left, top, step := p.IntN(from.Rect.Dx()), p.IntN(from.Rect.Dy()), 1+p.IntN(3)
	for y := range rgb.Rect.Dy() {
		for x := range rgb.Rect.Dx() {
			at := from.PixOffset((left+x*step)%from.Rect.Dx(), (top+y*step)%from.Rect.Dy())
			copy(rgb.Pix[rgb.PixOffset(x, y):], from.Pix[at:at+4])
		}
	}
}

func (p *painter) pattern(rgb *image.RGBA) {
	w, h := rgb.Rect.Dx(), rgb.Rect.Dy()
	noise, piece, wave := p.IntN(2)*p.IntN(256), 1+p.IntN(40), p.IntN(6)
	for j := range h {
		for i := range w {
			base, bits := (i/piece*7+j/piece*13)*31+wave*i*j/(w+h), p.Uint32()
			pixel := rgb.Pix[rgb.PixOffset(i, j):][:4]
			for k := range 3 {
				pixel[k] = byte(base*(k+3) + int(bits>>(8*k)&0xFF)*noise>>8)
			}
			pixel[3] = 255
		}
	}
}

// Files of Go's encoder: 4:2:0 and gray, its tables, any quality.
func TestPlanesOfGo(t *testing.T) {
	all := newIdentical(t, seed.Rand(t))
	paint := newPainter(t, all.random)
	for range share(200) {
		var source image.Image = paint.next()
		if paint.IntN(3) == 0 {
			gray := image.NewGray(source.Bounds())
			draw.Draw(gray, gray.Rect, source, image.Point{}, draw.Src)
			source = gray
		}
		quality := 1 + paint.IntN(100)
		var file bytes.Buffer
		require.NoError(t, jpeg.Encode(&file, source, &jpeg.Options{Quality: quality}))
		all.check(t, file.Bytes(), fmt.Sprintf("%T of %v, quality %d", source, source.Bounds(), quality))
	}
	all.done(t, "go")
	assert.Len(t, all.rows, 1)
}

// Images of about the greatest length that libjpeg-turbo accepts.
func TestLongImages(t *testing.T) {
	all := newIdentical(t, seed.Rand(t))
	paint := newPainter(t, all.random)
	for _, size := range [][2]int{{65500, 17}, {65499, 3}, {16, 65500}, {1, 65499}, {65501, 1}, {2, 65535}} {
		rgb := image.NewRGBA(image.Rect(0, 0, size[0], size[1]))
		paint.photo(rgb)
		var file bytes.Buffer
		require.NoError(t, jpeg.Encode(&file, rgb, nil))
		if max(size[0], size[1]) > 65500 {
			_, reason := baseline.ReadLayout(file.Bytes())
			assert.Equal(t, baseline.Size, reason)
			continue
		}
		all.check(t, file.Bytes(), fmt.Sprint(size))
	}
	all.done(t, "long")
}

// Files of libjpeg-turbo's encoder: any sampling, optimized tables, restart markers, any quality, and some that are out
// of scope.
func TestPlanesOfTurbo(t *testing.T) {
	cjpeg := program(t, "cjpeg")
	all := newIdentical(t, seed.Rand(t))
	paint := newPainter(t, all.random)
	for range share(200) {
		args := []string{"-quality", fmt.Sprint(1 + paint.IntN(100)), "-sample", turboSampling(paint.Rand)}
		for _, option := range [][]string{{"-optimize"}, {"-baseline"}, {"-grayscale"},
			{"-restart", fmt.Sprint(1 + paint.IntN(3))},
			{"-restart", fmt.Sprint(1+paint.IntN(20)) + "B"}, {"-dct", "fast"}} {
			if paint.IntN(4) == 0 {
				args = append(args, option...)
			}
		}
		switch paint.IntN(30) {
		case 0:
			args = append(args, "-progressive")
		case 1:
			args = append(args, "-rgb")
		case 2:
			args = []string{"-arithmetic"}
		}
		checkTurbo(t, all, paint, cjpeg, args)
	}
	all.done(t, "libjpeg-turbo")
}

// checkTurbo checks the next painting, as cjpeg encodes it with these arguments.
func checkTurbo(t *testing.T, all *identical, paint *painter, cjpeg string, args []string) {
	t.Helper()
	rgb := paint.next()
	command := exec.CommandContext(t.Context(), cjpeg, args...)
	command.Stdin = bytes.NewReader(ppm(rgb))
	data, err := command.Output()
	require.NoError(t, err, args)
	all.check(t, data, fmt.Sprint(rgb.Rect, args))
}

// turboSampling returns a common sampling, or any that cjpeg accepts: an MCU has at most ten blocks.
func turboSampling(r *rand.Rand) string {
	if r.IntN(2) == 0 {
		return [...]string{"1x1", "2x1", "2x2", "1x2", "2x2,2x1,2x1", "2x2,1x2,1x2"}[r.IntN(6)]
	}
	most := 2 + r.IntN(2)*r.IntN(3)
	for {
		s, blocks := "", 0
		for i := range 3 {
			h, v := 1+r.IntN(most), 1+r.IntN(most)
			blocks += h * v
			if i > 0 {
				s += ","
			}
			s += fmt.Sprintf("%dx%d", h, v)
		}
		if blocks <= 10 && !fractional(s) {
			return s
		}
	}
}

// fractional reports whether a component has neither the largest factor nor an integral fraction of it. libjpeg-turbo
// does not encode such files.
func fractional(sampling string) bool {
	var f [6]int
	_, _ = fmt.Sscanf(sampling, "%dx%d,%dx%d,%dx%d", &f[0], &f[1], &f[2], &f[3], &f[4], &f[5])
	h, v := max(f[0], f[2], f[4]), max(f[1], f[3], f[5])
	for i := 0; i < 6; i += 2 {
		if h%f[i] != 0 || v%f[i+1] != 0 {
			return true
		}
	}
	return false
}

func program(t testing.TB, name string) string {
	t.Helper()
	path := need.Command(t, name)
	return path
}

func ppm(rgb *image.RGBA) []byte {
	b := fmt.Appendf(nil, "P6 %d %d 255\n", rgb.Rect.Dx(), rgb.Rect.Dy())
	for i := 0; i < len(rgb.Pix); i += 4 {
		b = append(b, rgb.Pix[i:i+3]...)
	}
	return b
}

// Files of FFmpeg's encoder, which has custom tables, and larger factors than the chroma needs.
func TestPlanesOfFFmpeg(t *testing.T) {
	ffmpeg := program(t, "ffmpeg")
	all := newIdentical(t, seed.Rand(t))
	r := all.random
	for all.files < share(100) {
		dir := t.TempDir()
		size := fmt.Sprintf("%dx%d", 1+side(r), 1+side(r))
		args := []string{"-v", "error", "-f", "lavfi", "-i",
			[...]string{"testsrc2", "mandelbrot", "smptebars", "life"}[r.IntN(4)] + "=size=" + size, "-frames:v", "50",
			"-pix_fmt", [...]string{"yuvj420p", "yuvj422p", "yuvj444p"}[r.IntN(3)], "-q:v", fmt.Sprint(1 + r.IntN(31)),
			"-huffman", [...]string{"default", "optimal"}[r.IntN(2)], filepath.Join(dir, "%d.jpg")}
		out, err := exec.CommandContext(t.Context(), ffmpeg, args...).CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
		for _, file := range picked(t, dir+"/*.jpg") {
			all.check(t, read(t, file), fmt.Sprint(args))
		}
		require.NoError(t, os.RemoveAll(dir))
	}
	all.done(t, "ffmpeg")
}

// Files of Guetzli, a slow encoder that zeroes single coefficients, and writes sequential files.
func TestPlanesOfGuetzli(t *testing.T) {
	guetzli := program(t, "guetzli")
	all := newIdentical(t, seed.Rand(t))
	paint := newPainter(t, all.random)
	from, to := filepath.Join(t.TempDir(), "from.png"), filepath.Join(t.TempDir(), "to.jpg")
	for range share(2) {
		rgb := image.NewRGBA(image.Rect(0, 0, 8+paint.IntN(60), 8+paint.IntN(60)))
		paint.photo(rgb)
		var source bytes.Buffer
		require.NoError(t, png.Encode(&source, rgb))
		require.NoError(t, os.WriteFile(from, source.Bytes(), 0o600))
		out, err := exec.CommandContext(t.Context(), guetzli, "--quality", fmt.Sprint(84+paint.IntN(17)), from,
			to).CombinedOutput()
		require.NoError(t, err, string(out))
		all.check(t, read(t, to), fmt.Sprint(rgb.Rect))
	}
	all.done(t, "guetzli")
}

// Files of the encoders of Python: Pillow's libjpeg-turbo with more of its options, and jpegli.
func TestPlanesOfPython(t *testing.T) {
	if *python == "" {
		need.Skip(t, need.Peers, "no -python")
	}
	for _, encoder := range []string{"pillow", "jpegli"} {
		t.Run(encoder, func(t *testing.T) {
			all := newIdentical(t, seed.Rand(t))
			args := append([]string{"testdata/encode.py", encoder, fmt.Sprint(share(90)), fmt.Sprint(all.random.Uint32())},
				photoFiles(t)...)
			command := exec.CommandContext(t.Context(), *python, args...)
			command.Stderr = os.Stderr
			out, err := command.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, command.Start())
			for {
				var n uint32
				if err := binary.Read(out, binary.LittleEndian, &n); errors.Is(err, io.EOF) {
					break
				}
				data := make([]byte, n)
				_, err := io.ReadFull(out, data)
				require.NoError(t, err)
				all.check(t, data, fmt.Sprint(encoder, all.files))
			}
			require.NoError(t, command.Wait())
			all.done(t, encoder)
		})
	}
}

// Files of random symbols. The engine declines those with coefficients out of range, and only those.
func TestPlanesOfAnything(t *testing.T) {
	for kind, name := range []string{tame: "tame", wild: "wild", brink: "brink"} {
		t.Run(name, func(t *testing.T) {
			all := newIdentical(t, seed.Rand(t))
			all.wild = kind != tame
			met := map[string]int{}
			for i := range share(short.Of(106, 30)) {
				all.check(t, newSynthetic(all.random, kind, side(all.random), met), fmt.Sprint("file ", i))
			}
			all.done(t, name)
			t.Log(met)
			for _, what := range []string{zeros16, code16, last63, end62} {
				assert.Positive(t, met[what], what)
			}
			if kind != tame {
				assert.Positive(t, all.planes[baseline.Range])
			}
		})
	}
}
