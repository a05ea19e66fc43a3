package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
)

// Wrong calls end with code 2 and all of their problems, before any file is opened: none of these files exists.
func TestWrongUsage(t *testing.T) {
	const image, run = "spool decode image", "spool run images"
	for _, c := range []struct {
		args  string
		lines []string
	}{
		{"", []string{"spool: missing command: one of bench, cache, completion, decode, doctor, index, list, parity, probe, replay, run"}},
		{"nonsense", []string{`spool: unknown command "nonsense": use one of bench, cache, completion, decode, doctor, index, list, parity, probe, replay, run`}},
		{"prob x.jpg", []string{`spool: unknown command "prob": use one of bench, cache, completion, decode, doctor, index, list, parity, probe, replay, run`}},
		{"--nonsense", []string{"unknown flag: --nonsense"}},
		{"help nonsense", []string{`help: unknown command "nonsense"`}},
		{"run", []string{"spool run: missing command: one of audio, images, video"}},
		{"run videos x.mp4", []string{`spool run: unknown command "videos": use one of audio, images, video`}},
		{"decode sound x.mp3", []string{`spool decode: unknown command "sound": use one of audio, image, video`}},
		{"bench videos x.mp4", []string{`spool bench: unknown command "videos": use one of audio, codec, images, train, transfer, video, videofull`}},

		{"probe", []string{"spool probe: missing argument: the files to probe"}},
		{"probe --json=perhaps x.jpg", []string{"--json perhaps: true or false"}},
		{"doctor x", []string{"x is not a URL like s3://bucket/prefix or https://host/path"}},

		{"decode image", []string{image + ": missing argument: the file to decode", "missing --out: the output file, - for stdout"}},
		{"decode image a.jpg b.jpg --out x", []string{image + ": too many arguments: b.jpg"}},
		{"decode image a.jpg --out", []string{"flag needs an argument: --out"}},
		{"decode image a.jpg --out x --size 3 --mode squeeze --filter hermite --color cmyk --dtype int4 --layout hcw --orient=up",
			[]string{"--size 3: not a size like 224x224", "--mode squeeze: one of cover, fit, stretch",
				"--filter hermite: one of bicubic, bilinear, box, lanczos, nearest, nearest-exact, nearest-floor", "--color cmyk: one of bgr, gray, index, rgb, rgba",
				"--dtype int4: one of float16, float32, uint16, uint8", "--layout hcw: one of nchw, nhwc", "--orient up: true or false"}},
		{"decode image a.jpg --out x --size 0x3 --crop -1x2 --resize-shorter 0", []string{"--size 0x3: width and height are at least 1",
			"--crop -1x2: width and height are at least 1", "--resize-shorter 0: at least 1"}},
		{"decode image a.jpg --out x --resize-shorter big --accept 0 --fill grey --pad-color #12345 --alpha over:white",
			[]string{"--resize-shorter big: not a whole number", "--accept 0: a fraction above 0, at most 1; or refuse", "--fill grey: not a colour like #808080",
				"--pad-color #12345: not a colour like #808080", "--alpha over:white: not a colour like #808080"}},
		{"decode image a.jpg --out x --alpha mix --accept 1.1", []string{"--alpha mix: one of drop, keep, over:#rrggbb", "--accept 1.1: a fraction above 0, at most 1; or refuse"}},
		{"decode image a.jpg --out x --size 4x4 --resize-shorter 4", []string{"a size and a shorter side exclude each other"}},
		{"decode image a.jpg --out x --mode fit", []string{"mode fit needs a size"}},
		{"decode image a.jpg --out x --mode cover --size 4x4 --crop 2x2", []string{"mode cover and a crop exclude each other"}},
		{"decode image a.jpg --out x --size 4x400000", []string{"height 400000 is above the limit of 262144"}},
		{"decode image a.jpg --out x --mean 0.5", []string{"mean and std need a float type"}},
		{"decode image a.jpg --out x --dtype float32 --mean a --std 1,2", []string{"--mean a: not a list of numbers like 0.485,0.456,0.406", "std has 2 values for 3 channels"}},
		{"decode image a.jpg --out x --dtype float32 --std 0", []string{"std of 0"}},
		{"decode image a.jpg --out x --alpha keep --color gray", []string{"--alpha keep needs --color rgba"}},
		{"decode image a.jpg --out x --alpha keep --color bgr --layout nhwc --dtype float32", []string{"--alpha keep needs --color rgba"}},
		{"decode image a.jpg --out x --size 100x100 --crop 101x100", []string{"--crop 101x100 exceeds --size 100x100"}},
		{"decode image a.jpg --out x --resize-shorter 100 --crop 101x300 --dtype uint16 --std 1", []string{
			"--crop 101x300 exceeds --resize-shorter 100", "mean and std need a float type"}},
		{"decode image a.jpg --out x --frame -1 --allow svg,gif --profile best --icc=maybe --explain=2", []string{"--frame -1: a number from 0 up, or all",
			`--allow svg,gif: "gif" is not one of ["svg" "exr" "hdr" "pdf" "magick"]`, "--profile best: one of exact, fast, pillow",
			"--icc maybe: true or false", "--explain 2: true or false"}},
		{"decode image a.jpg --out x --jpeg own", []string{"--jpeg own: one of auto, turbo"}},
		{"bench train --files x --jpeg", []string{"flag needs an argument: --jpeg"}},
		{"decode image a.jpg --out x --frame last --dtype float16 --mean 1,2 --color gray", []string{"--frame last: a number from 0 up, or all",
			"mean has 2 values for 1 channels"}},
		{"run images x --save-first s.png --dtype float32", []string{"--save-first draws uint8 pixels with --color rgb and --layout nhwc"}},
		{"run images x --resize-shorter 256", []string{"the samples of a batch need one size: set Width and Height, or CropWidth and CropHeight"}},
		{"run images x --resize-shorter 200 --crop 224 --alpha keep --color bgr", []string{"--alpha keep needs --color rgba",
			"--crop 224x224 exceeds --resize-shorter 200"}},
		{"decode image a.jpg --out x --alpha over:#ffffff --color rgba", []string{"alpha cannot be kept and blended at once"}},
		{"decode image a.jpg --out x --max-pixels -1 --max-bytes 1GB --max-memory lots --max-frames x", []string{"--max-pixels -1: a number like 1048576 or 64MiB, or 0 for no limit",
			"--max-bytes 1GB: a number like 1048576 or 64MiB, or 0 for no limit", "--max-memory lots: a number like 1048576 or 64MiB, or 0 for no limit",
			"--max-frames x: a number like 1048576 or 64MiB, or 0 for no limit"}},

		{"run images", []string{run + ": missing argument: files, folders, globs, @lists, tables or tar shards to load"}},
		{"run images x --workers 0 --batch -3 --size 0 --epochs 0", []string{"--workers 0: a number from 1 to 1024, or auto for all cores", "--batch -3: at least 1",
			"--size 0: width and height are at least 1", "--epochs 0: at least 1"}},
		{"run images x --workers 1025 --batch 0 --size 3x --limit -1 --seed -1", []string{"--workers 1025: a number from 1 to 1024, or auto for all cores", "--batch 0: at least 1",
			"--size 3x: not a size like 224 or 224x224", "--limit -1: at least 0", "--seed -1: a whole number from 0 up"}},
		{"run images x --order random --last short --on-error ignore --max-failures 101% --workers some --cpu-share 1.5", []string{"--order random: one of any, exact", "--last short: one of drop, keep, pad",
			"--on-error ignore: one of fail, placeholder, skip", "--max-failures 101%: a percentage from 0% to 100%", "--workers some: a number from 1 to 1024, or auto for all cores", "--cpu-share 1.5: a number above 0, and at most 1"}},
		{"run images x --max-failures -1", []string{"--max-failures -1: a number of failures like 10, or a share of the samples like 1%"}},
		{"run images x --batch 99999999999999999999", []string{"--batch 99999999999999999999: not a whole number"}},
		{"run images --bogus --workers 0 x -q", []string{"unknown flag: --bogus (see " + run + " --help)", "unknown flag: -q (see " + run + " --help)",
			"--workers 0: a number from 1 to 1024, or auto for all cores"}},
		{"run images --bogus", []string{"unknown flag: --bogus (see " + run + " --help)"}},
		{"run images x --bogus --size 0 --batch", []string{"unknown flag: --bogus (see " + run + " --help)",
			"--size 0: width and height are at least 1", "flag needs an argument: --batch"}},

		{"decode video", []string{"spool decode video: missing argument: the file to decode", "missing --out: the output file, - for stdout"}},
		{"decode video a.mp4 --out x --frames 1,-2 --range 5:2 --times now --sample 0 --start soon", []string{"--frames 1,-2: not a list of frames like 0,10,7; the first is 0",
			"--range 5:2: not a range like 0:100 or 0:100:5", "--times now: not a list of seconds like 0.5,1.0", "--sample 0: at least 1",
			"--start soon: not a time in seconds, like 1.5", "--frames and --range and --times and --start and --sample exclude each other"}},
		{"decode video a.mp4 --out x --frames 1 --end 2 --sample 3", []string{"--frames and --end and --sample exclude each other"}},
		{"decode video a.mp4 --out x --start 2 --end 1 --on-damage hide --stream -1 --threads 0 --codec-option x", []string{"--on-damage hide: one of fail, repeat, skip",
			"--stream -1: at least 0", "--threads 0: at least 1", "--codec-option x: not of the form NAME=VALUE", "--start 2 is after --end 1"}},
		{"decode video a.mp4 --out x --size 4x4 --crop 5x5 --mean 1 --alpha keep", []string{"unknown flag: --alpha (see spool decode video --help)",
			"--crop 5x5 exceeds --size 4x4", "mean and std need a float type"}},
		{"decode audio a.mp3 --out x --rate 0 --channels none --dtype uint8 --layout nhwc --quality worst", []string{"--rate 0: at least 1", "--channels none: not a whole number",
			"--dtype uint8: one of float32, s16, s32", "--layout nhwc: one of ct, tc", "--quality worst: one of best, default, fast"}},
		{"decode audio a.mp3 --out x --start 2 --end 2", []string{"--end 2 is not after --start 2"}},
		{"decode audio a.mp3 --out x --start -1 --stream 1 --language eng", []string{"a start of -1 s", "a stream is chosen by number or by language"}},
		{"index", []string{"spool index: missing argument: the videos and tar shards to index"}},
		{"run video x --frames 0 --stride 0", []string{"--frames 0: at least 1", "--stride 0: at least 1"}},
		{"run video x --stride 2 --resize-shorter 9", []string{"the samples of a batch need one size: set Width and Height, or CropWidth and CropHeight",
			"a stride needs random clips: others are spread over the file"}},
		{"run audio x --duration 0 --rate fast", []string{"--duration 0: not a length in seconds, like 10 or 0.5", "--rate fast: not a whole number"}},
		{"run images x --headspace --state-out s", []string{"--headspace repeats the first batches: it has no --state-out"}},
		{"run images x --streaming --shuffle --epochs 2 --mix x=1 --headspace --rank 0 --world 2", []string{"--streaming excludes --shuffle: the order needs all names",
			"--streaming excludes --epochs: names are not kept for a second epoch", "--streaming excludes --mix: the mixture needs the number of samples",
			"--streaming excludes --headspace: the number of batches is unknown",
			"--streaming excludes --world: shares need the number of samples; give each process separate sources, with --rank 0 --world 1"}},
		{"run audio x --train --on-error placeholder", []string{"--train needs --duration", "--on-error placeholder needs --duration"}},
		{"bench video --frames 0 --workers 0", []string{"--frames 0: at least 1", "--workers 0: a number from 1 to 1024, or auto for all cores", "missing --files: what to load"}},

		{"parity", []string{"spool parity: missing argument: the files to compare", "missing --against: opencv, pillow, torchvision, turbo"}},
		{"parity x --against numpy --profile exact,best --plot chart.jpg --random 0", []string{"--against numpy: one of opencv, pillow, torchvision, turbo",
			"--profile exact,best: a list of exact, pillow and fast", "--plot chart.jpg: a name that ends in .png or .svg", "--random 0: at least 1"}},
		{"parity x --against torchvision --mode fit --size 3x3 --filter lanczos --random 2", []string{"--mode fit: torchvision does not support this",
			"--filter lanczos: torchvision does not support this", "--random draws sizes: not together with --size, --resize-shorter or --crop"}},

		{"bench codec", []string{"spool bench codec: missing argument: the codec to measure", "missing --files: what to decode"}},
		{"bench codec jpeg --files x --repeat 0 --size big", []string{"--repeat 0: at least 1", "--size big: not a whole number"}},
		{"bench transfer x --bytes 1MiB,0 --device tpu --repeat 0 --batches 0", []string{"--bytes 1MiB,0: a list like 1MiB,64MiB",
			"--device tpu: one of host, pinned and cuda:N", "--repeat 0: at least 1", "--batches 0: at least 1", "spool bench transfer: too many arguments: x"}},
		{"run images x --train --crop 7 --resize-shorter 8", []string{"--train chooses the crop: not with --resize-shorter or --crop"}},
		{"bench train x", []string{"missing --files: what to load"}},
		{"bench images x", []string{"missing --files: what to load"}},
		{"bench images --files x --repeat 0 --workers 0", []string{"--repeat 0: at least 1", "--workers 0: a number from 1 to 1024, or auto for all cores"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			var lines []string
			for _, line := range c.lines {
				lines = append(lines, "spool: usage: "+line)
			}
			tool.Refused(t, cli.ExitUsage, lines, strings.Fields(c.args)...)
		})
	}
}

