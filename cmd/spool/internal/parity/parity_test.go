package parity

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
)

// asPeer is an environment variable. With it, this test binary acts as a Python interpreter that has a package for PNG.
// Its value selects the package's faults. So the protocol, figures and reports are tested without Python.
const asPeer = "SPOOL_TEST_AS_PEER"

// fakePeer answers as peer.py does, with the standard library's decoder, and ends the process.
func fakePeer(kind string) {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	send := func(header any, data []byte) {
		text, _ := json.Marshal(header)
		for _, frame := range [][]byte{text, data} {
			_ = binary.Write(out, binary.LittleEndian, uint64(len(frame)))
			_, _ = out.Write(frame)
		}
		_ = out.Flush()
	}
	receive := func() []byte {
		var n uint64
		if binary.Read(in, binary.LittleEndian, &n) != nil {
			os.Exit(0)
		}
		data := make([]byte, n)
		_, _ = io.ReadFull(in, data)
		return data
	}
	hello := peerHello{Python: "3.0", Executable: "/usr/bin/python3", Versions: map[string]string{os.Args[3]: "1.2"}}
	switch kind {
	case "lacking":
		hello.Error = "No module named 'PIL'"
	case "stillborn":
		fmt.Fprint(os.Stderr, "Traceback:\nIllegal instruction\n")
		os.Exit(1)
	}
	send(hello, nil)
	for {
		var r request
		_ = json.Unmarshal(receive(), &r)
		img, err := png.Decode(strings.NewReader(string(receive())))
		if err != nil {
			send(peerImage{Error: "UnidentifiedImageError: no PNG"}, nil)
			continue
		}
		size := img.Bounds().Size()
		var pixels []byte
		for y := range size.Y {
			for x := range size.X {
				c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
				pixels = append(pixels, c.R, c.G, c.B)
			}
		}
		switch {
		case kind == "deadly" && size.X == 3:
			fmt.Fprint(os.Stderr, "out of luck\n")
			os.Exit(7)
		case kind == "garbled" && size.X == 3:
			pixels = pixels[1:]
		case kind == "turned" && size.X == 3:
			size.X, size.Y = size.Y, size.X
		case kind == "off" && size.X == 3:
			pixels[0] ^= 1
			pixels[4] ^= 0x80
		}
		send(peerImage{Width: size.X, Height: size.Y, Reader: "fake"}, pixels)
	}
}

// fakePython returns an interpreter for --python.
func fakePython(t *testing.T, kind string) string {
	t.Helper()
	t.Setenv(asPeer, kind)
	self, err := os.Executable()
	require.NoError(t, err)
	return self
}

// imageFolder writes noise of 3x2 and 5x4 pixels and a file that is not an image, and returns their folder.
func imageFolder(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	for name, width := range map[string]int{"a.png": 3, "b.png": 5} {
		noise := image.NewNRGBA(image.Rect(0, 0, width, width-1))
		for i := range noise.Pix {
			noise.Pix[i] = uint8(random.Uint32()) | 0xff*uint8((i%4)/3)
		}
		file, err := os.Create(filepath.Join(folder, name))
		require.NoError(t, err)
		require.NoError(t, png.Encode(file, noise))
		require.NoError(t, file.Close())
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "c.png"), []byte("no picture"), 0o600))
	return folder
}

// parityLines parses the objects of parity --json.
func parityLines(t *testing.T, text string) (each []comparison, all report) {
	t.Helper()
	lines := clitest.Lines(text)
	require.NotEmpty(t, lines)
	for _, line := range lines[:len(lines)-1] {
		var c comparison
		require.NoError(t, json.Unmarshal([]byte(line), &c))
		each = append(each, c)
	}
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &all))
	return each, all
}

