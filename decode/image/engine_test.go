package image_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// jpegFiles are all available JPEG files: those of this package and, if present, the shared ones.
func jpegFiles(t testing.TB) (names []string) {
	t.Helper()
	for _, pattern := range []string{"testdata/*/*.jpg", media + "/*/*.jpg", media + "/*/*/*.jpg",
		"../../cbridge/jpeg/testdata/*.jpg",
		shared + "/*/*.jpg", shared + "/*/*/*.jpg", shared + "/*/*.jpeg", shared + "/*/*.JPG"} {
		some, err := filepath.Glob(pattern)
		require.NoError(t, err)
		names = append(names, some...)
	}
	require.NotEmpty(t, names)
	return names
}

// engineSpecs cover the paths that a JPEG can take through the decoder.
var engineSpecs = []image.Spec{
	{},
	{Resize: resize.Spec{Width: 224, Height: 224}},
	{Resize: resize.Spec{Width: 100, Height: 130, Mode: resize.Cover, Filter: resize.Bicubic, Profile: resize.Pillow},
		Stored: true},
	{Resize: resize.Spec{Shorter: 64, CropWidth: 48, CropHeight: 32}, Color: decode.Gray},
	{Resize: resize.Spec{Width: 224, Height: 224}, ICC: true, Color: decode.BGR},
	{ICC: true, Accept: 0.1},
	{Resize: resize.Spec{Width: 32, Height: 32, Filter: resize.Nearest}, Color: decode.RGBA, Layout: spool.CHW,
		Accept: 0.5},
	{Resize: resize.Spec{Width: 60, Height: 90, Mode: resize.Fit}, DType: spool.Float32, Layout: spool.CHW, Accept: 1e-9},
	{Color: decode.Gray, Accept: 0.01, ICC: true},
	{Draw: boxed(3, 2, resize.Spec{Width: 50, Height: 40})},
	{Resize: resize.Spec{Width: 20, Height: 30, Profile: resize.Fast}, Accept: 0.3},
	{Resize: resize.Spec{Profile: resize.Fast, Shorter: 40, CropWidth: 20, CropHeight: 10, Filter: resize.Bicubic},
		Color: decode.Gray},
	{Draw: boxed(4, 5, resize.Spec{Width: 16, Height: 9, Profile: resize.Fast})},
}

// engines decodes with both engines.
type engines struct{ auto, turbo *decoders.Set }

func newEngines(t testing.TB, limits decode.Limits) engines {
	t.Helper()
	return engines{decodetest.New(t, decoders.Options{Limits: limits}),
		decodetest.New(t, decoders.Options{Limits: limits, JPEG: image.JPEGTurbo})}
}

// differ describes how pixels, reports or errors of the engines differ, and returns the trace of auto.
func (e engines) differ(data []byte, spec image.Spec) (difference string, trace image.Trace) {
	ours, our, err1 := e.auto.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
	theirs, their, err2 := e.turbo.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
	if ours != nil {
		defer ours.Release()
	}
	if theirs != nil {
		defer theirs.Release()
	}
	if err1 != nil || err2 != nil {
		if err1 == nil || err2 == nil || err1.Error() != err2.Error() || spool.ClassOf(err1) != spool.ClassOf(err2) {
			return fmt.Sprintf("%v instead of %v", err1, err2), our.Trace
		}
		return "", our.Trace
	}
	trace = our.Trace
	switch {
	case their.Trace.Lane != "jpeg": // mutated into another format, which has one lane only
		if a, b := fmt.Sprintf("%+v", shown(our)), fmt.Sprintf("%+v", shown(their)); a != b {
			return a + " instead of " + b, trace
		}
		if !bytes.Equal(ours.Bytes(), theirs.Bytes()) {
			return "other pixels", trace
		}
		return "", trace
	case their.Trace.Engine != "turbo" || their.Trace.Reason != "":
		return fmt.Sprintf("--jpeg turbo: %+v", their.Trace), trace
	case trace.Engine == "own" && trace.Reason != "" || trace.Engine == "turbo" &&
		(trace.Reason == "" || trace.Reason == "decoded"):
		return fmt.Sprintf("%+v", trace), trace
	}
	byPlanes := trace.Scale != image.Scale{} // which has pixels of its own
	our.Trace = image.Trace{Lane: "jpeg", Engine: "turbo", Width: trace.Width, Height: trace.Height,
		Scratch: trace.Scratch, Profile: trace.Profile}
	if byPlanes {
		our.Trace = their.Trace
	}
	if a, b := fmt.Sprintf("%+v", shown(our)), fmt.Sprintf("%+v", shown(their)); a != b {
		return a + " instead of " + b, trace
	}
	switch {
	case bytes.Equal(ours.Bytes(), theirs.Bytes()):
	case !byPlanes:
		return "other pixels", trace
	default:
		fuzzed.Disagree("planes are resized before colors are converted")
	}
	return "", trace
}

