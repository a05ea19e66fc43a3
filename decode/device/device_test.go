package device_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	cudafake "github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cbridge/nvjpeg/fake"
	"github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/short"
)

// realDevice runs the tests that do not depend on the fakes on the machine's first device.
var realDevice = os.Getenv("SPOOL_TEST_CUDA") == "real"

// device holds memory and a stream for a test's images, of the fakes or of a real device.
type gpu struct {
	driver  *cudafake.Driver // nil for a real device
	library *fake.Library
	options device.Options
	theirs  *cuda.Context
	stream  cuda.Stream
}

func newDevice(t testing.TB, s cudafake.Settings, l fake.Settings) *gpu {
	t.Helper()
	v := &gpu{}
	if !realDevice {
		v.driver = cudafake.New(t, s)
		v.library = fake.New(t, v.driver, l)
		v.options.Driver, v.options.Library = v.driver.File, v.library.File
	}
	require.NoError(t, v.open())
	t.Cleanup(func() { v.close() })
	return v
}

func (v *gpu) open() error {
	driver, err := cuda.Load(v.options.Driver)
	if err != nil {
		return err
	}
	if v.theirs, err = driver.Open(0); err != nil {
		return err
	}
	v.stream, err = v.theirs.NewStream()
	return err
}

func (v *gpu) close() {
	if v.theirs == nil {
		return
	}
	if v.stream != 0 {
		_ = v.theirs.CloseStream(v.stream)
	}
	_ = v.theirs.Close()
	v.theirs, v.stream = nil, 0
}

// decode decodes images, and returns the batch with the pixels of images without an error.
func (v *gpu) decode(n *device.Decoder, files [][]byte) (b *device.Batch, all [][]byte, err error) {
	b, err = n.Plan(ctx, files)
	if err != nil {
		return nil, nil, err
	}
	defer b.Release()
	memory, err := v.theirs.Alloc(max(b.Bytes, 1))
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if freed := v.theirs.Free(memory); err == nil {
			err = freed
		}
	}()
	if err := b.Decode(ctx, uint64(memory), spool.DeviceStream(v.stream)); err != nil {
		return nil, nil, err
	}
	got := make([]byte, b.Bytes)
	if b.Bytes > 0 {
		err = v.theirs.ToHost(got, memory, v.stream)
	}
	if finished := v.theirs.Finish(v.stream); err == nil {
		err = finished
	}
	if err != nil {
		_ = v.theirs.Finish(v.stream) // the error may be of an earlier call
		return nil, nil, err
	}
	all = make([][]byte, len(files))
	for i, p := range b.Images {
		if size, _ := p.Desc.Bytes(); p.Err == nil {
			all[i] = got[p.Offset : p.Offset+size]
		}
	}
	return b, all, nil
}

// hard are all the unusual files, valid and invalid.
func hard(t testing.TB) (names []string, files [][]byte) {
	t.Helper()
	names, err := filepath.Glob(media + "/hard/*/*")
	require.NoError(t, err)
	photos, err := filepath.Glob(media + "/photos/*/0[0-3].jpg")
	require.NoError(t, err)
	names = append(names, photos...)
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	for _, name := range names {
		files = append(files, decodetest.ReadFile(t, name))
	}
	return names, files
}

// Each file decodes to its slot as on the host, or with the host's error. The reason is reported where nvJPEG does not
// decode.
func TestNvJPEG(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	names, files := hard(t)
	names, files = short.Some(names, 2), short.Some(files, 2)
	for _, lane := range []device.Lane{device.Engine, device.Cores, device.Auto} {
		v := newDevice(t, cudafake.Settings{DelayMicros: 50}, fake.Settings{Hardware: lane != device.Cores})
		v.options.Lane = lane
		n, err := device.New(d.Images, v.options)
		if realDevice && err != nil && lane == device.Engine {
			t.Log(err)
			continue
		}
		require.NoError(t, err)
		b, got, err := v.decode(n, files)
		require.NoError(t, err)
		var counts device.Counts
		for i, p := range b.Images {
			want, report, err := d.Images.Decode(ctx, spool.Bytes{Data: files[i]}, image.Spec{})
			if err != nil {
				assert.Equal(t, spool.ClassOf(err), spool.ClassOf(p.Err), names[i])
				counts.Failed++
				continue
			}
			require.NoError(t, p.Err, names[i])
			assert.Equal(t, report.Desc, p.Desc, names[i])
			if realDevice && p.Host == device.OnDevice {
				_, mean := decodetest.Worst(t, want.Bytes(), got[i])
				assert.Less(t, mean, 2.0, names[i])
			} else {
				assert.True(t, bytes.Equal(want.Bytes(), got[i]), names[i])
			}
			want.Release()
			expected, listed := reasons[filepath.Base(names[i])]
			if p.Info.Format != format.JPEG {
				expected, listed = device.HostFormat, true
			}
			if bytes.Contains(files[i], []byte{0xff, 0xc2, 0, 17}) && !listed { // SOF2
				expected = device.HostProgressive
			}
			if expected == device.HostProgressive && !n.Engine() {
				expected = device.OnDevice
			}
			if listed || !realDevice {
				assert.Equal(t, expected, p.Host, "%s: %s", names[i], p.Host)
			}
			if p.Host == device.OnDevice {
				counts.Device++
				continue
			}
			if counts.Host == nil {
				counts.Host = map[string]int64{}
			}
			counts.Host[p.Host.String()]++
		}
		assert.Equal(t, counts, n.Counts())
		assert.Greater(t, counts.Device, short.Of[int64](25, 10))
		require.NoError(t, n.Close())
		require.NoError(t, n.Close())
		if !realDevice {
			assert.Equal(t, lane != device.Cores, n.Engine())
			assert.Equal(t, "12.4.0", n.Version())
		}
	}
}

