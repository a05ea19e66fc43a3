package av_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
)

// convertible returns the pixel formats that the ffmpeg command can convert from.
func convertible(t *testing.T) []string {
	var formats []string
	lines := bufio.NewScanner(bytes.NewReader(ffmpeg(t, "-pix_fmts")))
	listed := false
	for lines.Scan() {
		line := lines.Text()
		fields := strings.Fields(line)
		if listed && len(fields) > 2 && line[0] == 'I' && line[2] == '.' {
			formats = append(formats, fields[1])
		}
		listed = listed || strings.HasPrefix(line, "-----")
	}
	require.Greater(t, len(formats), 150)
	return formats
}

// tagged is a frame of raw samples with the color metadata of its stream.
type tagged struct {
	format        string
	width, height int
	color         av.Color
	file          string
}

var (
	ranges   = []string{"unknown", "tv", "pc"}
	matrices = map[int32]string{0: "rgb", 1: "bt709", 2: "unknown", 4: "fcc", 5: "bt470bg", 6: "smpte170m", 7: "smpte240m",
		9: "bt2020nc", 10: "bt2020c"}
	// Both sides even, one odd, both odd; several bands of rows, and sizes smaller than the chroma subsampling of 4:1:0.
	sizes = [][2]int{{98, 52}, {99, 52}, {98, 51}, {99, 51}, {6, 4}, {5, 3}}
)

// table returns a format in each size and range, with the matrices in turn.
func table(dir, format string) []tagged {
	var cases []tagged
	order := []int32{2, 1, 5, 9, 0, 6, 7, 4}
	if !later { // rejected by FFmpeg 7's filters
		order = append(order, 10)
	}
	for _, size := range sizes {
		for r := range ranges {
			matrix := order[len(cases)%len(order)]
			if r == 0 && size == sizes[0] {
				matrix = 2
			}
			cases = append(cases, tagged{format, size[0], size[1], av.Color{Matrix: matrix, Range: int32(r)},
				filepath.Join(dir, format+strconv.Itoa(len(cases)))})
		}
	}
	return cases
}

// lowBits matches formats whose samples are the low bits of words, and captures their depth.
var lowBits = regexp.MustCompile(`^(?:yuva?4..p|gbra?p|gray|yuv444p)(9|1[024])(le|be)$`)

// noise returns random samples of a format for a frame.
func noise(rng *rand.Rand, format string, pixels int) []byte {
	content := make([]byte, 16*pixels+4096)
	for i := range content {
		content[i] = byte(rng.Uint32())
	}
	low := lowBits.FindStringSubmatch(format)
	for i := 0; i+4 <= len(content); i += 4 {
		switch {
		case strings.HasSuffix(format, "f32le"):
			binary.LittleEndian.PutUint32(content[i:], math.Float32bits(rng.Float32()))
		case strings.HasSuffix(format, "f32be"):
			binary.BigEndian.PutUint32(content[i:], math.Float32bits(rng.Float32()))
		case low != nil:
			depth, _ := strconv.Atoi(low[1])
			first := 1 // offset of the words' high bytes
			if low[2] == "be" {
				first = 0
			}
			content[i+first] &= 1<<(depth-8) - 1
			content[i+first+2] &= 1<<(depth-8) - 1
		}
	}
	return content
}

// convertFrames converts frames with the ffmpeg command's defaults, to 8 bits and to 16.
func convertFrames(t *testing.T, cases []tagged) {
	arguments := []string{"-filter_threads", "1"} // each thread would convert its part of a Bayer pattern separately
	for _, c := range cases {
		arguments = append(arguments, "-color_range", ranges[c.color.Range], "-colorspace", matrices[c.color.Matrix],
			"-f", "rawvideo", "-pixel_format", c.format, "-video_size", fmt.Sprintf("%dx%d", c.width, c.height), "-i", c.file)
	}
	for i, c := range cases {
		for _, to := range []string{"rgb24", "rgb48"} {
			arguments = append(arguments, "-map", strconv.Itoa(i), "-frames:v", "1", "-pix_fmt", to, "-f", "rawvideo",
				c.file+"."+to)
		}
	}
	ffmpeg(t, arguments...)
}

