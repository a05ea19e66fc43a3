package catalog

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/probed"
)

// probedAs returns what probe --json prints about a file.
func probedAs(t testing.TB, file string) (p probed.File) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, "probe", "--json", file)), &p))
	require.Equal(t, file, string(p.File))
	return p
}

// formatNames are Pillow's names of formats, where spool's differ.
var formatNames = map[string]string{"ppm": "pnm", "jpeg2000": "jp2"}

func TestProbeImages(t *testing.T) {
	for name, want := range clitest.Expectations(t) {
		if want.Classes != nil {
			continue
		}
		got := probedAs(t, filepath.Join(clitest.Media, name))
		assert.Equal(t, "image", string(got.Kind), name)
		if format, ok := formatNames[want.Format]; ok {
			want.Format = format
		}
		assert.Equal(t, want.Format, got.Format, name)
		assert.EqualValues(t, want.Frames, got.Frames, name)
		if got.Orientation >= 5 { // sizes are as stored, Pillow's are upright
			got.Width, got.Height = got.Height, got.Width
		}
		assert.Equal(t, []int{want.Shape[0], want.Shape[1]}, []int{got.Height, got.Width}, name)
		channels := map[string]int{"1": 1, "L": 1, "I;16": 1, "LA": 2, "RGB": 3, "RGBA": 4, "CMYK": 4}[want.Mode]
		if channels > 0 && want.Format != "gif" && want.Format != "pnm" {
			assert.Equal(t, channels, got.Channels, name)
		}
		assert.Nil(t, got.Streams, name)
	}
	for orientation := range 8 {
		name := filepath.Join(clitest.Media, "hard/good/exif"+strconv.Itoa(orientation+1)+".jpg")
		assert.Equal(t, orientation+1, probedAs(t, name).Orientation)
	}
	assert.Equal(t, 16, probedAs(t, clitest.Media+"/hard/good/gray16.png").Bits)
}

// The keys are those of the contract, and those that do not apply are left out.
func TestProbeKeys(t *testing.T) {
	assert.JSONEq(t, `{"file":"`+clitest.Photo+`","kind":"image","format":"jpeg","width":451,"height":300,"channels":3,"bits":8,"frames":1,"orientation":1}`,
		tool.Done(t, "probe", clitest.Photo, "--json"))
	o := tool.Run("probe", "--json", clitest.Empty)
	assert.JSONEq(t, `{"file":"`+clitest.Empty+`","error":{"class":"empty","text":"zero bytes"}}`, o.Stdout)
	o = tool.Run("probe", "--json", clitest.Media+"/hard/bad/header_only.jpg")
	assert.JSONEq(t, `{"file":"`+clitest.Media+`/hard/bad/header_only.jpg","error":{"class":"truncated","text":"the data end within the header","library":"libjpeg-turbo","code":43}}`, o.Stdout)
	video := clitest.Media + "/video/turned.mp4"
	assert.JSONEq(t, `{"file":"`+video+`","kind":"video","format":"mov,mp4,m4a,3gp,3g2,mj2","width":64,"height":48,"bits":8,"frames":25,
		"duration_s":1,"rate":25,"streams":[{"index":0,"type":"video","codec":"h264","width":64,"height":48,"pix_fmt":"yuv420p",
		"rotation":90,"rate":25,"frames":25,"duration_s":1,"start_s":0,"best":true}]}`, tool.Done(t, "probe", "--json", video))
	audio := clitest.Media + "/audio/six.wav"
	assert.JSONEq(t, `{"file":"`+audio+`","kind":"audio","format":"wav","channels":6,"bits":16,"duration_s":0.1,"rate":8000,
		"streams":[{"index":0,"type":"audio","codec":"pcm_s16le","rate":8000,"channels":6,"layout":"5.1","duration_s":0.1,"start_s":0,"best":true}]}`,
		tool.Done(t, "probe", "--json", audio))
}

// Good files are printed in the given order, in spite of bad ones; each bad file is one line on stderr.
func TestProbeGoesOn(t *testing.T) {
	for _, flags := range [][]string{{}, {"--json"}} {
		o := tool.Run(append([]string{"probe", "nothing.jpg", clitest.Photo, clitest.Text, clitest.Empty, clitest.Media,
			clitest.Photo}, flags...)...)
		assert.Equal(t, cli.ExitInput, o.Code)
		problems := clitest.Lines(o.Stderr)
		assert.Equal(t, []string{"spool: nothing.jpg: not-found: no such file or directory",
			"spool: " + clitest.Empty + ": empty: zero bytes",
			"spool: " + clitest.Media + ": not-a-file: a folder, where a regular file is needed"}, slices.Delete(problems, 1, 2))
		assert.Contains(t, clitest.Lines(o.Stderr)[1], "spool: "+clitest.Text+": not-media: ")
		if len(flags) == 0 {
			line := clitest.Photo + ": image jpeg 451x300, 3 channels of 8 bits"
			assert.Equal(t, []string{line, line}, clitest.Lines(o.Stdout))
			continue
		}
		var classes []string
		for _, line := range clitest.Lines(o.Stdout) {
			var p probed.File
			require.NoError(t, json.Unmarshal([]byte(line), &p))
			if p.Error != nil {
				p.Kind = "error"
			}
			classes = append(classes, string(p.Kind))
		}
		assert.Equal(t, []string{"error", "image", "error", "error", "error", "image"}, classes)
	}
}