// reasons are those of files that nvJPEG does not decode.
var reasons = map[string]device.HostReason{
	"adobe_rgb.jpg": device.HostColors, "cmyk.jpg": device.HostColors, "ycck.jpg": device.HostColors,
	"arithmetic.jpg": device.HostCoding, "arithmetic_progressive.jpg": device.HostCoding,
	"progressive.jpg": device.HostProgressive, "progressive422.jpg": device.HostProgressive,
	"progressive_restart.jpg": device.HostProgressive, "gray_progressive.jpg": device.HostProgressive,
	"extraneous.jpg": device.HostRefused,
	"exif2.jpg":      device.HostOrientation, "exif3.jpg": device.HostOrientation, "exif4.jpg": device.HostOrientation,
	"exif5.jpg": device.HostOrientation,
	"exif6.jpg": device.HostOrientation, "exif7.jpg": device.HostOrientation, "exif8.jpg": device.HostOrientation,
}

// A damaged image is found in a batch, at any position, and the other images decode.
func TestNvJPEGFindsTheBadOne(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	v := newDevice(t, cudafake.Settings{}, fake.Settings{})
	n, err := device.New(d.Images, v.options)
	require.NoError(t, err)
	defer n.Close()
	good := decodetest.ReadFile(t, media, "photos/animal/00.jpg")
	bad := slices.Insert(bytes.Clone(good), len(good)/2, 0xff, 0xd9) // an end marker in the middle, and one at the end
	want, _ := decodetest.Image(t, d, good, image.Spec{})
	_, _, badly := d.Images.Decode(ctx, spool.Bytes{Data: bad}, image.Spec{})
	require.Error(t, badly)
	for size := 1; size <= 5; size++ {
		for at := range size {
			batch := slices.Repeat([][]byte{good}, size)
			batch[at] = bad
			b, got, err := v.decode(n, batch)
			require.NoError(t, err)
			for i, p := range b.Images {
				if i == at && (p.Err != nil || !realDevice) { // a real device may not notice
					assert.Equal(t, badly.Error(), p.Err.Error())
					assert.Equal(t, device.HostRefused, p.Host)
				} else if i != at {
					require.NoError(t, p.Err)
					assert.Equal(t, realDevice, !bytes.Equal(want, got[i]) && realDevice)
				}
			}
		}
	}
}

// With more batches than states each batch waits for a state, and gets the right pixels.
func TestNvJPEGManyBatches(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	v := newDevice(t, cudafake.Settings{DelayMicros: 100}, fake.Settings{})
	v.options.Batches = 2
	n, err := device.New(d.Images, v.options)
	require.NoError(t, err)
	defer n.Close()
	_, files := hard(t)
	files = files[:24]
	_, want, err := v.decode(n, files)
	require.NoError(t, err)
	done := make(chan error)
	for i := range 6 {
		go func() {
			batch := slices.Concat(files[i:], files[:i])
			own := &gpu{options: v.options}
			err := own.open()
			var got [][]byte
			if err == nil {
				_, got, err = own.decode(n, batch)
			}
			for j := range got {
				if !bytes.Equal(got[j], want[(i+j)%len(files)]) {
					err = spool.ErrInternal
				}
			}
			own.close()
			done <- err
		}()
	}
	for range 6 {
		assert.NoError(t, <-done)
	}
}

