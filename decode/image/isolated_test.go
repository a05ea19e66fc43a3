package image_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/internal/isolated"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// serveTests makes this program a helper, which does what a malicious file might make it do. See TestMain.
func serveTests() {
	err := helper.Serve(func(setup json.RawMessage) (helper.Handler, error) {
		decode, err := isolated.Start(setup, image.HelperTasks())
		return func(c *helper.Call) (any, error) {
			switch {
			case bytes.HasPrefix(c.Input, []byte("crash")):
				return nil, unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSEGV)
			case bytes.HasPrefix(c.Input, []byte("loop")):
				for i := 0; ; i++ {
					c.Output[0] = byte(i)
				}
			case bytes.HasPrefix(c.Input, []byte("allocate")):
				var all [][]byte
				for range 100 {
					all = append(all, bytes.Repeat([]byte{1}, 1<<30))
				}
				return len(all), nil
			case bytes.HasPrefix(c.Input, []byte("lie")):
				return []image.Report{{Desc: spool.Desc{Shape: spool.Shape{1 << 20, 1 << 20, 3}, Layout: spool.HWC}}}, nil
			}
			return decode(c)
		}, err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func isolation(t testing.TB, which decode.Isolate) decode.Isolation {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return decode.Isolation{Which: which, Helper: self, Processes: 2}
}

// isolatedAndNot returns decoders that use helpers for all images, and decoders that do not.
func isolatedAndNot(t testing.TB) (isolated, here *decoders.Set) {
	t.Helper()
	return decodetest.New(t, decoders.Options{Isolate: isolation(t, decode.IsolateAll)}),
		decodetest.New(t, decoders.Options{})
}

// filesIn are the files of these folders.
func filesIn(t testing.TB, folders ...string) (files []string) {
	t.Helper()
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				files = append(files, path)
			}
			return nil // shared media may be missing
		})
	}
	require.NotEmpty(t, files)
	return files
}

// TestIsolatedIsTheSame decodes all images of the test media, the damaged ones too, in helpers and here.
func TestIsolatedIsTheSame(t *testing.T) {
	isolated, here := isolatedAndNot(t)
	files := filesIn(t, media+"/photos", media+"/hard", shared+"/formats", shared+"/hard",
		shared+"/libvips",
		shared+"/torchcodec", "../../cbridge/vips/testdata")
	specs := []image.Spec{
		{},
		{Resize: resize.Spec{Width: 64, Height: 48, Profile: resize.Fast}, ICC: true, Allow: image.AllowSVG | image.AllowPDF |
			image.AllowEXR | image.AllowHDR},
		{Color: decode.RGBA, DType: spool.Float32, Layout: spool.CHW, Accept: 0.1, Mean: []float32{0.3}, Std: []float32{0.7}},
	}
	if testing.Short() {
		specs = specs[1:2]
	}
	count := 0
	for _, file := range short.Some(files, 5) {
		data := decodetest.ReadFile(t, file)
		if len(data) > 4<<20 {
			continue
		}
		for i, spec := range specs {
			want, wantReport, wantErr := here.Images.Decode(t.Context(), spool.Bytes{Data: data, Name: file}, spec)
			got, gotReport, err := isolated.Images.Decode(t.Context(), spool.Bytes{Data: data, Name: file}, spec)
			sameOutcome(t, fmt.Sprintf("%s, spec %d", file, i), want, got, wantErr, err)
			if err == nil && wantErr == nil {
				assert.Equal(t, wantReport, gotReport, file)
			}
			count++
		}
	}
	t.Log(count, "results compared")
	assert.Positive(t, count)
	assert.Equal(t, here.Images.JPEG().Own, isolated.Images.JPEG().Own)
}

// sameOutcome compares pixels or errors, and releases the pixels.
func sameOutcome(t *testing.T, name string, want, got *spool.Buffer, wantErr, err error) {
	t.Helper()
	for _, b := range []*spool.Buffer{want, got} {
		if b != nil {
			defer b.Release()
		}
	}
	if wantErr != nil || err != nil {
		require.Error(t, err, name)
		require.Error(t, wantErr, name)
		assert.Equal(t, wantErr.Error(), err.Error(), name)
		assert.Equal(t, spool.ClassOf(wantErr), spool.ClassOf(err), name)
		return
	}
	assert.Equal(t, want.Desc(), got.Desc(), name)
	assert.True(t, bytes.Equal(want.Bytes(), got.Bytes()), name)
}

