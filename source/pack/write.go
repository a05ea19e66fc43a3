package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/table"
)

// Options say how samples are packed. The zero value packs 1,000 samples a shard in the source's order.
type Options struct {
	// PerShard is the number of samples of each shard but the last, which has the rest. 0 means 1,000, or that ShardBytes
	// counts.
	PerShard int
	// ShardBytes makes shards of at most this size instead, unless one sample alone is larger. They are as few as
	// possible, and the largest is as small as it can be. Each sample is opened once before, for its size, and takes 8
	// bytes of memory.
	ShardBytes int64
	// Members are the extensions of the inputs of a source.RecordSource, which are then packed as members of each sample:
	// "jpg", "seg.png", "txt". Inputs that a sample lacks are left out. Without it, a sample is the file that Open opens.
	Members []string
	// Format is a format of tables, in place of tar files. Each file is then a structure of bytes and path, and the label
	// and the key have columns of their own. A worker takes the memory of some 32 MiB, and of the files of one sample.
	Format Format
	// Values are those of Members whose files are text, and columns of text in a table.
	Values []string
	// Transform changes files of each sample while they are packed, except those of Values. ShardBytes counts them as they
	// were. A sample that is a part of a file (source.Segmented) needs one, and is the error ErrUnsupported without.
	Transform Transform
	// Checksum is the checksum of shards in the manifest. Empty means CRC64NVME.
	Checksum Checksum
	// Store has the destination of Write, if that is a URL.
	Store source.Store
	// Shuffle packs in the order order.NewPermutation(n, Seed, 0).
	Shuffle bool
	Seed    uint64
	// Cluster packs the samples of one label side by side: by ascending labels, and within a label in the order that
	// they have without it. Samples without a label come first. It takes 8 bytes of memory for each sample.
	Cluster bool
	// Workers is the number of shards written at a time. 0 means one for each CPU. The bytes do not depend on it.
	Workers int
}

func (o Options) perShard() int {
	if o.PerShard == 0 && o.ShardBytes == 0 {
		return 1000
	}
	return o.PerShard
}

// checksum returns the checksum of shards if it is not the default.
func (o Options) checksum() Checksum {
	if o.Checksum == CRC64NVME {
		return ""
	}
	return o.Checksum
}

// workers returns the number of shards written at a time.
func (o Options) workers() int {
	if o.Workers == 0 {
		return cores.Count()
	}
	return o.Workers
}

// member is the form of an extension, which is a part of a file's name.
var member = regexp.MustCompile(`^[a-z0-9_-]+(\.[a-z0-9_-]+)*$`)

func (o Options) validate(src source.Source) error {
	var bad invalid.Options
	if o.PerShard < 0 {
		bad.Value("PerShard", o.PerShard, "must not be negative")
	}
	if o.ShardBytes < 0 {
		bad.Value("ShardBytes", o.ShardBytes, "must not be negative")
	}
	if o.PerShard > 0 && o.ShardBytes > 0 {
		bad.Excludes(invalid.Named("PerShard"), invalid.Named("ShardBytes"), "")
	}
	if o.Workers < 0 {
		bad.Value("Workers", o.Workers, "must not be negative")
	}
	if _, ok := src.(source.RecordSource); !ok && len(o.Members) > 0 {
		bad.Value("Members", o.Members, "needs a source of records")
	}
	if (o.Format.Name == "") != (o.Format.Create == nil) {
		bad.Value("Format", o.Format.Name, "needs both Name and Create")
	}
	if o.Format.Name != "" && !member.MatchString(o.Format.Name) {
		bad.Value("Format", o.Format.Name, "must be an extension of lower-case letters and digits")
	}
	for _, ext := range o.Values {
		if !slices.Contains(o.Members, ext) {
			bad.Value("Values", ext, "must be one of Members")
		}
	}
	if (o.Transform.Name == "") != (o.Transform.Apply == nil) {
		bad.Value("Transform", o.Transform.Name, "needs both Name and Apply")
	}
	if !slices.Contains([]Checksum{"", CRC64NVME, SHA256}, o.Checksum) {
		bad.Value("Checksum", o.Checksum, "must be crc64nvme or sha256")
	}
	for i, ext := range o.Members {
		if !member.MatchString(ext) || ext == labelMember || slices.Contains(o.Members[:i], ext) {
			bad.Value("Members", ext, "each must be an extension of its own, of lower-case letters and digits, and not cls")
		}
		column := func(other string) bool { return columnOfMember(other) == columnOfMember(ext) }
		if o.Format.Name != "" && (ext == labelColumn || ext == keyColumn || slices.ContainsFunc(o.Members[:i], column)) {
			bad.Value("Members", ext, "its column would have the name of another")
		}
	}
	return bad.Err()
}