// A failure of any call of the driver or of nvJPEG is an error, or the host decodes the images; nothing leaks.
func TestNvJPEGEveryCallCanFail(t *testing.T) {
	if realDevice {
		t.Skip("needs the fakes")
	}
	d := decodetest.New(t, decoders.Options{})
	files := [][]byte{decodetest.ReadFile(t, media, "hard/good/17x9.jpg"),
		decodetest.ReadFile(t, media, "hard/good/exif6.jpg"),
		decodetest.ReadFile(t, media, "hard/bad/truncated60.jpg"),
		decodetest.ReadFile(t, media, "hard/good/extraneous.jpg")}
	var want [][]byte
	for _, p := range files {
		b, _, err := d.Images.Decode(ctx, spool.Bytes{Data: p}, image.Spec{})
		if err != nil {
			want = append(want, nil)
			continue
		}
		want = append(want, bytes.Clone(b.Bytes()))
		b.Release()
	}
	v := newDevice(t, cudafake.Settings{}, fake.Settings{})
	run := func() error {
		if err := v.open(); err != nil {
			return err
		}
		n, err := device.New(d.Images, v.options)
		if err != nil {
			return err
		}
		_, got, err := v.decode(n, files)
		if err == nil {
			assert.Equal(t, want, got)
		}
		if closed := n.Close(); err == nil {
			err = closed
		}
		return err
	}
	v.close()
	v.driver.Reset(t, cudafake.Settings{})
	require.NoError(t, run())
	calls, ours := int(v.driver.Counters().Calls), int(v.library.Counters().Calls)
	require.Greater(t, calls, 30)
	require.Greater(t, ours, 15)
	v.close()
	check := func(err error, call string) {
		v.close()
		require.Zero(t, v.driver.Counters().InUse(), call)
		require.Zero(t, v.library.Counters().InUse(), call)
		require.Zero(t, v.library.Counters().Violations, "%s: %s", call, v.library.Counters().Violation)
		require.Zero(t, v.driver.Counters().Violations, "%s: %s", call, v.driver.Counters().Violation)
		if err != nil {
			require.ErrorIs(t, err, spool.ErrDevice, call)
		}
	}
	for _, lost := range []bool{false, true} {
		for i := 1; i <= calls; i++ {
			v.driver.Reset(t, cudafake.Settings{FailCall: i, Lost: lost})
			v.library.Reset(t, fake.Settings{})
			err := run()
			check(err, v.driver.Counters().FailedCall)
			if lost {
				require.Error(t, err, "call %d of %d: %s", i, calls, v.driver.Counters().FailedCall)
			}
		}
	}
	for _, status := range []int{6, 5, 3} { // execution failed, out of memory, a bad image
		for i := 1; i <= ours; i++ {
			v.driver.Reset(t, cudafake.Settings{})
			v.library.Reset(t, fake.Settings{FailCall: i, FailStatus: status})
			err := run()
			if status != 3 {
				check(err, v.library.Counters().FailedCall)
			}
			v.close()
			require.Zero(t, v.library.Counters().InUse(), v.library.Counters().FailedCall)
		}
	}
	v.driver.Reset(t, cudafake.Settings{})
	v.library.Reset(t, fake.Settings{})
}

func TestNvJPEGThatIsNotThere(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	none := filepath.Join(t.TempDir(), "none.so")
	_, err := device.New(d.Images, device.Options{Driver: none})
	require.ErrorIs(t, err, spool.ErrDevice)
	for _, o := range []device.Options{{Device: "cuda:-1"}, {Device: "vaapi"}, {Lane: 3}, {Batches: -1}, {Threads: -1}} {
		_, err = device.New(d.Images, o)
		require.ErrorIs(t, err, spool.ErrOptions)
	}
	if realDevice {
		return
	}
	v := newDevice(t, cudafake.Settings{}, fake.Settings{})
	_, err = device.New(d.Images, device.Options{Driver: v.driver.File, Library: none})
	require.ErrorIs(t, err, spool.ErrDevice)
	v.options.Lane = device.Engine
	_, err = device.New(d.Images, v.options)
	require.ErrorIs(t, err, spool.ErrDevice)
	assert.ErrorContains(t, err, "the device lacks what the backend needs")
	v.options.Device, v.options.Lane = "cuda:1", device.Auto
	_, err = device.New(d.Images, v.options)
	require.ErrorIs(t, err, spool.ErrDevice)
	assert.ErrorContains(t, err, "open cuda:1: device: no device 1")
}

// The last batch that is released after Close frees the rest.
func TestNvJPEGClosedBeforeItsBatches(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	v := newDevice(t, cudafake.Settings{}, fake.Settings{})
	n, err := device.New(d.Images, v.options)
	require.NoError(t, err)
	b, err := n.Plan(ctx, [][]byte{decodetest.ReadFile(t, media, "hard/good/1x1.jpg")})
	require.NoError(t, err)
	memory, err := v.theirs.Alloc(b.Bytes)
	require.NoError(t, err)
	require.NoError(t, b.Decode(ctx, uint64(memory), spool.DeviceStream(v.stream)))
	require.ErrorIs(t, n.Close(), spool.ErrLeaked)
	require.NoError(t, v.theirs.Finish(v.stream))
	b.Release()
	require.NoError(t, v.theirs.Free(memory))
	require.NoError(t, n.Close())
}