// shown is a report without the fields of Info that the decoder keeps for itself.
func shown(r image.Report) image.Report {
	i := r.Info
	r.Info = image.Info{Format: i.Format, Frames: i.Frames, Width: i.Width, Height: i.Height, Channels: i.Channels,
		Bits: i.Bits, Orientation: i.Orientation}
	return r
}

func TestEnginesAgreeOnFiles(t *testing.T) {
	e := newEngines(t, decode.Limits{})
	count := map[string]int{}
	for i, name := range jpegFiles(t) {
		if testing.Short() && i%5 != 0 {
			continue
		}
		data := decodetest.ReadFile(t, name)
		specs := engineSpecs
		if len(data) > 300<<10 || testing.Short() {
			specs = []image.Spec{engineSpecs[i%len(specs)]}
		} else if len(data) > 30<<10 {
			specs = []image.Spec{engineSpecs[i%len(specs)], engineSpecs[(i+3)%len(specs)]}
		}
		for k, spec := range specs {
			difference, trace := e.differ(data, spec)
			require.Empty(t, difference, "%s, spec %d of %d", name, k, len(specs))
			count[trace.Engine+" "+trace.Reason]++
		}
	}
	t.Log(count)
	assert.Positive(t, count["own "])
	assert.Positive(t, count["turbo frame"])
}

// For truncated files, class, fraction, warnings and the remaining pixels are those of libjpeg-turbo.
func TestEnginesAgreeOnTruncation(t *testing.T) {
	e := newEngines(t, decode.Limits{})
	n := 0
	for _, name := range jpegFiles(t) {
		data := decodetest.ReadFile(t, name)
		if len(data) > 3000 {
			continue
		}
		scan := max(bytes.Index(data, []byte("\xff\xda")), 0)
		step := 1 + (len(data)-scan)/300
		if testing.Short() || strings.HasPrefix(name, shared) {
			step *= 29
		}
		for cut := scan % 29; cut < len(data); cut += step {
			if cut < scan { // both engines read the header with the same code
				cut += min(28, scan-cut-1)
			}
			spec := engineSpecs[n%len(engineSpecs)]
			n++
			difference, _ := e.differ(data[:cut], spec)
			require.Empty(t, difference, "%s cut at %d, spec %d", name, cut, (n-1)%len(engineSpecs))
		}
	}
	t.Logf("%d cuts", n)
	assert.Greater(t, n, 100)
}

func TestEnginesAgreeOnMutations(t *testing.T) {
	e := newEngines(t, fuzzLimits)
	r := seed.Rand(t)
	var files [][]byte
	for _, name := range jpegFiles(t) {
		if data := decodetest.ReadFile(t, name); len(data) > 0 && len(data) < 30<<10 {
			files = append(files, data)
		}
	}
	count := map[string]int{}
	for i := range short.Of(3000, 250) {
		data := slices.Clone(files[r.IntN(len(files))])
		for range 1 + r.IntN(3) {
			data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		}
		difference, trace := e.differ(data, engineSpecs[i%len(engineSpecs)])
		if difference != "" {
			require.NoError(t, os.WriteFile(filepath.Join(t.ArtifactDir(), "different.jpg"), data, 0o644))
			t.Fatalf("mutation %d, spec %d: %s", i, i%len(engineSpecs), difference)
		}
		count[trace.Engine+" "+trace.Reason]++
	}
	t.Log(count)
	assert.Greater(t, len(count), 5)
}