// Write packs the samples of a source into a folder, or below the URL of a bucket, or continues to. It returns the
// manifest that it wrote there. Source files must not change between calls that continue.
func Write(ctx context.Context, src source.Source, to string, o Options) (*Manifest, error) {
	if err := o.validate(src); err != nil {
		return nil, err
	}
	w, end, err := begin(ctx, src, destinationOf(to, o.Store, false), o)
	if err != nil {
		return nil, err
	}
	defer end()
	m := &Manifest{Plan: w.plan, Shards: make([]Shard, len(w.cuts)-1)}
	if err := w.all(ctx, o.workers(), 0, m.Shards); err != nil {
		return nil, err
	}
	if err := w.index(ctx, m.Shards); err != nil {
		return nil, w.stopped(ctx, err)
	}
	if err := m.save(ctx, w.destination, w.finished[manifestFile]); err != nil {
		return nil, w.stopped(ctx, err)
	}
	return m, nil
}

// begin takes a destination, plans its shards and writes the plan there. The caller calls end.
func begin(ctx context.Context, src source.Source, d destination, o Options) (_ *packer, end func(), err error) {
	release, err := d.begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	w := &packer{samples: newSamples(src, o), destination: d, checksum: o.checksum(), order: order.Sequential(src.Len())}
	if o.Shuffle {
		w.order = order.NewPermutation(src.Len(), o.Seed, 0)
	}
	if o.Cluster {
		w.order = newClusters(src, w.order)
	}
	frame := int64(2 * tarBlock)
	w.weigh = inArchive
	if w.format = o.Format; w.format.Name != "" {
		w.schema = w.samples.schema(o.Values)
		columns := len(w.schema.Fields)
		w.weigh = inTable(columns, o.Members)
		frame = partBytes*int64(columns+4) + 2*int64(len(w.schema.Metadata[0][1]))
	}
	var sizes []int64
	if o.ShardBytes > 0 {
		if sizes, err = measureSamples(ctx, w.samples, o.workers()); err != nil {
			return nil, nil, w.stopped(ctx, err)
		}
		w.cuts = cutBySize(sizes, w.order, o.ShardBytes, frame)
	} else {
		w.cuts = cutByCount(src.Len(), o.perShard())
	}
	if w.plan, err = newPlan(ctx, w.samples, sizes, o); err != nil {
		return nil, nil, w.stopped(ctx, err)
	}
	if w.finished, err = w.plan.begin(ctx, d); err != nil {
		return nil, nil, w.stopped(ctx, err)
	}
	return w, release, nil
}