// TestIsolatedFunctions checks that helpers get what the functions of a spec return.
func TestIsolatedFunctions(t *testing.T) {
	isolated, here := isolatedAndNot(t)
	data := decodetest.ReadFile(t, filesIn(t, media+"/photos")[0])
	var calls []string
	views := func() []image.View {
		calls = nil
		one := image.Spec{Resize: resize.Spec{Width: 32, Height: 24}}
		one.Draw = func(width, height int) (resize.Spec, error) {
			calls = append(calls, fmt.Sprint("draw ", width, height))
			return resize.Spec{Width: 32, Height: 24, FlipX: true,
				Box: resize.Rect{Left: 10, Top: 20, Width: width / 2, Height: height / 3}}, nil
		}
		one.Adjust = func(width, height int) []augment.Step {
			calls = append(calls, fmt.Sprint("adjust ", width, height))
			return []augment.Step{{Kind: augment.StepInvert}, {Kind: augment.StepHue, Value: 0.1}}
		}
		return []image.View{{Spec: one, Dst: make([]byte, 32*24*3)},
			{Spec: image.Spec{Resize: resize.Spec{Width: 8, Height: 8}}, Dst: make([]byte, 8*8*3)}}
	}
	want := views()
	wantReports, err := here.Images.DecodeViews(t.Context(), spool.Bytes{Data: data}, want)
	require.NoError(t, err)
	wantCalls := slices.Clone(calls)
	got := views()
	reports, err := isolated.Images.DecodeViews(t.Context(), spool.Bytes{Data: data}, got)
	require.NoError(t, err)
	assert.Equal(t, wantReports, reports)
	assert.Equal(t, wantCalls, calls)
	for i := range want {
		assert.Equal(t, want[i].Dst, got[i].Dst)
	}

	crops := image.Spec{Resize: resize.Spec{Shorter: 64, CropWidth: 32, CropHeight: 32}, Crops: resize.TenCrops}
	a, _, err := here.Images.Decode(t.Context(), spool.Bytes{Data: data}, crops)
	require.NoError(t, err)
	b, _, err := isolated.Images.Decode(t.Context(), spool.Bytes{Data: data}, crops)
	sameOutcome(t, "ten crops", a, b, nil, err)

	for _, file := range short.Some(filesIn(t, shared+"/formats", media+"/hard"), 5) {
		object := spool.File(file)
		for _, n := range []int{0, 2} {
			a, wantReport, wantErr := here.Images.DecodeFrames(t.Context(), object, image.Spec{}, n)
			b, report, err := isolated.Images.DecodeFrames(t.Context(), object, image.Spec{}, n)
			if wantErr == nil && err == nil {
				assert.Equal(t, wantReport, report)
				dst := make([]byte, len(a.Bytes()))
				_, err = isolated.Images.DecodeFramesInto(t.Context(), object, dst, image.Spec{}, n)
				require.NoError(t, err)
				assert.True(t, bytes.Equal(a.Bytes(), dst))
			}
			sameOutcome(t, file, a, b, wantErr, err)
		}
	}

	wantMeasure, err := here.Images.Measure(t.Context(), spool.Bytes{Data: data}, want[0].Spec)
	require.NoError(t, err)
	measured, err := isolated.Images.Measure(t.Context(), spool.Bytes{Data: data}, want[0].Spec)
	require.NoError(t, err)
	assert.Equal(t, wantMeasure, measured)

	own := errors.New("no geometry")
	refusing := image.Spec{Draw: func(int, int) (resize.Spec, error) { return resize.Spec{}, own }}
	_, _, err = isolated.Images.Decode(t.Context(), spool.Bytes{Data: data}, refusing)
	require.ErrorIs(t, err, own)
	_, err = isolated.Images.DecodeInto(t.Context(), spool.Bytes{Data: data}, make([]byte, 3), want[1].Spec)
	require.ErrorIs(t, err, spool.ErrShape)
	_, _, err = isolated.Images.Decode(t.Context(), spool.Bytes{Data: data}, image.Spec{Frame: -1})
	_, isOption := errors.AsType[*spool.OptionError](err)
	assert.True(t, isOption, "%v", err)
}

