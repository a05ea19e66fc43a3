package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/settings"
)

// headers returns spool.h and the headers that it includes.
func headers(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("spool*.h")
	require.NoError(t, err)
	require.Contains(t, names, "spool.h")
	return names
}

// The library exports what the headers declare, and nothing else.
func TestSymbols(t *testing.T) {
	var declared []string
	for _, name := range headers(t) {
		header, err := os.ReadFile(name)
		require.NoError(t, err)
		text := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(string(header), "")
		text = regexp.MustCompile(`(?m)^typedef .*\(.*$`).ReplaceAllString(text, "") // the caller's functions
		for _, m := range regexp.MustCompile(`(?m)^[a-z][a-z0-9_ ]*?[ *](spool_\w+)\(`).FindAllStringSubmatch(text, -1) {
			declared = append(declared, m[1])
		}
	}
	slices.Sort(declared)
	require.NotEmpty(t, declared)

	script, err := os.ReadFile("spool.map")
	require.NoError(t, err)
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^ +(spool_\w+);`).FindAllStringSubmatch(string(script), -1) {
		listed = append(listed, m[1])
	}
	assert.Equal(t, declared, listed, "spool.map, sorted")

	symbols, err := exec.Command("nm", "-D", "--defined-only", filepath.Join(built(t), "libspool.so")).Output()
	require.NoError(t, err)
	var seen []string
	for line := range strings.Lines(string(symbols)) {
		if words := strings.Fields(line); words[1] != "A" { // the symbol of the version
			name, version, _ := strings.Cut(words[2], "@@")
			assert.Equal(t, "SPOOL_1", version, name)
			seen = append(seen, name)
		}
	}
	assert.Equal(t, declared, seen)
}

// Each header compiles as old and new C and C++, and without the other headers.
func TestHeader(t *testing.T) {
	for _, c := range [][]string{{"gcc", "-xc", "-std=c99"}, {"gcc", "-xc", "-std=c17"}, {"g++", "-xc++", "-std=c++11"},
		{"g++", "-xc++", "-std=c++20"}} {
		args := slices.Concat(c[1:], []string{"-Wall", "-Wextra", "-Werror", "-pedantic", "-Wstrict-aliasing",
			"-fsyntax-only"})
		if c[0] == "gcc" {
			args = append(args, "-Wstrict-prototypes")
		}
		for _, name := range headers(t) {
			out, err := exec.Command(c[0], append(slices.Clone(args), name)...).CombinedOutput()
			assert.NoError(t, err, "%v %s: %s", c, name, out)
		}
	}
}

// The sizes of structs are part of the ABI, since programs are compiled with them.
func TestSizes(t *testing.T) {
	program := compile(t, "testdata/sizes.c")
	assert.Equal(t, "spool_error 8296\nspool_array_view 176\nspool_source 32\nspool_region 40\nspool_image_report "+
		"152\nspool_frame 32\nspool_clip 232\nspool_audio_samples 24\nspool_listing 48\nspool_packet 48\nspool_member 24\n"+
		"spool_graph_input 40\nspool_graph_output 32\n", start(t, "", program))
}

// Images have the same pixels as in Go, for files and bytes, in the library's and the caller's memory.
func TestImages(t *testing.T) {
	specs := []string{`{}`, `{"size": [60, 40]}`,
		`{"size": "33x44", "mode": "fit", "pad_color": "#102030", "layout": "nchw"}`,
		`{"resize_shorter": 40, "crop": [32, 32], "filter": "bicubic", "dtype": "float32", "mean": [0.5, 0.4, 0.3], "std": 0.2}`,
		`{"size": "48x48", "mode": "cover", "profile": "fast", "color": "bgr", "dtype": "float16"}`,
		`{"color": "gray", "orient": false, "dtype": "uint16"}`, `{"alpha": "keep", "box": [3, 4, 20, 21], "flip_x": 1}`,
		`{"frame": "all", "size": "10x10"}`}
	files := slices.Concat(photos(t, 2),
		[]string{testdata + "/hard/good/gray.png", testdata + "/hard/good/anim.gif", testdata + "/hard/good/lossy.webp",
			testdata + "/hard/bad/truncated.bmp"})
	var input strings.Builder
	out := t.TempDir()
	for i, spec := range specs {
		for k, file := range files {
			fmt.Fprintf(&input, "%s\t%s\t%s/%d-%d\n", spec, file, out, i, k)
		}
	}
	lines := strings.Split(start(t, input.String(), compile(t, "testdata/images.c", sanitized...)), "\n")
	for i, spec := range specs {
		for k, file := range files {
			t.Run(fmt.Sprintf("%s %s", spec, filepath.Base(file)), func(t *testing.T) {
				want, pixels := inGo(t, spec, file)
				assert.Equal(t, want, lines[i*len(files)+k])
				if pixels != nil {
					got, err := os.ReadFile(fmt.Sprintf("%s/%d-%d", out, i, k))
					require.NoError(t, err)
					assert.Equal(t, pixels, got)
				}
			})
		}
	}
}

// inGo returns what testdata/images.c prints for a file, and its pixels, from package decode.
func inGo(t *testing.T, json, file string) (line string, pixels []byte) {
	t.Helper()
	var (
		s settings.Set
		o settings.DecodeImage
	)
	image := spool_image_spec{}
	s.Augment(&o.Spec.Resize, &image.augment, &image.ops)
	judge := s.DecodeImage(&o)
	s.JSON([]byte(json))
	judge()
	require.NoError(t, s.Err())
	image.DecodeImage = o
	d, err := decoders.New(o.Options)
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	image.decoder = &decoder{Set: d}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	b, report, err := image.image(context.Background(), spool.Bytes{Data: data})
	if class := spool.ClassOf(err); class != "" {
		status, name := classify(err)
		return fmt.Sprintf("%d %s %s", status, name, file), nil
	}
	require.NoError(t, err)
	defer b.Release()
	desc := b.Desc()
	line = fmt.Sprintf("%d %d %v %v; %dx%d", dtypes[desc.DType], 8*desc.DType.Size(), desc.Layout,
		strings.Trim(desc.Shape.String(), "[]"), report.Info.Width, report.Info.Height)
	return line, slices.Clone(b.Bytes())
}

func TestHandles(t *testing.T) {
	start(t, "", compile(t, "testdata/handles.c", sanitized...), photos(t, 1)[0], testdata)
}

func TestBatches(t *testing.T) {
	start(t, "", compile(t, "testdata/batches.c", sanitized...),
		append(photos(t, 20), testdata+"/hard/bad/truncated.bmp")...)
}

func TestRecords(t *testing.T) {
	start(t, "", compile(t, "testdata/records.c", sanitized...),
		append(photos(t, 9), testdata+"/hard/bad/truncated.bmp")...)
}

func TestOthers(t *testing.T) {
	start(t, "", compile(t, "testdata/others.c", sanitized...), photos(t, 1)[0], testdata+"/video/vfr.mp4", t.TempDir())
}

func TestPackets(t *testing.T) {
	start(t, "", compile(t, "testdata/packets.c", sanitized...), testdata+"/video/bframes.mp4",
		testdata+"/audio/flac.flac", t.TempDir())
}

// The members of tar files are those of archive/tar. The arrays of NPY and NPZ files are NumPy's.
func TestArchives(t *testing.T) {
	var want strings.Builder
	tarred, err := os.ReadFile(testdata + "/records/000.tar")
	require.NoError(t, err)
	sample, key := -1, ""
	for r := tar.NewReader(bytes.NewReader(tarred)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if k, _, _ := strings.Cut(h.Name, "."); k != key {
			sample, key = sample+1, k
		}
		fmt.Fprintf(&want, "%s %d %d\n", h.Name, sample, h.Size)
	}
	packed := filepath.Join(t.TempDir(), "packed.tar.gz")
	var gzipped bytes.Buffer
	w := gzip.NewWriter(&gzipped)
	_, err = w.Write(tarred)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(packed, gzipped.Bytes(), 0o600))
	program, npy := compile(t, "testdata/archives.c", sanitized...), "../source/npy/testdata/"
	for file, types := range map[string]string{"b1": "1:8", "i4": "0:32", "f8_big": "2:64", "c8": "", "refused_text": "",
		"u8": ""} {
		got := start(t, "", program, testdata+"/records/000.tar", packed, npy+"deflated.npz", npy+file+".npy",
			photos(t, 1)[0])
		listed, arrays, found := strings.Cut(got, "f4 2:32 ")
		require.True(t, found, got)
		assert.Equal(t, want.String(), listed)
		lines := strings.Split("f4 2:32 "+arrays, "\n")
		require.Len(t, lines, 9)
		for i, member := range []string{"f4 2:32", "i8 0:64", "fortran 0:32", "scalar 2:64", "empty 2:32", "i2_big 0:16"} {
			isOfNumPy(t, member, lines[i])
		}
		if types == "" {
			assert.Equal(t, " unsupported", lines[6], file)
		} else {
			isOfNumPy(t, file+" "+types, file+lines[6])
		}
		assert.Equal(t, "not-media", lines[7])
	}
}

// isOfNumPy compares an array that testdata/archives.c prints with the digest that NumPy's has.
func isOfNumPy(t *testing.T, named, line string) {
	t.Helper()
	var expected map[string]struct {
		Shape  spool.Shape
		SHA256 string
	}
	text, err := os.ReadFile("../source/npy/testdata/expected.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &expected))
	name, _, _ := strings.Cut(named, " ")
	want := expected[name+".npy"]
	about, digits, found := strings.Cut(line, "] ")
	require.True(t, found, line)
	assert.Equal(t, named+" "+want.Shape.String(), about+"]")
	data, err := hex.DecodeString(digits)
	require.NoError(t, err)
	assert.Equal(t, want.SHA256, fmt.Sprintf("%x", sha256.Sum256(data)), name)
}

// Many threads use the same handles concurrently.
func TestThreads(t *testing.T) {
	program := compile(t, "testdata/threads.c", sanitized...)
	rounds := "40"
	if testing.Short() {
		rounds = "5"
	}
	start(t, "", program, append([]string{strconv.FormatUint(seed.Rand(t).Uint64()>>32, 10), rounds}, photos(t, 12)...)...)
}

// Calls in a forked child fail, signal handlers are left alone, and a process can exit during calls.
func TestProcess(t *testing.T) {
	program := compile(t, "testdata/process.c")
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGINT, syscall.SIGHUP) // shells ignore them in the background
	defer signal.Stop(received)
	for _, which := range []string{"fork", "signal", "exit"} {
		t.Run(which, func(t *testing.T) {
			rounds := 5
			if testing.Short() {
				rounds = 1
			}
			for range rounds {
				assert.Equal(t, "done\n", start(t, "", program, which, photos(t, 1)[0]))
			}
		})
	}
}

// Loading the library sets handlers only for the signals that Go's runtime needs.
func TestLoad(t *testing.T) {
	program := compile(t, "testdata/load.c", "-Wl,--as-needed") // it loads the library by dlopen
	assert.Equal(t, "7 8 11 13 23 \n", start(t, "", program, filepath.Join(built(t), "libspool.so")),
		"SIGBUS, SIGFPE, SIGSEGV, SIGPIPE, SIGURG")
}