// converted returns the output of convertFrames for a frame.
func converted(t *testing.T, c tagged) (shallow, deep []byte) {
	shallow, err := os.ReadFile(c.file + ".rgb24")
	require.NoError(t, err)
	deep, err = os.ReadFile(c.file + ".rgb48")
	require.NoError(t, err)
	return shallow, deep
}

// frameOf decodes the first frame of a table's file.
func frameOf(t *testing.T, entered *call.Call, c tagged) *av.Frame {
	in := open(t, entered, spool.File(c.file), av.InputOptions{Format: "rawvideo",
		Options: map[string]string{"pixel_format": c.format, "video_size": fmt.Sprintf("%dx%d", c.width, c.height)}})
	parameters, err := in.Parameters(0)
	require.NoError(t, err)
	parameters.Color = c.color
	decoder, err := av.NewDecoder(entered, parameters, av.DecoderOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, decoder.Close()) })
	d := &decoding{t: t, c: entered, in: in, decoder: decoder, packet: newPacket(t), frame: newFrame(t)}
	require.True(t, d.next())
	return d.frame
}

// Frames of each pixel format, size, range and matrix equal the output of the ffmpeg command without options.
func TestEveryPixelFormat(t *testing.T) {
	const seed = 18
	const together = 8 // formats per run of the command, whose start takes longer than one format
	formats := convertible(t)
	if testing.Short() {
		formats = formats[:together]
	}
	for first := 0; first < len(formats); first += together {
		dir := t.TempDir()
		var batch []tagged
		for i := first; i < min(first+together, len(formats)); i++ {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			cases := table(dir, formats[i])
			for _, c := range cases {
				require.NoError(t, os.WriteFile(c.file, noise(rng, c.format, c.width*c.height), 0o600))
			}
			batch = append(batch, cases...)
		}
		convertFrames(t, batch)
		for cases := range slices.Chunk(batch, len(sizes)*len(ranges)) {
			t.Run(cases[0].format, func(t *testing.T) { asConverted(t, cases) })
		}
		require.NoError(t, os.RemoveAll(dir)) // several megabytes
	}
}

// asConverted compares frames of a pixel format with the output of convertFrames.
func asConverted(t *testing.T, cases []tagged) {
	entered := enter(t, t.Context())
	var scaler av.Scaler
	defer scaler.Close()
	for _, c := range cases {
		want, deep := converted(t, c)
		f := frameOf(t, entered, c)
		name := fmt.Sprintf("%dx%d, %s, %s", c.width, c.height, ranges[c.color.Range], matrices[c.color.Matrix])
		equal(t, want, rgb(t, entered, &scaler, f), name)
		got := rows(t, entered, &scaler, f, 0, f.Height, spool.Uint16)
		if halved.MatchString(c.format) && c.width%2 == 1 && c.height%2 == 0 {
			complete(t, c, want, deep, got)
		}
		equal(t, deep, got, name+", 16 bits")
	}
}

// halved matches formats for which the ffmpeg command omits the last column of an odd width in 16 bits.
var halved = regexp.MustCompile(`^yuv(j?4(20|22)|a420)p$`)

// complete copies the last column from our pixels to the command's 16-bit pixels, which lack it. On even rows it must
// be close to the 8-bit column. For odd rows of 4:2:2 FFmpeg uses other chroma rows.
func complete(t *testing.T, c tagged, shallow, deep, got []byte) {
	for y := range c.height {
		end := (y + 1) * c.width * 3
		for i := end - 3; i < end; i++ {
			if y%2 == 0 {
				require.InDelta(t, shallow[i], got[2*i+1], 6, "%dx%d, row %d", c.width, c.height, y)
			}
			copy(deep[2*i:], got[2*i:2*i+2])
		}
	}
}

func equal(t *testing.T, want, got []byte, name string) {
	if !bytes.Equal(want, got) {
		mean, worst := difference(want, got)
		assert.Fail(t, "other bytes", "%s: mean %.3f, max %d", name, mean, worst)
	}
}