// index writes the index of a format that has one, unless it is there.
func (w *packer) index(ctx context.Context, shards []Shard) error {
	if w.format.Index == nil {
		return nil
	}
	files := make([]table.File, len(shards))
	for i, s := range shards {
		files[i] = table.File{Name: s.Name, Rows: s.Samples, Bytes: s.Bytes}
	}
	name, text, err := w.format.Index(w.schema, files)
	if err != nil || w.finished[name] {
		return err
	}
	if err := save(ctx, w.destination, name, text); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// save writes the manifest, or compares it with an existing manifest.
func (m *Manifest) save(ctx context.Context, d destination, there bool) error {
	if !there {
		text, err := json.MarshalIndent(m, "", "  ")
		if err != nil {
			return err
		}
		if err := save(ctx, d, manifestFile, append(text, '\n')); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	old, err := readManifest(ctx, d)
	if err != nil {
		return err
	}
	if len(old.Shards) != len(m.Shards) {
		return &spool.Error{Op: "read", File: spool.Redacted(d.path(manifestFile)), Class: spool.ErrCorrupt,
			Text: fmt.Sprintf("%d shards, and the plan has %d", len(old.Shards), len(m.Shards))}
	}
	var bad []error
	for i, was := range old.Shards {
		bad = append(bad, was.compare(m.Shards[i], d))
	}
	return errors.Join(bad...)
}

// packer writes the shards of a plan.
type packer struct {
	samples
	destination
	format   Format
	schema   table.Schema // of a table
	plan     Plan
	checksum Checksum
	finished map[string]bool // files that were there
	order    order.Sampler
	cuts     []int // the position of each shard's first sample, and the number of samples
}

// stopped returns the error of a worker, or that the caller stopped all of them.
func (w *packer) stopped(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return &spool.Error{Op: "pack", File: spool.Redacted(w.path("")), Class: spool.ClassOf(ctx.Err()),
		Err: context.Cause(ctx)}
}

// all packs the shards from the first on, several at a time. The first error stops all workers.
func (w *packer) all(ctx context.Context, workers, first int, shards []Shard) error {
	group, running := errgroup.WithContext(ctx)
	var taken atomic.Int64
	for range min(workers, len(shards)) {
		group.Go(func() error {
			buffer := make([]byte, archiveMemory)
			for i := int(taken.Add(1)) - 1; i < len(shards) && running.Err() == nil; i = int(taken.Add(1)) - 1 {
				var err error
				if shards[i], err = w.shard(running, first+i, buffer); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return w.stopped(ctx, group.Wait())
}

// shard packs one shard, or measures the finished one.
func (w *packer) shard(ctx context.Context, i int, buffer []byte) (s Shard, err error) {
	name, from, to := w.plan.name(i), w.cuts[i], w.cuts[i+1]
	if w.finished[name] {
		s, err = measure(ctx, w.destination, name, w.checksum, buffer)
	} else {
		s, err = w.write(ctx, name, from, to, buffer)
	}
	s.Samples = to - from
	return s, err
}

// write writes a shard. If another process was faster, it compares the two.
func (w *packer) write(ctx context.Context, name string, from, to int, buffer []byte) (Shard, error) {
	out, err := w.create(ctx, name)
	if err != nil {
		return Shard{}, err
	}
	if err := w.fill(ctx, out, from, to, buffer); err != nil {
		out.discard()
		return Shard{}, err
	}
	s := out.measured(name)
	err = out.finish()
	if errors.Is(err, fs.ErrExist) {
		var there Shard
		if there, err = measure(ctx, w.destination, name, w.checksum, buffer); err == nil {
			err = s.compare(there, w.destination)
		}
	}
	return s, err
}

// form writes samples in one format.
type form interface {
	sample(ctx context.Context, i, at int) error
	close() error // writes what follows the samples
}

// form begins a file of samples.
func (w *packer) form(out *shardFile, buffer []byte) (form, error) {
	if w.format.Name == "" {
		return newArchive(w.samples, out, out.path, buffer), nil
	}
	return newRows(w.samples, w.schema, w.format.Create, out)
}

// fill writes the samples at positions of the packed order to a file.
func (w *packer) fill(ctx context.Context, out *shardFile, from, to int, buffer []byte) error {
	f, err := w.form(out, buffer)
	if err != nil {
		return spool.FileError("write", out.path, err)
	}
	for at := from; at < to; at++ {
		if err := f.sample(ctx, w.order.At(at), at); err != nil {
			return err
		}
	}
	if err := f.close(); err != nil {
		return spool.FileError("write", out.path, err)
	}
	return nil
}