func FuzzEngines(f *testing.F) {
	e := newEngines(f, fuzzLimits)
	mutate.Fuzz(f, files(f, "*.jpg"), func(t testing.TB, data []byte, knobs uint64) {
		spec := engineSpecs[knobs%uint64(len(engineSpecs))]
		if w, h := knobs>>8%64, knobs>>16%64; w > 0 && h > 0 && spec.Draw == nil {
			spec.Resize = resize.Spec{Width: int(w), Height: int(h), Mode: resize.Mode(knobs >> 24 % 3),
				Filter: resize.Filter(knobs >> 32 % 5)}
		}
		difference, trace := e.differ(data, spec)
		if difference != "" {
			t.Fatal(difference)
		}
		if trace.Engine != "" {
			fuzzed.Accept()
		}
	})
}

// The engine's memory counts towards the limit. If it would exceed the limit, libjpeg-turbo decodes with the same
// result as without the engine.
func TestEnginesAgreeOnMemory(t *testing.T) {
	data := decodetest.ReadFile(t, media, "hard/good/s420.jpg")
	count := map[string]int{}
	for most := int64(1); most < 1<<21; most += most/9 + 1 {
		e := newEngines(t, decode.Limits{MaxMemory: most})
		for i, spec := range engineSpecs {
			difference, trace := e.differ(data, spec)
			require.Empty(t, difference, "limit of %d, spec %d", most, i)
			count[trace.Engine+" "+trace.Reason]++
		}
	}
	assert.Positive(t, count[" "]) // refused
	assert.Positive(t, count["turbo memory"])
	assert.Positive(t, count["own "])
}

func TestJPEGCounts(t *testing.T) {
	before := leaktest.Settled(mem.InUse)
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	assert.Equal(t, image.JPEGCounts{}, d.Images.JPEG())
	good, odd, bad := decodetest.ReadFile(t, media, "hard/good/s420.jpg"),
		decodetest.ReadFile(t, media, "hard/good/scans.jpg"), decodetest.ReadFile(t,
			media, "hard/good/s420.jpg")
	bad = bad[:len(bad)*3/4]
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 5 {
				for _, data := range [][]byte{good, odd, bad, good} {
					b, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, engineSpecs[1])
					assert.Equal(t, len(data) == len(bad), err != nil)
					if err == nil {
						b.Release()
					}
				}
			}
		})
	}
	wait.Wait()
	counts := d.Images.JPEG()
	assert.EqualValues(t, 40, counts.Own)
	assert.EqualValues(t, 40, counts.Turbo)
	assert.EqualValues(t, 20, counts.Left["scans"])
	assert.Len(t, counts.Left, 2)
	assert.Greater(t, mem.InUse(), before+1<<20, "tables and decoders are kept")
	require.NoError(t, d.Close())
	assert.Equal(t, before, mem.InUse())

	turbo := decodetest.New(t, decoders.Options{JPEG: image.JPEGTurbo})
	_, report := decodetest.Image(t, turbo, odd, image.Spec{})
	assert.Equal(t, "turbo", report.Trace.Engine)
	assert.Empty(t, report.Trace.Reason)
	assert.Equal(t, image.JPEGCounts{Turbo: 1}, turbo.Images.JPEG())
}

func TestJPEGEngineNames(t *testing.T) {
	for _, e := range []image.JPEGEngine{image.JPEGAuto, image.JPEGTurbo} {
		text, err := e.MarshalText()
		require.NoError(t, err)
		var again image.JPEGEngine = 9
		require.NoError(t, again.UnmarshalText(text))
		assert.Equal(t, e, again)
	}
	var e image.JPEGEngine
	require.ErrorContains(t, e.UnmarshalText([]byte("own")), `"own" is not one of ["auto" "turbo"]`)
	assert.Equal(t, "JPEGEngine(7)", image.JPEGEngine(7).String())
	_, err := decoders.New(decoders.Options{JPEG: 2})
	require.ErrorIs(t, err, spool.ErrOptions)
}