// TestMaliciousImages has files crash, loop, allocate 100 GB and lie. Each ends only its sample.
func TestMaliciousImages(t *testing.T) {
	patient := decodetest.New(t, decoders.Options{Isolate: isolation(t, decode.IsolateAll),
		Limits: decode.Limits{MaxMemory: 256 << 20}})
	o := isolation(t, decode.IsolateAll)
	o.CPU = 300 * time.Millisecond
	hasty := decodetest.New(t, decoders.Options{Isolate: o})
	good := decodetest.ReadFile(t, filesIn(t, media+"/photos")[0])
	for _, c := range []struct {
		does  string
		class spool.Class
		text  string
	}{
		{"crash", spool.ErrCrashed, "signal 11 (segmentation fault)"},
		{"loop", spool.ErrTimeout, "more than 300ms"},
		{"allocate", spool.ErrCrashed, "the helper ended"},
		{"lie", spool.ErrCrashed, "the helper's reply is wrong"},
	} {
		t.Run(c.does, func(t *testing.T) {
			d := patient
			if c.class == spool.ErrTimeout {
				d = hasty
			}
			bad := spool.Bytes{Data: []byte(c.does), Name: "bad.jpg"}
			_, _, err := d.Images.Decode(t.Context(), bad, image.Spec{})
			require.ErrorIs(t, err, c.class)
			require.ErrorContains(t, err, c.text)
			require.ErrorContains(t, err, "bad.jpg")
			b, _, err := d.Images.Decode(t.Context(), spool.Bytes{Data: good}, image.Spec{})
			require.NoError(t, err)
			b.Release()
		})
	}
	bad := spool.Bytes{Data: []byte("crash"), Name: "bad.jpg"}
	_, _, err := patient.Images.Decode(t.Context(), bad, image.Spec{})
	require.ErrorIs(t, err, spool.ErrCrashed)
	_, _, err = patient.Images.Decode(t.Context(), bad, image.Spec{})
	require.ErrorContains(t, err, "refused, it has ended 2 helpers")
}

// TestIsolateAuto checks which formats go to helpers, by a helper that cannot start.
func TestIsolateAuto(t *testing.T) {
	d := decodetest.New(t, decoders.Options{
		Isolate: decode.Isolation{Which: decode.IsolateAuto, Helper: "/no/such"}})
	for _, file := range filesIn(t, media+"/hard", shared+"/formats", "../../cbridge/vips/testdata") {
		info, err := image.Probe(t.Context(), spool.File(file), decode.Limits{})
		if err != nil {
			continue
		}
		b, _, err := d.Images.Decode(t.Context(), spool.File(file), image.Spec{})
		if b != nil {
			b.Release()
		}
		foreign := slices.Contains([]string{"heic", "avif", "jp2", "jxl", "tiff"}, info.Format.String())
		started := err != nil && strings.Contains(err.Error(), "cannot start a helper")
		assert.Equal(t, foreign, started, "%s: %v", file, err)
	}
}

// TestIsolateHEIC checks that by default a helper is started for HEIC only, and that HEIC is decoded in this process if
// there is no helper, or none that starts.
func TestIsolateHEIC(t *testing.T) {
	t.Setenv("SPOOL_HELPER", "")
	starts := filepath.Join(t.TempDir(), "starts")
	script := filepath.Join(t.TempDir(), "helper")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho started >>"+starts+"\n"), 0o700))
	here := decodetest.New(t, decoders.Options{})
	failing := decodetest.New(t, decoders.Options{Isolate: decode.Isolation{Helper: script}})
	bothDecode := func(file string) {
		for _, d := range []*decoders.Set{here, failing} {
			b, _, err := d.Images.Decode(t.Context(), spool.File(file), image.Spec{})
			require.NoError(t, err, file)
			b.Release()
		}
	}
	for _, name := range []string{"lossy.avif", "lossless.jp2", "rgb.tiff", "s420.jpg"} {
		bothDecode(media + "/hard/good/" + name)
	}
	assert.NoFileExists(t, starts)
	for _, name := range []string{"ten.heic", "alpha.heic"} {
		bothDecode("../../cbridge/vips/testdata/" + name)
	}
	text, err := os.ReadFile(starts)
	require.NoError(t, err)
	assert.Equal(t, "started\n", string(text), "it is tried once")
}

func TestCancelOfIsolated(t *testing.T) {
	d := decodetest.New(t, decoders.Options{Isolate: isolation(t, decode.IsolateAll)})
	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(50*time.Millisecond, cancel).Stop()
	_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: []byte("loop")}, image.Spec{})
	require.ErrorIs(t, err, spool.ErrCanceled)
}

func TestIsolationOptions(t *testing.T) {
	_, err := decode.New(decode.Options{Isolate: decode.Isolation{Which: decode.IsolateAll, Processes: -1, CPU: -1}})
	require.ErrorIs(t, err, spool.ErrOptions)
	require.ErrorContains(t, err, "Isolate.Helper")
	require.ErrorContains(t, err, "Isolate.Processes")
	require.ErrorContains(t, err, "Isolate.CPU")
}
