package loader_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	spoolaudio "github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
	"github.com/spoolmedia/spool/transfer"
)

// A Go program gets these errors after likely mistakes. They name options by their fields.
func TestMistakes(t *testing.T) {
	photo, err := filepath.Abs("../testdata/photos/animal/00.jpg")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	data, err := os.ReadFile(photo)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll("photos", 0o755))
	require.NoError(t, os.Mkdir("empty", 0o755))
	for name, content := range map[string][]byte{"photos/0.jpg": data, "photos/1.jpg": data, "photo.jpg": data,
		"cut.jpg": data[:9000], "text.jpg": []byte("some text, and no image"), "empty.jpg": nil,
		"table.csv":  []byte("path,label\n"),
		"widths.csv": []byte("path,width\nphoto.jpg,300\n")} {
		require.NoError(t, os.WriteFile(name, content, 0o600))
	}
	listed := func(names ...string) error {
		_, err := source.Open(t.Context(), names, source.Options{})
		return err
	}
	where := func(name, condition string) error {
		_, err := source.Open(t.Context(), []string{name}, source.Options{Where: condition})
		return err
	}
	of := func(o source.Options) error {
		_, err := source.Open(t.Context(), []string{"photos"}, o)
		return err
	}
	square := func(o loader.Options) error {
		return loader.ImageOptions{Spec: image.Spec{Resize: resize.Spec{Width: 8, Height: 8}}, Options: o}.Validate()
	}
	geometry := func(s resize.Spec) error { return s.Validate() }
	video := func(o loader.VideoOptions) error {
		o.Spec.Resize = resize.Spec{Width: 8, Height: 8}
		return o.Validate()
	}
	audio := func(o loader.AudioOptions) error { return o.Validate() }
	decoded := func(o spool.Object, s image.Spec, with decode.Options) error {
		d, err := decode.New(with)
		require.NoError(t, err)
		defer d.Close()
		images, err := image.New(d, image.Options{})
		require.NoError(t, err)
		defer images.Close()
		b, _, err := images.Decode(t.Context(), o, s)
		if err == nil {
			b.Release()
		}
		return err
	}
	loaded := func(o loader.Options) error {
		l, err := source.Open(t.Context(), []string{"photos"}, source.Options{})
		require.NoError(t, err)
		spec := image.Spec{Resize: resize.Spec{Width: 8, Height: 8}}
		images, err := loader.Images(l, loader.ImageOptions{Spec: spec, Options: o})
		if err == nil {
			require.NoError(t, images.Close())
		}
		return err
	}
	device := func(name string) error {
		d, err := transfer.Open(name, transfer.DeviceOptions{})
		if err == nil {
			err = d.Close()
		}
		return err
	}
	for name, c := range map[string]struct {
		err  error
		text string
	}{
		"no sources": {listed(),
			`invalid options: nothing to load; give files, folders, patterns or @lists`},
		"a source that does not exist": {listed("none"),
			`list none: not-found: no such file or directory`},
		"an empty folder": {listed("empty"),
			`list empty: empty: no images in this folder, which holds no files`}, //nolint:dupword // folder and class
		"a pattern without a match": {listed("photos/*.png"),
			`list photos/*.png: not-found: nothing matches this pattern`},
		"a bad pattern": {listed("photos/["),
			`invalid options: glob photos/[: syntax error in pattern`},
		"a table without rows": {listed("table.csv"),
			`list table.csv: empty: a manifest without rows`},
		"an unknown column": {where("widths.csv", "widht > 3"),
			`invalid options: Where widht > 3: widths.csv: no column is called widht; there are path, width; did you mean width?`},
		"half a condition": {where("widths.csv", "width >"),
			`invalid options: Where width >: unexpected token EOF at character 7`},
		"no condition": {where("widths.csv", "width"),
			`invalid options: Where width: widths.csv: width: must be true or false, but is int; width is whole numbers`},
		"a condition on text": {where("widths.csv", "path > 3"),
			`invalid options: Where path > 3: widths.csv: path > 3: invalid operation: > (mismatched types string and int); ` +
				`path is text`},
		"a condition on files": {where("photos", "width > 3"),
			`list photos: unsupported: source.Options.Where selects rows of tables by their columns, and this is no table`},
		"an unknown scheme": {listed("ftp://host/photos"),
			`list ftp://host/photos: not-found: no such file or directory`},
		"a list that does not exist": {listed("@names.txt"),
			`list names.txt: not-found: no such file or directory`},
		"an unknown medium": {of(source.Options{Medium: 9}),
			`invalid options: Medium 9: no such medium`},
		"an extension without a dot": {of(source.Options{Extensions: []string{"jpg"}}),
			`invalid options: Extensions: "jpg" must have the form .jpg`},
		"a negative batch": {square(loader.Options{Batch: -1}),
			`invalid options: Batch -1: must not be negative`},
		"negative workers": {square(loader.Options{Workers: -2}),
			`invalid options: Workers -2: must not be negative`},
		"negative epochs": {square(loader.Options{Epochs: -1}),
			`invalid options: Epochs -1: must not be negative`},
		"a negative limit": {square(loader.Options{Limit: -1}),
			`invalid options: Limit -1: must not be negative`},
		"a negative prefetch": {square(loader.Options{Prefetch: -1}),
			`invalid options: Prefetch -1: must not be negative`},
		"a share of the CPU above 1": {square(loader.Options{CPUShare: 1.5}),
			`invalid options: CPUShare 1.5: must be from 0 to 1`},
		"a failure rate of 1": {square(loader.Options{Failures: loader.Failures{MaxRate: 1}}),
			`invalid options: Failures.MaxRate 1: must be at least 0 and less than 1`},
		"an unknown order": {square(loader.Options{Order: 9}),
			`invalid options: Order 9: no such order`},
		"an unknown last": {square(loader.Options{Last: 9}),
			`invalid options: Last 9: no such policy`},
		"an unknown policy": {square(loader.Options{OnError: 9}),
			`invalid options: OnError 9: no such policy`},
		"a rank beyond the world": {square(loader.Options{Sharing: loader.Sharing{Rank: order.Rank{Index: 2, World: 2}}}),
			`invalid options: Sharing.Rank 2 of 2: ranks count from 0`},
		"a sampler and shuffle": {square(loader.Options{Shuffle: true,
			Sampler: func(uint64) order.Sampler { return order.Sequential(2) }}),
			`invalid options: Sampler excludes Shuffle: the sampler sets the order`},
		"resume in any order": {square(loader.Options{Order: batch.Any, Resume: []loader.State{{}}}),
			`invalid options: Resume needs Order batch.Exact`},
		"resume and a first epoch": {square(loader.Options{First: 1, Resume: []loader.State{{}}}),
			`invalid options: First excludes Resume: the state has the epoch`},
		"a state of other data": {loaded(loader.Options{Resume: []loader.State{{Version: 1, Samples: 3}}}),
			`invalid options: state 0 has samples 3, and this loader 2: open the loader with the sources and options of that run`},
		"a state with another seed": {loaded(loader.Options{Resume: []loader.State{{Version: 1, Samples: 2, Seed: 7}}}),
			`invalid options: state 0 has seed 7, and this loader 0: open the loader with the sources and options of that run`},
		"a state that is none": {loaded(loader.Options{Resume: []loader.State{{}}}),
			`invalid options: state 0 is not the state of a loader: it has no version`},
		"no size": {loader.ImageOptions{}.Validate(),
			`invalid options: the samples of a batch need one size: set Spec.Resize.Width and Height, or CropWidth and CropHeight`},
		"only a shorter side": {loader.ImageOptions{Spec: image.Spec{Resize: resize.Spec{Shorter: 8}}}.Validate(),
			`invalid options: Spec.Resize.Shorter needs CropWidth and CropHeight: the samples of a batch have one size`},
		"a cache with random crops": {loader.ImageOptions{Spec: image.Spec{Resize: resize.Spec{Width: 8, Height: 8}},
			Augment: resize.Augment{FlipX: 0.5},
			Options: loader.Options{Caches: loader.Caches{Memory: new(loader.Cache)}}}.Validate(),
			`invalid options: Caches.Memory excludes Augment: each epoch has other pixels`},
		"a stride without random clips": {video(loader.VideoOptions{Stride: 2}),
			`invalid options: Stride needs Random: other clips are spread over the file`},
		"negative frames": {video(loader.VideoOptions{Frames: -1}),
			`invalid options: Frames -1: must not be negative`},
		"every frame and a number": {video(loader.VideoOptions{Every: 4, Frames: 2}),
			`invalid options: Every excludes Frames, Random and Stride: it loads all frames`},
		"a placeholder for every frame": {video(loader.VideoOptions{Every: 4,
			Options: loader.Options{OnError: loader.Placeholder}}),
			`invalid options: Every excludes OnError Placeholder: a file has no size for one`},
		"a random window without a length": {audio(loader.AudioOptions{Random: true}),
			`invalid options: Random needs Spec.Length`},
		"a length without a rate": {audio(loader.AudioOptions{Spec: spoolaudio.Spec{Length: 8}}),
			`invalid options: the samples of a batch need one shape: set Spec.Rate and Spec.Channels together with Spec.Length`},
		"one side": {geometry(resize.Spec{Width: 224}),
			`invalid options: Width 224 and Height 0: set both, or neither`},
		"a negative side": {geometry(resize.Spec{Width: -1, Height: 8}),
			`invalid options: Width -1: must not be negative`},
		"a side that is too large": {geometry(resize.Spec{Width: 1 << 20, Height: 8}),
			`invalid options: Width 1048576: must be at most 262144`},
		"a size and a shorter side": {geometry(resize.Spec{Width: 8, Height: 8, Shorter: 8}),
			`invalid options: Width and Height exclude Shorter: set one of them`},
		"a mode without a size": {geometry(resize.Spec{Mode: resize.Fit}),
			`invalid options: Mode fit needs Width and Height`},
		"cover and a crop": {geometry(resize.Spec{Mode: resize.Cover, Width: 8, Height: 8, CropWidth: 4, CropHeight: 4}),
			`invalid options: Mode cover excludes CropWidth and CropHeight: it gives the size of the result`},
		"an unknown filter": {geometry(resize.Spec{Filter: 99}),
			`invalid options: Filter 99: no such filter`},
		"a flip of 2": {resize.Augment{FlipX: 2}.Validate(resize.Spec{}),
			`invalid options: FlipX 2: a probability must be from 0 to 1`},
		"a random crop without a size": {resize.Augment{Crop: new(resize.RandomCrop)}.Validate(resize.Spec{}),
			`invalid options: Crop needs CropWidth and CropHeight: the size of the crop`},
		"a scale in descending order": {resize.RandomResizedCrop{Scale: [2]float64{1, 0.5}}.Validate(),
			`invalid options: Scale [1 0.5]: must ascend, above 0 and at most 1`},
		"a file that does not exist": {decoded(spool.File("none.jpg"), image.Spec{}, decode.Options{}),
			`open none.jpg: not-found: no such file or directory`},
		"a folder": {decoded(spool.File("photos"), image.Spec{}, decode.Options{}),
			`open photos: not-a-file: a folder, where a regular file is needed`},
		"text": {decoded(spool.File("text.jpg"), image.Spec{}, decode.Options{}),
			`decode text.jpg: not-media: not an image in a known format`},
		"an empty file": {decoded(spool.File("empty.jpg"), image.Spec{}, decode.Options{}),
			`decode empty.jpg: empty: zero bytes`},
		"a truncated file": {decoded(spool.File("cut.jpg"), image.Spec{}, decode.Options{}),
			`decode cut.jpg: truncated: the data end in scan 1 with 26.3 % of the image read (libjpeg-turbo 43)`},
		"too many pixels": {decoded(spool.File("photo.jpg"), image.Spec{},
			decode.Options{Limits: decode.Limits{MaxPixels: 100}}),
			`decode photo.jpg: too-large: 451x300 are 135300 pixels, the limit is 100`},
		"no bytes": {decoded(spool.Bytes{}, image.Spec{}, decode.Options{}),
			`decode: empty: zero bytes`},
		"an endpoint without a scheme": {object.Options{Endpoint: "store:9000"}.Validate(),
			`invalid options: Endpoint: must be a URL of the form https://host`},
		"a negative number of requests": {object.Options{MaxInFlight: -1}.Validate(),
			`invalid options: InFlight 0 and MaxInFlight -1: must not be negative, and InFlight not above MaxInFlight`},
		"an unknown device": {device("gpu"),
			`invalid options: device "gpu": must be host, pinned or cuda:N`},
		"a device without a number": {device("cuda:x"),
			`invalid options: device "cuda:x": must be cuda:N, with the number of a device`},
		"an unknown policy for the rest": {square(loader.Options{Sharing: loader.Sharing{Rest: 9}}),
			`invalid options: Sharing.Rest 9: no such policy`},
		"negative fetchers": {square(loader.Options{Fetching: loader.Fetching{Files: -1}}),
			`invalid options: Fetching.Files -1: must not be negative`},
		"a negative first epoch": {square(loader.Options{First: -1}),
			`invalid options: First -1: must not be negative`},
		"a negative number of failures": {square(loader.Options{Failures: loader.Failures{Max: -1}}),
			`invalid options: Failures.Max -1: must not be negative`},
		"a negative read-ahead": {square(loader.Options{Fetching: loader.Fetching{Memory: -1}}),
			`invalid options: Fetching.Memory -1: must not be negative`},
		"a box without an area": {geometry(resize.Spec{Box: resize.Rect{Left: 1, Width: 5}}),
			`invalid options: Box 5x0+1+0: is empty`},
		"a moved crop without a size": {geometry(resize.Spec{CropRight: 3}),
			`invalid options: CropRight and CropDown need CropWidth and CropHeight`},
		"samples of 5 bits": {geometry(resize.Spec{Bits: 5}),
			`invalid options: Bits 5: must be 8 or 16`},
	} {
		assert.EqualError(t, c.err, c.text, name)
	}
}