// Features of later versions are unknown, not ignored.
func TestNotYet(t *testing.T) {
	for _, args := range []string{
		"run images x --rank 0", "run images x --world 2", "run images x --mix a=1",
		"run images x --frames 16", "run images x --rate 16000", "run images x --duration 1", "bench images --files x --frames 16",
		"parity x", "cache",
	} {
		assert.Equal(t, cli.ExitUsage, tool.Run(strings.Fields(args)...).Code, args)
	}
}

// A batch that does not fit into this machine's memory is wrong usage, found before anything is loaded.
func TestBatchThatDoesNotFit(t *testing.T) {
	for _, args := range [][]string{{"run", "images", clitest.Photo}, {"bench", "images", "--files", clitest.Photo}} {
		o := tool.Run(append(args, "--batch", "1000000", "--size", "40000")...)
		assert.Equal(t, cli.ExitUsage, o.Code)
		assert.Contains(t, o.Stderr, "spool: usage: --batch 1000000 --size 40000x40000: a batch of 4470348.4 GiB, this machine has ")
		assert.Len(t, clitest.Lines(o.Stderr), 1)
	}
}

// The value of a flag is not taken for a flag, and neither is a word after --.
func TestWordsWithDashes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	tool.Refused(t, cli.ExitInput, []string{"spool: --size: not-found: no such file or directory"}, "probe", "--", "--size")
	tool.Refused(t, cli.ExitInput, []string{"spool: -: not-found: no such file or directory"}, "probe", "-")
	tool.Refused(t, cli.ExitInput, []string{"spool: x.jpg: not-found: no such file or directory"}, "decode", "image", "x.jpg", "--out", "--icc")
	require.NoFileExists(t, filepath.Join(dir, "--icc"))
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range []string{"--help", "help", "help run images", "run images --help", "run images -h", "decode image --help", "probe -h", "bench --help", "completion bash"} {
		assert.NotEmpty(t, tool.Done(t, strings.Fields(args)...), args)
	}
	for _, flag := range []string{"--version", "-v"} {
		assert.Regexp(t, `^spool \S.* \(FFmpeg \d+\.\S+, .*libjpeg-turbo \d+\.\d+\.\d+, .*libvips \d+\.\d+\.\d+, .*\)\n$`, tool.Done(t, flag))
	}
}