func TestParityEqual(t *testing.T) {
	folder := imageFolder(t)
	each, all := parityLines(t, tool.Done(t, "parity", folder, "--against", "pillow", "--json", "--profile",
		"pillow,exact", "--python", fakePython(t, "good"), "--strict"))
	require.Len(t, each, 6)
	assert.Equal(t, filepath.Join(folder, "a.png"), each[0].File)
	assert.Equal(t, "pillow", each[0].Profile.String())
	assert.Equal(t, "exact", each[1].Profile.String())
	assert.Equal(t, "fake", each[0].Reader)
	assert.Equal(t, "png", each[0].Format)
	assert.Equal(t, &Figures{Equal: true}, each[0].Figures)
	assert.Nil(t, each[4].Figures)
	assert.Contains(t, each[4].Error["spool"], "not-media: ")
	assert.Equal(t, "UnidentifiedImageError: no PNG", each[4].Error["pillow"])
	assert.Equal(t, 4, all.Compared)
	assert.Equal(t, map[string]string{"pillow": "1.2"}, all.Versions)
	for _, p := range all.Profiles {
		assert.Equal(t, []int{2, 2, 1, 0}, []int{p.Compared, p.Equals, p.RefusedByBoth, p.Broken})
		assert.Equal(t, map[int]int64{0: 3 * (6 + 20)}, p.Histogram)
		assert.Nil(t, p.PSNRMin)
	}
	assert.Equal(t, "the bytes of Pillow 13.0", all.Profiles[0].Promise)
	assert.Empty(t, all.Profiles[1].Promise)
}

func TestParityDifferent(t *testing.T) {
	folder := imageFolder(t)
	chart := filepath.Join(t.TempDir(), "chart")
	args := []string{"parity", folder, "--against", "pillow", "--profile", "pillow", "--python", fakePython(t, "off")}
	each, all := parityLines(t, tool.Done(t, append(args, "--json", "--plot", chart+".svg")...))
	psnr := 10 * math.Log10(255*255*18/float64(1+128*128))
	assert.Equal(t, 128, each[0].Max)
	assert.InDelta(t, 129.0/18, each[0].Mean, 1e-9)
	assert.InDelta(t, psnr, *each[0].PSNR, 1e-9)
	assert.True(t, each[1].Equal)
	one := all.Profiles[0]
	assert.Equal(t, map[int]int64{0: 76, 1: 1, 128: 1}, one.Histogram)
	assert.InDelta(t, 129.0/78, one.Mean, 1e-9)
	assert.InDelta(t, psnr, *one.PSNRMin, 1e-9)
	assert.Nil(t, one.PSNRMedian, "that of an equal image is in the sum")
	assert.Equal(t, 1, one.Broken)
	require.Len(t, one.Worst, 1)
	assert.Equal(t, each[0].File, one.Worst[0].File)

	svg, err := os.ReadFile(chart + ".svg")
	require.NoError(t, err)
	assert.Contains(t, string(svg), "Difference from pillow 1.2")
	assert.Contains(t, string(svg), "pillow: mean 1.654, max 128")

	o := tool.Run(append(args, "--strict")...)
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Empty(t, o.Stderr)
	assert.Contains(t, o.Stdout, "against pillow (pillow 1.2; Python 3.0), own size, bilinear\n")
	assert.Contains(t, o.Stdout, "   pillow         2      1  1.6538  128  128   18.5 dB   equal\n")
	assert.Contains(t, o.Stdout, "  promises the bytes of Pillow 13.0: BROKEN in 1\n  refused by both: 1\n")
	assert.Contains(t, o.Stdout, "a.png: mean 7.1667, p99 128, max 128, 18.5 dB\n")
}

// A peer that dies on an image, or answers nonsense, has refused that image. The next one gets another process.
func TestParityPeerFails(t *testing.T) {
	folder := imageFolder(t)
	for kind, text := range map[string]string{
		"deadly":  " ended: exit status 7: out of luck",
		"garbled": " was ended: its answer has 17 bytes where 18 belong",
	} {
		t.Run(kind, func(t *testing.T) {
			each, all := parityLines(t, tool.Done(t, "parity", folder, "--against", "opencv", "--profile", "fast,exact",
				"--json", "--python", fakePython(t, kind)))
			require.Len(t, each, 6)
			assert.Contains(t, each[0].Error["opencv"], text)
			assert.Contains(t, each[1].Error["opencv"], text)
			assert.True(t, each[2].Equal)
			assert.Equal(t, 1, all.Profiles[0].RefusedByPeer)
		})
	}
	each, all := parityLines(t, tool.Done(t, "parity", folder, "--against", "torchvision", "--profile", "exact", "--json",
		"--python", fakePython(t, "turned")))
	assert.Equal(t, map[string]string{"size": "3x2 instead of 2x3"}, each[0].Error)
	assert.Equal(t, 1, all.Profiles[0].OtherSize)
	assert.Equal(t, 1, all.Broken)
}

