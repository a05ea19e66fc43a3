package catalog

import (
	"archive/tar"
	"bytes"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
)

// members packs sources with flags, and returns the members of the first shard. The number of workers and the state of
// memory do not change the bytes.
func members(t *testing.T, args ...string) (names []string, data map[string][]byte) {
	t.Helper()
	var manifests []string
	var folder string
	for _, workers := range []string{"1", "3"} {
		folder = filepath.Join(t.TempDir(), "packed")
		tool.Done(t, append([]string{"pack", "--out", folder, "--workers", workers, "--per-shard", "1000"}, args...)...)
		manifest, err := os.ReadFile(folder + "/manifest.json")
		require.NoError(t, err)
		manifests = append(manifests, string(manifest))
	}
	assert.Equal(t, manifests[0], manifests[1])
	tool.Done(t, "verify", folder)
	in, err := os.Open(folder + "/000000.tar")
	require.NoError(t, err)
	defer in.Close()
	data = map[string][]byte{}
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if err == io.EOF { //nolint:errorlint // as documented
			return names, data
		}
		require.NoError(t, err)
		names = append(names, h.Name)
		data[h.Name], err = io.ReadAll(r)
		require.NoError(t, err)
	}
}

// ffprobe returns what the command says of a file.
func ffprobe(t *testing.T, file []byte, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	args = append([]string{"-loglevel", "error", "-of", "csv=p=0", path}, args...)
	out, err := exec.Command("ffprobe", args...).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// numbers are those at the ends of the lines that ffprobe prints.
func numbers(t *testing.T, text string) (all []float64) {
	t.Helper()
	for line := range strings.FieldsSeq(text) {
		x, err := strconv.ParseFloat(strings.Trim(line, ","), 64)
		require.NoError(t, err)
		all = append(all, x)
	}
	return all
}

// psnr is that of two videos, frame by frame, by the ffmpeg command.
func psnr(t *testing.T, a []byte, b, filters string) float64 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, a, 0o600))
	filter := "[0:v]settb=1/25,setpts=N[a];[1:v]" + filters + "settb=1/25,setpts=N[b];[a][b]psnr"
	out, err := exec.Command("ffmpeg", "-i", path, "-i", b, "-lavfi", filter, "-f", "null", "-").CombinedOutput()
	require.NoError(t, err, string(out))
	_, after, found := strings.Cut(string(out), " average:")
	require.True(t, found, string(out))
	return numbers(t, strings.Fields(after)[0])[0]
}

// Videos are encoded with key frames at equal distances, with the frames, times and pictures of the originals.
func TestPackVideo(t *testing.T) {
	need.Command(t, "ffprobe")
	vfr := clitest.Media + "/video/vfr.mp4"
	videos := short.Of([]string{clitest.Media + "/video/bframes.mp4", vfr}, []string{vfr})
	entries := func(what string) []string { return []string{"-select_streams", "v", "-show_entries", what} }
	for codec, least := range map[string]float64{"h264": 36, "av1": 34, "vp9": 34, "mpeg4": 34} {
		t.Run(codec, func(t *testing.T) {
			args := append([]string{"--kind", "video", "--video-codec", codec, "--gop", "8"}, videos...)
			names, data := members(t, args...)
			require.Equal(t, []string{"000000000.mp4", "000000001.mp4"}[:len(videos)], names)
			for i, from := range videos {
				to := data[names[i]]
				original, err := os.ReadFile(from)
				require.NoError(t, err)
				assert.Equal(t, codec+",64,48", ffprobe(t, to, entries("stream=codec_name,width,height")...))
				want := numbers(t, ffprobe(t, original, entries("frame=pts_time")...))
				got := numbers(t, ffprobe(t, to, entries("frame=pts_time")...))
				assert.InDeltaSlice(t, want, got, 0.001)
				for k, key := range numbers(t, ffprobe(t, to, entries("frame=key_frame")...)) {
					assert.Equal(t, k%8 == 0, key == 1, "frame %d", k)
				}
				assert.Greater(t, psnr(t, to, from, ""), least)
			}
		})
	}
}

// SVT-AV1, which has no small frames, encodes these.
func TestPackLargeAV1(t *testing.T) {
	need.Command(t, "ffprobe")
	names, data := members(t, clitest.Media+"/video/bframes.mp4", "--kind", "video", "--video-codec", "av1", "--size",
		"128x96", "--crf", "30")
	assert.Equal(t, "av1,128,96,25", ffprobe(t, data[names[0]], "-count_frames", "-show_entries",
		"stream=codec_name,width,height,nb_read_frames"))
}

