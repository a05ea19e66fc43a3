package settings

import (
	"context"
	"errors"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/record/annotation"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/cache"
	"github.com/spoolmedia/spool/source/chunked"
	"github.com/spoolmedia/spool/source/coco"
	"github.com/spoolmedia/spool/source/object"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
	"github.com/spoolmedia/spool/source/tfrecord"
	"github.com/spoolmedia/spool/transfer"
)

// Load is the settings of a loader. LoadImages, LoadVideo, LoadAudio and LoadRecords of a Set make it, Judge checks it
// once all settings are read, and then it opens loaders.
type Load struct {
	Device    string         // destination of batches, in the form of transfer.Open
	Frame     image.Spec     // the form of an image or a frame
	Stores    object.Options // requests to remote stores
	DiskCache DiskCache      // disk cache
	// Streaming loads samples while names are listed.
	Streaming bool
	// Normalizer is how a device makes floats of the bytes of batches. nil: batches are copied as they are.
	Normalizer *transfer.NormalizerOptions
	// Headspace runs loaders by Loader.Headspace.
	Headspace bool

	kind      source.Medium
	schema    record.Schema // of records
	robot     robot         // of records that are LeRobot data sets
	sources   []string      // as Judge was told
	indexes   string        // folder of saved indexes; empty: next to the files
	columns   Columns
	common    common
	sampling  sampling
	rank      rank
	normalize bool                       // --normalize-on=device
	onDevice  bool                       // --decode-on=device
	complete  func()                     // judges the settings of this medium
	validate  func(loader.Options) error // afterwards
	load      func(source.Source, loader.Options) (*loader.Loader, error)
	windows   windows
	// list, if not nil, lists the sources instead of source.Open.
	list func(ctx context.Context, sources []string, o source.Options) (source.Source, error)
}

// makes defines how the settings of a medium are judged, and how its loader is made. common is where the options of all
// loaders belong: both functions find them there.
func (l *Load) makes(common *loader.Options, validate func() error,
	load func(source.Source) (*loader.Loader, error)) {
	l.validate = func(o loader.Options) error {
		*common = o
		return validate()
	}
	l.load = func(src source.Source, o loader.Options) (*loader.Loader, error) {
		*common = o
		return load(src)
	}
}

// Manifests are the formats of tables that need a separate package.
func Manifests() map[string]table.Format {
	return map[string]table.Format{".parquet": parquet.Open, ".arrow": arrow.Open, ".json": annotations(""),
		".tfrecord": tfrecord.Open, ".tfrecords": tfrecord.Open}
}

// Sets are the formats of data sets that need a separate package.
func Sets() map[string]table.Set { return map[string]table.Set{"index.json": chunked.Set()} }

// annotations is the format of COCO's annotations, whose images are in a folder.
func annotations(images string) table.Format {
	return coco.Table(coco.TableOptions{Images: images, Mask: annotation.MaskPNG})
}

// define defines the settings that all loaders share. what names the unit of decoding: images or files.
func (l *Load) define(s *Set, what string) {
	s.common(&l.common, &l.Headspace, what)
	s.rank(&l.rank)
	s.sampling(&l.sampling)
	s.Boolean("streaming", &l.Streaming, false,
		"load while folders and stores are still being listed, and keep few names: one epoch, in the order of the keys, "+
			"without classes")
	s.Columns(&l.columns)
	s.Stores(&l.Stores)
	s.DiskCache(&l.DiskCache)
	s.Device(&l.Device, "host", "where batches go: the host's memory, pinned memory that a device copies by itself, or "+
		"a CUDA device")
}

// normalizing defines the setting that has a device make the floats of pixels.
func (l *Load) normalizing(s *Set) {
	Choice(s, "normalize-on", &l.normalize, "host", "where floats are made. device: bytes are decoded and copied, and "+
		"the --device makes floats of them, which are the same for images of 8 bits", map[string]bool{"host": false,
		"device": true})
}

// decoding defines the setting that has a device decode. what names the samples: images or clips.
func (l *Load) decoding(s *Set, what string) {
	Choice(s, "decode-on", &l.onDevice, "host", "where "+what+" are decoded. device: by the --device, where it takes "+
		"them, else by the host", map[string]bool{"host": false, "device": true})
}

// decodes reports whether the device decodes.
func (l *Load) decodes(s *Set) bool {
	if l.onDevice && (l.Device == "host" || l.Device == "pinned") {
		s.Refuse("--decode-on=device needs a CUDA device, like --device=cuda:0")
	}
	return l.onDevice
}

// normalized makes a spec one of bytes, and Normalizer what the device makes of them, with --normalize-on=device.
func (l *Load) normalized(s *Set, d *spool.DType, layout *spool.Layout, mean, std *[]float32) {
	if !l.normalize {
		return
	}
	for _, x := range []struct {
		wrong bool
		what  string
	}{
		{*d != spool.Float16 && *d != spool.BFloat16 && *d != spool.Float32, "needs --dtype=float16, bfloat16 or float32"},
		{*layout != spool.CHW, "needs --layout=nchw"},
		{l.Device == "host" || l.Device == "pinned", "needs a CUDA device, like --device=cuda:0"},
		{l.common.OnError == loader.Placeholder, "excludes --on-error=placeholder: its color is one of floats"},
		{l.common.Last == batch.Pad, "excludes --last=pad: padding is zeros"},
	} {
		if x.wrong {
			s.Refuse("--normalize-on=device %s", x.what)
		}
	}
	l.Normalizer = &transfer.NormalizerOptions{DType: *d, Mean: *mean, Std: *std}
	*d, *layout, *mean, *std = spool.Uint8, spool.HWC, nil, nil
}