// Sizes, frames and codecs of video and audio are those of torchcodec.
func TestProbeSharedMedia(t *testing.T) {
	for name, want := range clitest.SharedMedia(t) {
		if want.Kind == "" && want.Audio == nil || want.Codec == "mjpeg" && filepath.Ext(name) == ".jpg" {
			continue // bad, or an image that FFmpeg takes for a video
		}
		got := probedAs(t, filepath.Join(clitest.Shared, name))
		switch want.Kind {
		case "image":
			assert.Equal(t, want.Kind, string(got.Kind), name)
			assert.EqualValues(t, want.Frames, got.Frames, name)
			if got.Orientation >= 5 {
				got.Width, got.Height = got.Height, got.Width
			}
			if want.Shape != nil { // otherwise Pillow did not decode it
				assert.Equal(t, []int{want.Shape[0], want.Shape[1]}, []int{got.Height, got.Width}, name)
			}
		case "video":
			assert.Equal(t, want.Kind, string(got.Kind), name)
			best := got.Streams[slices.IndexFunc(got.Streams, func(s probed.Stream) bool { return s.Best && s.Type == "video" })]
			assert.Equal(t, want.Codec, best.Codec, name)
			assert.Equal(t, []int{best.Width, best.Height}, []int{got.Width, got.Height}, name)
			if rotation, err := strconv.ParseFloat(want.Rotation, 64); err == nil {
				assert.Equal(t, rotation, best.Rotation, name)
				want.Width, want.Height = want.Height, want.Width // torchcodec's are upright, spool's as stored
			}
			assert.Equal(t, []int{want.Width, want.Height}, []int{got.Width, got.Height}, name)
			if got.Frames > 0 { // not every container counts them
				assert.EqualValues(t, want.Frames, got.Frames, name)
			}
			assert.Positive(t, got.Rate, name)
			assert.Positive(t, got.Bits, name)
		default:
			assert.Equal(t, "audio", string(got.Kind), name)
			assert.EqualValues(t, want.Audio.Rate, got.Rate, name)
			assert.Equal(t, want.Audio.Shape[0], got.Channels, name)
			if !strings.Contains(name, "truncated") { // declares more than it has
				assert.InDelta(t, float64(want.Audio.Shape[1])/got.Rate, got.Duration, 0.2, name) // some include an encoder's delay
			}
		}
	}
}

// The bad files in the contract have the class that it names, at no cost.
func TestProbeBadSharedMedia(t *testing.T) {
	clitest.SharedMedia(t)
	for name, classes := range map[string][]string{
		"hard/empty.jpg": {"empty"}, "hard/text.jpg": {"not-media"}, "hard/zeros.jpg": {"not-media"},
		"hard/header_only.jpg": {"truncated"},
		"hard/bomb.png":        {"too-large"}, "video/truncated.mp4": {"truncated", "corrupt"},
		"libvips/sample.hdr": {"unsupported"},
	} {
		o := tool.Run("probe", filepath.Join(clitest.Shared, name))
		assert.Equal(t, cli.ExitInput, o.Code, name)
		assert.Len(t, clitest.Lines(o.Stderr), 1, name)
		assert.Contains(t, classes, strings.Split(o.Stderr, ": ")[2], name)
	}
	for name, class := range map[string]string{
		"hard/empty.jpg": "empty", "hard/text.jpg": "not-media", "hard/zeros.jpg": "not-media",
		"hard/header_only.jpg": "truncated", "hard/truncated60.jpg": "truncated",
		"hard/truncated99.jpg": "truncated", "libvips/truncated.jpg": "truncated", "hard/bomb.png": "too-large",
	} {
		file := filepath.Join(clitest.Shared, name)
		for _, args := range [][]string{{"decode", "image", file, "--out", "-"}, {"run", "images", file},
			{"bench", "images", "--files", file}} {
			o := tool.Run(args...)
			assert.Equal(t, cli.ExitInput, o.Code, name)
			assert.Len(t, clitest.Lines(o.Stderr), 1, name)
			assert.True(t, strings.HasPrefix(o.Stderr, "spool: "+file+": "+class+": "), o.Stderr)
			assert.Empty(t, o.Stdout, name)
		}
	}
}