// A clip has the frames and the sound of its window: of equal windows, and of the rows of a table. Sides become even.
func TestPackClips(t *testing.T) {
	need.Command(t, "ffprobe")
	folder := t.TempDir()
	from := folder + "/a.mp4"
	out, err := exec.Command("ffmpeg", "-loglevel", "error", "-i", clitest.Media+"/video/bframes.mp4", "-f", "lavfi", "-i",
		"sine=440:sample_rate=44100:duration=1", "-c:v", "copy", "-c:a", "aac", from).CombinedOutput()
	require.NoError(t, err, string(out))
	frames := func(file []byte) int {
		return len(strings.Fields(ffprobe(t, file, "-select_streams", "v", "-show_entries", "frame=pts_time")))
	}
	sound := func(file []byte) float64 {
		return numbers(t, ffprobe(t, file, "-select_streams", "a", "-show_entries", "stream=duration"))[0]
	}
	names, data := members(t, from, "--kind", "video", "--video-codec", "h264", "--windows", "0.4", "--crf", "10")
	require.Len(t, names, 3)
	for i, want := range []int{10, 10, 5} {
		file := data[names[i]]
		assert.Equal(t, want, frames(file))
		assert.InDelta(t, float64(want)/25, sound(file), 0.025)
		part := "trim=start_frame=" + strconv.Itoa(10*i) + ":end_frame=" + strconv.Itoa(10*i+want) + ","
		assert.Greater(t, psnr(t, file, from, part), 36.0)
	}
	table := folder + "/t.csv"
	require.NoError(t, os.WriteFile(table, []byte("path,start,end\na.mp4,0.2,0.6\na.mp4,,\n"), 0o600))
	names, data = members(t, table, "--kind", "video", "--video-codec", "mpeg4", "--resize-shorter", "37",
		"--audio-codec", "opus")
	assert.Equal(t, 10, frames(data[names[0]]))
	assert.Equal(t, 25, frames(data[names[1]]))
	assert.Equal(t, "mpeg4,48,36\nopus", ffprobe(t, data[names[0]], "-show_entries", "stream=codec_name,width,height"))
	texts := folder + "/texts.csv"
	rows := "film,text,start,end\na.mp4,ten,0.2,0.6\na.mp4,all,,\na.mp4,no,0,1\n"
	require.NoError(t, os.WriteFile(texts, []byte(rows), 0o600))
	names, data = members(t, texts, "--kind", "video", "--video-codec", "mpeg4", "--members", "mp4=film", "--values",
		"txt=text", "--where", "text != 'no'")
	require.Equal(t, []string{"000000000.mp4", "000000000.txt", "000000001.mp4", "000000001.txt"}, names)
	assert.Equal(t, 10, frames(data[names[0]]))
	assert.Equal(t, "ten", string(data[names[1]]))
	assert.Equal(t, 25, frames(data[names[2]]))
	names, data = members(t, texts, "--kind", "video", "--video-codec", "mpeg4", "--members", "mp4=film", "--values",
		"txt=text", "--windows", "0.2", "--where", "text == 'ten'")
	require.Equal(t, []string{"000000000.mp4", "000000000.txt", "000000001.mp4", "000000001.txt"}, names)
	assert.Equal(t, 5, frames(data[names[2]]))
	assert.Equal(t, "ten", string(data[names[3]]))
	o := tool.Run("pack", texts, "--kind", "video", "--members", "mp4=film", "--out", filepath.Join(folder, "packed"))
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Contains(t, o.Stderr, "a.mp4: unsupported: the part [0.2, 0.6) of a file cannot be packed as it is")
	o = tool.Run("pack", table, "--kind", "video", "--out", filepath.Join(folder, "unpacked"))
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Contains(t, o.Stderr, "a.mp4: unsupported: the part [0.2, 0.6) of a file cannot be packed as it is")
}