// Device defines the setting for a device, in the form of transfer.Open. An empty def leaves the choice to the caller.
func (s *Set) Device(p *string, def, help string) {
	s.Add("device", "host|pinned|cuda:N", def, help, func(text string) error {
		if transfer.CheckName(text) != nil {
			return errors.New("must be host, pinned or cuda:N" + deviceMeant(text))
		}
		*p = text
		return nil
	})
}

// deviceMeant returns what a wrong device probably means, as the end of a message.
func deviceMeant(text string) string {
	switch strings.ToLower(text) {
	case "cpu":
		return "; did you mean host?"
	case "gpu":
		return "; did you mean cuda:0?"
	}
	return Meant(text, []string{"host", "pinned", "cuda"})
}

// Judge checks the settings together, and against the sources.
func (l *Load) Judge(s *Set, sources []string) {
	l.sources = sources
	l.complete()
	l.common.Sharing.Rank = l.rank.judge(s)
	l.DiskCache.judge(s)
	o := l.Options()
	l.sampling.judge(s, sources, o)
	if l.Streaming {
		l.judgeStream(s, o)
	}
	l.DiskCache.Keep(&o, new(cache.Folder)) // reports if samples cannot be kept
	s.Check(l.validate(o))
}

// judgeStream refuses settings that need all names.
func (l *Load) judgeStream(s *Set, o loader.Options) {
	for _, x := range []struct {
		given bool
		what  string
	}{
		{o.Shuffle, "--shuffle: the order needs all names"},
		{l.common.cache > 0, "--cache: no sample comes twice"},
		{o.Epochs > 1, "--epochs: names are not kept for a second epoch"},
		{l.sampling.mix.names != nil, "--mix: the mixture needs the number of samples"},
		{l.sampling.kind != listed, "--sampler: it needs all names"},
		{l.sampling.weights != "", "--weights: it needs all names"},
		{l.sampling.lengths != "", "--lengths: it needs all names"},
		{l.sampling.repeats > 1, "--repeats: a stream has each name once"},
		{l.Headspace, "--headspace: the number of batches is unknown"},
		{l.windows.Seconds > 0, "--windows: the windows of all videos must be known"},
		{o.Sharing.Rank.World > 1, "--world: shares need the number of samples; give each process separate sources, with " +
			"--rank=0 --world=1"},
	} {
		if x.given {
			s.Refuse("--streaming excludes %s", x.what)
		}
	}
}

// Cache makes the cache in memory that the settings ask for, or nil. The caller closes it after the loaders.
func (l *Load) Cache() (*loader.Cache, error) {
	if l.common.cache == 0 {
		return nil, nil
	}
	return loader.NewCache(l.common.cache)
}

// Options returns the loader's options that follow from settings.
func (l *Load) Options() loader.Options { return l.common.options() }

// List lists the sources: it returns a *source.Listing, or with Streaming a stream of names. The caller opens samples
// of it through the same remote.
func (l *Load) List(ctx context.Context, sources []string, remote source.Remote) (source.Source, error) {
	o := l.columns.options(l.kind, l.indexes, remote)
	if l.Streaming && l.list == nil {
		return opened(source.OpenStream(ctx, sources, o))
	}
	var (
		src source.Source
		err error
	)
	if l.list != nil {
		src, err = l.list(ctx, sources, o)
	} else {
		src, err = opened(source.Open(ctx, sources, o))
	}
	if err != nil || l.windows.Seconds == 0 {
		return src, err
	}
	listed, ok := src.(source.Listed)
	if !ok {
		return nil, Problems{"--windows: each sample of this source is a row, and no video"}
	}
	with := l.windows.WindowOptions
	with.Limits = l.common.Limits
	return opened(loader.Windows(ctx, listed, with))
}

// opened returns a nil source with an error, instead of an interface that holds a nil pointer.
func opened[S source.Source](src S, err error) (source.Source, error) {
	if err != nil {
		return nil, err
	}
	return src, nil
}

// Open returns a loader of a listed source, which must stay open until the loader is closed. with is Options with the
// fields that have no setting.
func (l *Load) Open(src source.Source, with loader.Options) (*loader.Loader, error) {
	if with.Sampler == nil { // not set by the caller
		if err := l.sampling.set(&with, src); err != nil {
			return nil, err
		}
	}
	return l.load(src, with)
}

// Training is the default augmentation of training: torchvision's RandomResizedCrop with its defaults, and
// RandomHorizontalFlip.
func Training() resize.Augment {
	return resize.Augment{ResizedCrop: new(resize.RandomResizedCrop), FlipX: 0.5}
}