func TestParityWithoutPeer(t *testing.T) {
	folder := imageFolder(t)
	tool.Refused(t, cli.ExitInput, []string{
		"spool: parity: /usr/bin/python3 (Python 3.0) lacks pillow: No module named 'PIL'. To install it in a virtual " +
			"environment:",
		"    python3 -m venv peers", "    peers/bin/pip install 'pillow==13.0.*'",
		"and then again with --python peers/bin/python",
	}, "parity", folder, "--against", "pillow", "--python", fakePython(t, "lacking"))
	self := fakePython(t, "stillborn")
	tool.Refused(t, cli.ExitInput, []string{"spool: parity: " + self + " ended: exit status 1: Illegal instruction"},
		"parity", folder, "--against", "pillow", "--python", self)
	tool.Refused(t, cli.ExitInput,
		[]string{"spool: parity: no nopython here: install Python 3, or name an interpreter with --python"},
		"parity", folder, "--against", "pillow", "--python", "nopython")

	o := tool.Run("parity", folder+"/a.png", folder+"/missing.png", "--against", "pillow", "--python",
		fakePython(t, "good"))
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Equal(t, []string{"spool: " + folder + "/missing.png: not-found: no such file or directory"},
		clitest.Lines(o.Stderr))
}

func TestDifference(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	a, b := make([]byte, 10007), make([]byte, 10007)
	sum, squares, most := 0.0, 0.0, 0.0
	for i := range a {
		a[i], b[i] = uint8(random.Uint32()), uint8(random.Uint32())
		apart := math.Abs(float64(a[i]) - float64(b[i]))
		sum, squares, most = sum+apart, squares+apart*apart, max(most, apart)
	}
	var d difference
	d.add(a[:5000], b[:5000])
	var rest difference
	rest.add(a[5000:], b[5000:])
	d.merge(&rest)
	n := float64(len(a))
	assert.Equal(t, int64(len(a)), d.samples())
	assert.InDelta(t, sum/n, d.mean(), 1e-9)
	assert.InDelta(t, 10*math.Log10(255*255*n/squares), d.psnr(), 1e-9)
	assert.Equal(t, int(most), d.largest())
	assert.False(t, d.equal())

	d = difference{}
	assert.Zero(t, d.mean())
	assert.Zero(t, d.percentile(0.99))
	assert.True(t, d.equal())
	d.add([]byte{0, 0, 0, 0}, []byte{0, 0, 9, 200})
	assert.Equal(t, []int{0, 9, 200}, []int{d.percentile(0.5), d.percentile(0.75), d.percentile(0.76)})
	d = difference{}
	d.add([]byte{7}, []byte{7})
	assert.True(t, math.IsInf(d.psnr(), 1))
}

// The script itself, with the real Pillow.
func TestParityAgainstPillow(t *testing.T) {
	python := need.Peer(t, "PIL.Image")
	args := []string{"parity", clitest.Media + "/photos/animal", clitest.Media + "/hard", "--against", "pillow", "--json",
		"--python", python}
	each, _ := parityLines(t, tool.Done(t,
		append(args, "--random", "3", "--profile", "exact", "--max-pixels", strconv.Itoa(1<<20))...))
	compared := 0
	for _, c := range each {
		if c.Figures != nil && c.Format == "jpeg" && (c.Filter.String() == "bilinear" || c.Filter.String() == "box") {
			compared++
			assert.LessOrEqual(t, c.Max, 2, "%+v", c)
		}
	}
	assert.Positive(t, compared)
	for _, more := range [][]string{{"--size", "50x40", "--mode", "fit"}, {"--resize-shorter", "70", "--crop", "64x64"},
		{"--crop", "1000x20"}} {
		each, _ := parityLines(t, tool.Done(t,
			append(append(args[:2:2], args[3:]...), append(more, "--profile", "exact")...)...))
		for _, c := range each {
			require.NotNil(t, c.Figures, "%+v", c)
			assert.LessOrEqual(t, c.Mean, 0.3, "%v of %s", more, c.File)
		}
	}
}

// An interrupted command leaves no interpreter running.
func TestParityInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	code := tool.Execute(ctx, []string{"parity", imageFolder(t), "--against", "pillow", "--python", fakePython(t, "good")},
		&stdout, &stderr)
	assert.Equal(t, cli.ExitInterrupted, code)
	assert.Equal(t, cli.Interrupted+"\n", stderr.String())
}