// FLAC has the samples of the original, and Opus about its length; a row of a table is a part.
func TestPackAudio(t *testing.T) {
	need.Command(t, "ffprobe")
	samples := func(file string, more ...string) []byte {
		args := append([]string{"-loglevel", "error", "-i", file}, more...)
		out, err := exec.Command("ffmpeg", append(args, "-f", "s32le", "-")...).Output()
		require.NoError(t, err)
		return out
	}
	folder := t.TempDir()
	written := func(data []byte) string {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		return path
	}
	for _, name := range short.Some([]string{"s16.wav", "s24.wav", "six.wav", "u8.wav", "stereo.flac", "alac.m4a"}, 5) {
		from := clitest.Media + "/audio/" + name
		names, data := members(t, from, "--kind", "audio", "--audio-codec", "flac")
		require.Equal(t, []string{"000000000.flac"}, names)
		assert.Equal(t, "flac", ffprobe(t, data[names[0]], "-show_entries", "stream=codec_name"))
		assert.True(t, bytes.Equal(samples(from), samples(written(data[names[0]]))), name)
	}
	wav, err := filepath.Abs(clitest.Media + "/audio/s16.wav")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(folder+"/t.csv", []byte("path,start,end\n"+wav+",0.1,0.3\n"), 0o600))
	names, data := members(t, folder+"/t.csv", "--kind", "audio", "--audio-codec", "flac")
	assert.True(t, bytes.Equal(samples(wav, "-af", "atrim=0.1:0.3"), samples(written(data[names[0]]))))

	names, data = members(t, wav, "--kind", "audio", "--audio-codec", "opus", "--rate", "16000", "--channels", "1")
	assert.Equal(t, []string{"000000000.opus"}, names)
	assert.Equal(t, "opus,1", ffprobe(t, data[names[0]], "-show_entries", "stream=codec_name,channels"))
	assert.InDelta(t, numbers(t, ffprobe(t, content(t, wav), "-show_entries", "format=duration"))[0],
		numbers(t, ffprobe(t, data[names[0]], "-show_entries", "format=duration"))[0], 0.03)
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

// Each field of a record changes by its kind: a photo becomes AVIF, a mask keeps its values, text and bytes stay.
func TestPackFields(t *testing.T) {
	folder := t.TempDir()
	mask := image.NewGray(image.Rect(0, 0, 60, 40))
	for i := range mask.Pix {
		mask.Pix[i] = uint8(i % 60 / 20 * 100)
	}
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, mask))
	wav, err := os.ReadFile(clitest.Media + "/audio/s16.wav")
	require.NoError(t, err)
	clitest.Pack(t, folder+"/a.tar", map[string][]byte{"1.jpg": clitest.Content(t, "photos/animal/00.jpg"),
		"1.seg.png": file.Bytes(), "1.txt": []byte("one"), "1.bin": {1, 2}, "1.wav": wav})
	names, data := members(t, folder+"/a.tar", "--members", "jpg,seg.png,txt,bin,wav", "--masks", "seg.png",
		"--size", "30x20", "--convert", "avif", "--audio-codec", "flac")
	assert.Equal(t, []string{"000000000.avif", "000000000.seg.png", "000000000.txt", "000000000.bin",
		"000000000.flac"}, names)
	assert.Equal(t, "one", string(data[names[2]]))
	assert.Equal(t, []byte{1, 2}, data[names[3]])
	small, err := png.Decode(bytes.NewReader(data[names[1]]))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 30, 20), small.Bounds())
	for x := range 30 {
		v, _, _, _ := small.At(x, 7).RGBA()
		assert.Equal(t, x/10*100, int(v>>8), "column %d", x)
	}
	path := filepath.Join(folder, "a.avif")
	require.NoError(t, os.WriteFile(path, data[names[0]], 0o600))
	got := tool.Decoded(t, "image", path)
	want := tool.Decoded(t, "image", clitest.Media+"/photos/animal/00.jpg", "--size", "30x20")
	require.Equal(t, want.Shape, got.Shape)
	difference := 0
	for i, v := range want.Data {
		d := int(v) - int(got.Data[i])
		difference += max(d, -d)
	}
	assert.Less(t, difference, 12*len(want.Data), "on average")
}

// Flags that do not fit together are refused, and an encoder that is missing is named with those that there are.
func TestPackTranscodeMistakes(t *testing.T) {
	for _, wrong := range []string{"--gop 8", "--crf 8", "--video-codec h264 --crf 52", "--video-codec gif",
		"--windows 2",
		"--windows x --video-codec h264", "--windows 2 --video-codec h264 --shard-bytes 1MiB",
		"--audio-codec mp3", "--rate 8000", "--masks png"} {
		args := append([]string{"pack", clitest.Media + "/video", "--kind", "video", "--out", t.TempDir()},
			strings.Fields(wrong)...)
		assert.Equal(t, cli.ExitUsage, tool.Run(args...).Code, wrong)
	}
	v := videoTranscoding{codec: "none"}
	err := v.choose()
	require.ErrorIs(t, err, spool.ErrUnsupported)
	assert.Contains(t, err.Error(), "this build has no encoder of none that packs use; its encoders of video are ")
	assert.Contains(t, err.Error(), "mpeg4")
}
