package av_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/canary"
	"github.com/spoolmedia/spool/internal/need"
)

// openGraph opens a graph over a gray frame.
func openGraph(t *testing.T, c *call.Call, description string, options av.GraphOptions) error {
	t.Helper()
	in, err := av.Open(c, spool.File("testdata/av.mp4"), av.InputOptions{})
	require.NoError(t, err)
	defer in.Close()
	d := decode(t, c, in, av.Video, av.DecoderOptions{})
	require.True(t, d.next())
	inputs := []av.GraphInput{{Frame: d.frame, TimeBase: av.Ratio{Num: 1, Den: 25}}}
	g, err := av.NewGraph(c, description, inputs, options)
	if err == nil {
		require.NoError(t, g.Close())
	}
	return err
}

// TestGraphsOpenNoFiles checks that graphs whose filters name files or servers are refused before a filter exists. With
// GraphOptions.Files some of the graphs open the file, which shows that the test detects it.
func TestGraphsOpenNoFiles(t *testing.T) {
	c, file := enter(t, t.Context()), filepath.Join(t.TempDir(), "canary.cube")
	lut := "LUT_3D_SIZE 2\n" + strings.Repeat("0 0 0\n", 8)
	require.NoError(t, os.WriteFile(file, []byte(lut), 0o600))
	bird := canary.New(t, file)
	url := "http\\\\://" + strings.ReplaceAll(bird.Address, ":", "\\\\:") + "/x"
	for _, description := range []string{
		"lut3d=CANARY", "lut3d=file=CANARY", "lut3d=interp=nearest:file=CANARY", "lut3d@name=CANARY", "l\\ut3d=CANARY",
		"'lut3d'=CANARY", " null , lut3d = CANARY", "null,lut3d=CANARY", "split[a][b];[a]lut3d=CANARY[c];[c][b]hstack",
		"sws_flags=bilinear;lut3d=CANARY", "lut3d=f\\ile=CANARY", "lut1d=CANARY",
		"curves=psfile=CANARY", "curves=plot=CANARY",
		"metadata=print:file=CANARY", "metadata=mode=print:file=CANARY", "split,psnr=f=CANARY", "split,psnr=CANARY",
		"split,ssim=stats_file=CANARY", "movie=CANARY[a];[a]hstack", "movie=" + url + "[a];[a]hstack",
		"amovie=CANARY,anullsink;null", "subtitles=CANARY", "subtitles=f=CANARY", "ass=CANARY", "drawtext=textfile=CANARY",
		"drawtext=text=x:fontfile=CANARY",
		"drawtext=text=x", "sendcmd=f=CANARY", "sendcmd=c='0 lut3d file CANARY',lut3d", "zmq", "removelogo=CANARY",
		"deshake=filename=CANARY", "signature=filename=CANARY", "frei0r=CANARY", "nnedi=weights=CANARY",
		"hue=/h=CANARY", "scale=/w=CANARY:h=8", "libplacebo=custom_shader_path=CANARY", "showcqt",
	} {
		name := regexp.MustCompile(`[a-z_0-9]+[@=]|$`).FindString(description)
		err := openGraph(t, c, strings.ReplaceAll(description, "CANARY", file), av.GraphOptions{})
		assert.ErrorIs(t, err, spool.ErrOptions, "%s: %s", name, description)
		assert.False(t, bird.Opened(), description)
	}
	assert.False(t, bird.Asked(), "a server was asked")

	for _, description := range []string{"lut3d=", "lut3d@name=interp=nearest:file=", "null,lut3d=f\\ile="} {
		err := openGraph(t, c, description+file, av.GraphOptions{})
		require.ErrorContains(t, err, "of the filter lut3d, which opens a file", description)
		assert.NoError(t, openGraph(t, c, description+file, av.GraphOptions{Files: true}), description)
		assert.True(t, bird.Opened(), description)
	}
	for _, description := range []string{"null", "lut3d", "curves=vintage", "hflip,crop=8:8", "metadata=print",
		"geq=lum=X:cb=1:cr=1", "split[a][b];[a][b]hstack", "scale=8:-1:flags=bilinear", "sws_flags=bilinear;scale=8:8",
		"drawbox=0:0:8:8:red@0.5",
		"\n[in] null [out]\n"} {
		assert.NoError(t, openGraph(t, c, strings.ReplaceAll(description, "[in] ", ""), av.GraphOptions{}), description)
	}
}

// TestFilterOptionsAreKnown checks that the options of the system's filters that are about files, by name or
// explanation, are refused. A new FFmpeg may bring others.
func TestFilterOptionsAreKnown(t *testing.T) {
	c, filters := enter(t, t.Context()), av.Filters()
	text, err := exec.CommandContext(t.Context(), need.Command(t, "ffmpeg"), "-hide_banner", "-h", "full").Output()
	require.NoError(t, err)
	about := regexp.MustCompile(`(?i)\bfile|filename|\bpath\b|librar|plugin|address|\burl\b|\bdirectory\b`)
	option := regexp.MustCompile(`(?m)^ +-?(\w+) +<string> +\S+ *(.*)$`)
	harmless := []string{ // data, formats, and names of what a filter makes in the graph
		"ass.original_size", "libvmaf.log_fmt", "xfade_opencl.kernel", "program_opencl.kernel", "ssim360.heatmap_str"}
	checked := 0
	for section := range strings.SplitSeq(string(text), "\n\n") {
		title, options, _ := strings.Cut(section, " AVOptions:\n")
		title = title[strings.LastIndex(title, "\n")+1:]
		for _, filter := range slices.Compact([]string{ // "(a)metadata" is of two filters
			strings.Replace(title, "(a)", "", 1), strings.Replace(title, "(a)", "a", 1)}) {
			if !slices.Contains(filters, filter) {
				continue
			}
			for _, o := range option.FindAllStringSubmatch(options, -1) {
				if !about.MatchString(o[1]+" "+o[2]) || slices.Contains(harmless, filter+"."+o[1]) {
					continue
				}
				checked++
				err := openGraph(t, c, filter+"="+o[1]+"=canary", av.GraphOptions{})
				require.ErrorIs(t, err, spool.ErrOptions, "%s=%s", filter, o[1])
				assert.ErrorContains(t, err, ", which opens ", "%s=%s", filter, o[1])
			}
		}
	}
	assert.Greater(t, checked, 40)
}