// Shell completion knows a flag's words.
func TestCompletion(t *testing.T) {
	o := tool.Run("__complete", "run", "images", "--last", "")
	assert.Zero(t, o.Code)
	assert.Equal(t, []string{"drop", "keep", "pad", ":4"}, clitest.Lines(o.Stdout))
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("a bug") }

// Go's exit code of a panic is that of wrong usage; spool's is not.
func TestPanicIsInternal(t *testing.T) {
	var stderr strings.Builder
	code := tool.Execute(t.Context(), []string{"doctor", "--json"}, panicking{}, &stderr)
	assert.Equal(t, cli.ExitInternal, code)
	assert.Contains(t, stderr.String(), "spool: internal: panic: a bug\n")
}

// Output that cannot be written is an error, and only files that spool created are removed.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		need.Skip(t, need.System, "no /dev/full")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	for _, args := range [][]string{
		{"probe", clitest.Photo}, {"probe", clitest.Photo, "--json"}, {"doctor"}, {"doctor", "--json"}, {"decode", "image", clitest.Photo, "--out", "-"},
		{"run", "images", clitest.Photo}, {"run", "images", clitest.Photo, "--json"}, {"run", "images", clitest.Photo, "--digest"}, {"bench", "images", "--files", clitest.Photo},
	} {
		var stderr strings.Builder
		assert.Equal(t, cli.ExitInput, tool.Execute(t.Context(), args, full, &stderr), args)
		assert.Equal(t, "spool: /dev/full: io: no space left on device\n", stderr.String(), args)
	}
	tool.Refused(t, cli.ExitInput, []string{"spool: /dev/full: io: no space left on device"}, "decode", "image", clitest.Photo, "--out", "/dev/full")
	assert.Equal(t, "spool: /dev/full: io: no space left on device\n", tool.Run("run", "images", clitest.Photo, "--save-first", "/dev/full").Stderr)
	tool.Refused(t, cli.ExitInput, []string{"spool: /dev/full: io: no space left on device"}, "run", "images", clitest.Empty, "--ledger", "/dev/full")
	assert.FileExists(t, "/dev/full", "a device is not ours to remove")
}
