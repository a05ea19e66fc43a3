package settings

import (
	"context"
	"errors"
	"regexp"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/cache"
	"github.com/spoolmedia/spool/source/object"
	"github.com/spoolmedia/spool/source/parquet"
)

// Load is what the settings of a loader say. It is made by Set's Images, Videos and Sounds, judged once they are read, and
// then opens loaders.
type Load struct {
	Device string           // where batches go, as transfer.Open has it
	Frame  decode.ImageSpec // what a picture, or a frame, becomes
	Stores object.Options   // how stores on the network are asked
	Disk   DiskCache        // what is kept of what is read
	// Streaming says that samples are loaded while names are listed.
	Streaming bool

	kind     source.Kind
	indexes  string // folder of saved ones; empty: beside the files
	columns  Columns
	road     road
	mix      mix
	rank     rank
	complete func()                     // judges what only this medium has
	validate func(loader.Options) error // once that is done
	load     func(source.Source, loader.Options) (*loader.Loader, error)
}

// Manifests are the formats of tables that need a package of their own.
func Manifests() map[string]source.Format { return map[string]source.Format{".parquet": parquet.Open} }

// define defines what all loaders have. what is decoded at a time.
func (l *Load) define(s *Set, what string) {
	s.road(&l.road, what)
	s.rank(&l.rank)
	s.mix(&l.mix)
	s.Boolean("streaming", &l.Streaming, false, "load while folders and stores are still being listed, and keep few names: one epoch, in the order of their keys, without classes")
	s.Columns(&l.columns)
	s.Stores(&l.Stores)
	s.DiskCache(&l.Disk)
	s.Device(&l.Device, "host", "where batches go: the host's memory, memory that a device reads by itself, or a CUDA device")
}

// Device defines the setting for a device, as transfer.Open takes it. def may be empty, for one that is found.
func (s *Set) Device(p *string, def, help string) {
	s.Add("device", "host|pinned|cuda:N", def, help, func(text string) error {
		if !deviceName.MatchString(text) {
			return errors.New("one of host, pinned and cuda:N")
		}
		*p = text
		return nil
	})
}

var deviceName = regexp.MustCompile(`^(host|pinned|cuda(:\d{1,4})?)$`)

// Judge looks at the settings together, and at what is to be loaded.
func (l *Load) Judge(s *Set, sources []string) {
	l.complete()
	l.road.Rank = l.rank.judge(s)
	l.mix.judge(s, sources)
	l.Disk.judge(s)
	o := l.Options()
	if l.Streaming {
		l.judgeStream(s, o)
	}
	l.Disk.Keep(&o, new(cache.Folder)) // which may not be possible
	s.Check(l.validate(o))
}

// judgeStream refuses what needs all names.
func (l *Load) judgeStream(s *Set, o loader.Options) {
	for _, x := range []struct {
		given bool
		what  string
	}{
		{o.Shuffle, "--shuffle: which sample comes when takes all names"},
		{o.Epochs > 1, "--epochs: names are not kept for another one"},
		{l.mix.names != nil, "--mix: shares take the number of samples"},
		{o.Headspace, "--headspace: nobody knows how many batches there would be"},
		{o.Rank.World > 1, "--world: shares take the number of samples; give each process sources of its own, with --rank 0 --world 1"},
	} {
		if x.given {
			s.Refuse("--streaming excludes %s", x.what)
		}
	}
}

// Options are the loader's, as far as settings say them.
func (l *Load) Options() loader.Options { return l.road.options() }

// List finds what the sources hold: a *source.Listing, or what is Streamed. It is the caller's to open, from the same remote.
func (l *Load) List(ctx context.Context, sources []string, remote source.Remote) (source.Source, error) {
	o := source.Options{Kind: l.kind, AllowEmpty: true, Formats: Manifests(), Remote: remote, Indexes: l.indexes}
	l.columns.Set(&o)
	if l.Streaming {
		return opened(source.OpenStream(ctx, sources, o))
	}
	return opened(source.Open(ctx, sources, o))
}

// opened is a source, and none at all where there is an error.
func opened[S source.Source](src S, err error) (source.Source, error) {
	if err != nil {
		return nil, err
	}
	return src, nil
}

// Open makes the loader of what was listed, which is lent until the loader is closed; with are Options with what settings do not say.
func (l *Load) Open(src source.Source, with loader.Options) (*loader.Loader, error) {
	if listing, ok := src.(*source.Listing); ok && l.mix.names != nil {
		sampler, err := l.mix.sampler(with, listing.Counts())
		if err != nil {
			return nil, err
		}
		with.Sampler, with.Shuffle = sampler, false // which has done so
	}
	return l.load(src, with)
}

// Training is the augmentation that most people train with: torchvision's RandomResizedCrop with its
// defaults, and RandomHorizontalFlip.
func Training() resize.Augment {
	return resize.Augment{ResizedCrop: new(resize.RandomResizedCrop), FlipX: 0.5}
}
