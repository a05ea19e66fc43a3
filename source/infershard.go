package source

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/shard"
)

// inShard finds the extensions in a shard. Of a large one without an index, the beginning is read.
func (f *firstRoot) inShard() ([]InferredInput, error) {
	file := newShardFile(f.name, f.opts, f.partOpener().unpacked)
	x, err := file.beginning(f.ctx)
	if err != nil {
		return nil, spool.InFile(err, f.name)
	}
	n := min(x.Len(), examinedSamples)
	if n > 1 && n == x.Len() && x.Damage() != nil {
		n-- // the last one may be incomplete
	}
	if n == 0 {
		return nil, spool.InFile(cmp.Or(x.Damage(), nothing(f.name, f.opts, Skipped{})), f.name)
	}
	has, first := map[string][]bool{}, map[string]shard.Member{}
	for i := range n {
		for _, m := range x.Sample(i).Members {
			ext := m.Ext()
			if has[ext] == nil {
				has[ext], first[ext] = make([]bool, n), m
			}
			has[ext][i] = true
		}
	}
	var found []InferredInput
	var sets [][]bool // the samples that have each of found
	for _, ext := range slices.Sorted(maps.Keys(has)) {
		kind := kindOf(path.Ext("."+ext), ext)
		if kind == "" {
			if kind, err = f.peek(file, first[ext]); err != nil {
				return nil, err
			}
		}
		at := slices.IndexFunc(found, func(in InferredInput) bool {
			return isMedia(kind) && in.Kind == kind && inner(in.Name) == inner(ext)
		})
		if at < 0 || !apart(sets[at], has[ext]) {
			found, sets = append(found, InferredInput{Input: Input{Name: ext}, Kind: kind}), append(sets, has[ext])
			continue
		}
		found[at].Name += ";" + ext
		for i, there := range has[ext] {
			sets[at][i] = sets[at][i] || there
		}
	}
	for i := range found {
		found[i].count(sets[i])
	}
	return found, nil
}

// inner returns an extension without its last part, "seg" of "seg.png", and so of the first of alternatives.
func inner(ext string) string {
	ext, _, _ = strings.Cut(ext, ";")
	return strings.TrimSuffix(strings.TrimSuffix(ext, path.Ext("." + ext)[1:]), ".")
}

// apart reports whether no sample is in both sets.
func apart(a, b []bool) bool {
	for i := range a {
		if a[i] && b[i] {
			return false
		}
	}
	return true
}

// peek returns the kind of a small member by its content.
func (f *firstRoot) peek(file *shardFile, m shard.Member) (string, error) {
	const most = 4 << 10
	if m.Size > most {
		return kindBytes, nil
	}
	o, err := file.member(f.ctx, m.Name, m)
	if err != nil {
		return "", err
	}
	defer o.Close()
	data, err := spool.ReadAll(f.ctx, o, nil, most)
	if err != nil {
		return "", spool.InFile(err, f.name)
	}
	return kindOfValue(data), nil
}

// beginning returns the saved index, or that of the beginning of a large shard without compression: the rest counts as
// damage.
func (f *shardFile) beginning(ctx context.Context) (*shard.Index, error) {
	const most = 16 << 20
	if saved := f.saved(ctx); saved != nil {
		f.compression = saved.Compression
		return saved.Index, nil
	}
	o, err := f.read(ctx)
	if err != nil {
		return nil, err
	}
	o = streamed(o)
	defer o.Close()
	if f.compression, err = shard.Compressed(ctx, o); err != nil {
		return nil, err
	}
	if f.compression != shard.None || o.Info().Size <= most {
		return f.look(ctx)
	}
	return shard.Scan(ctx, head{o, most})
}

// head is the first bytes of an object.
type head struct {
	spool.Object
	size int64
}

func (h head) Info() spool.ObjectInfo {
	info := h.Object.Info()
	info.Size = h.size
	return info
}
