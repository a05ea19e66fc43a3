package source

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/shard"
)

// recordShard is a tar file whose samples are records.
type recordShard struct {
	file   *shardFile // its samples stay empty
	inputs []input

	keys     []byte
	ends     []uint32 // of each sample's key
	labels   []int64  // of each sample; nil: all are -1
	parts    []part   // of each sample, one for each input
	spelling []uint16 // of each part: the number of its extension from 1; 0: the sample lacks it
	spelled  []string // extensions as they are written
	bad      map[int]error
	members  map[int]string // of samples that lack a required input
	torn     int            // the last sample, if the archive is damaged after it; -1 otherwise
	counts   map[string]int // members by extension, in lower case; nil after the scan
	skipped  Skipped
	err      error
}

// part is the position of a member's bytes.
type part struct{ offset, size int64 }

// use is an input, and which of its alternatives.
type use struct{ input, alternative int }

// shard adds a tar file, which scan reads together with the others.
func (r *recordLister) shard(name string) {
	f := &recordShard{file: newShardFile(name, r.opts, r.partOpener().unpacked), inputs: r.inputs, torn: -1,
		bad: map[int]error{}, members: map[int]string{}, counts: map[string]int{},
		skipped: Skipped{Extensions: map[string]int{}}}
	r.shards = append(r.shards, f)
	r.noteRemote(name)
	r.addContainer(recordContainer{f})
}

// scan reads the shards that were added, several at a time. It returns an error only if the context has ended.
func (r *recordLister) scan() error {
	uses := map[string][]use{}
	for i, in := range r.inputs {
		for k, name := range in.names {
			name = strings.ToLower(name)
			uses[name] = append(uses[name], use{i, k})
		}
	}
	r.together(len(r.shards), func(i int) { r.shards[i].err = r.shards[i].scan(r.ctx, uses) })
	for _, f := range r.shards {
		name := f.file.file
		if err := ended(r.ctx, "list", name); err != nil {
			return err
		}
		r.skipped.add(f.skipped)
		if f.err != nil {
			r.problems.add(f.err)
		} else if f.damage() == nil {
			r.complete(f)
		}
		unused := map[string]bool{}
		for ext := range f.counts {
			if ext != labelMember && uses[ext] == nil {
				unused[ext] = true
			}
		}
		r.notices.add(name, r.opts.unusedMembers(unused))
		f.counts = nil
	}
	return nil
}

// complete reports the inputs that no sample of a shard has.
func (r *recordLister) complete(f *recordShard) {
	name := f.file.file
	if len(f.counts) == 0 && f.len() == 0 {
		r.problems.add(&spool.Error{Op: "list", File: spool.Redacted(name), Class: spool.ErrEmpty,
			Text: "a shard without samples"})
		return
	}
	there := slices.Collect(maps.Keys(f.counts))
	slices.SortFunc(there, func(a, b string) int {
		return cmp.Or(cmp.Compare(f.counts[b], f.counts[a]), cmp.Compare(a, b))
	})
	for i := range r.inputs {
		in := &r.inputs[i]
		if !slices.ContainsFunc(in.names, func(name string) bool { return f.counts[strings.ToLower(name)] > 0 }) {
			r.lacking(in, name, "no sample has a member %s", in.among(there))
		}
	}
	if f.len() == 0 && r.inputs[required(r.inputs)].Optional {
		r.problems.add(&spool.Error{Op: "list", File: spool.Redacted(name), Class: spool.ErrEmpty,
			Text: "no sample has any of the inputs; there are members " + shown(there)})
	}
}

// scan reads the index and keeps the samples that have inputs. Damage of the archive becomes a last sample.
func (f *recordShard) scan(ctx context.Context, uses map[string][]use) error {
	x, err := f.file.index(ctx, wholeShard)
	if err == nil {
		if err = f.addAll(x, uses); err != nil {
			return err
		}
		err = x.Damage()
	}
	switch {
	case err == nil:
	case !isDamage(err):
		return spool.InFile(err, f.file.file)
	default:
		f.bad[f.len()] = err
		if err := f.add(shard.Sample{Label: -1}, make([]shard.Member, len(f.inputs))); err != nil {
			return err
		}
	}
	// Clones have no spare capacity.
	f.keys, f.ends, f.labels = slices.Clone(f.keys), slices.Clone(f.ends), slices.Clone(f.labels)
	f.parts, f.spelling = slices.Clone(f.parts), slices.Clone(f.spelling)
	return nil
}

// addAll adds the samples of an index that have a required input, or any if none is required.
func (f *recordShard) addAll(x *shard.Index, uses map[string][]use) error {
	sets := map[string]string{} // members of samples, each text once
	anyRequired := !f.inputs[required(f.inputs)].Optional
	chosen, rank := make([]shard.Member, len(f.inputs)), make([]int, len(f.inputs))
	for i := range x.Len() {
		s := x.Sample(i)
		clear(chosen)
		wanted, lacking := false, false
		for _, m := range s.Members {
			ext := m.Ext()
			f.counts[ext]++
			for _, u := range uses[ext] {
				if chosen[u.input].Name == "" || u.alternative < rank[u.input] {
					chosen[u.input], rank[u.input] = m, u.alternative
				}
				wanted = wanted || !anyRequired || !f.inputs[u.input].Optional
			}
		}
		if !wanted {
			f.skipped.Extensions["."+s.Members[0].Ext()]++
			continue
		}
		for k, m := range chosen {
			lacking = lacking || m.Name == "" && !f.inputs[k].Optional
		}
		n := f.len()
		if lacking {
			set := extensionsOf(s.Members)
			if sets[set] == "" {
				sets[set] = set
			}
			f.members[n] = sets[set]
		}
		if s.Err != nil {
			f.bad[n] = s.Err
		}
		if x.Damage() != nil && i == x.Len()-1 {
			f.torn = n
		}
		if err := f.add(s, chosen); err != nil {
			return err
		}
	}
	return nil
}

// extensionsOf joins the extensions of members.
func extensionsOf(members []shard.Member) string {
	var extensions []string
	for _, m := range members {
		extensions = append(extensions, m.Ext())
	}
	return shown(extensions)
}

// add adds a sample with a member for each input; one without a name is missing.
func (f *recordShard) add(s shard.Sample, members []shard.Member) error {
	if len(f.keys)+len(s.Key) > math.MaxUint32 {
		return refusedIn(f.file.file, "names of more than 4 GiB")
	}
	if s.Label >= 0 && f.labels == nil {
		f.labels = slices.Repeat([]int64{-1}, f.len())
	}
	if f.labels != nil {
		f.labels = append(f.labels, s.Label)
	}
	f.keys = append(f.keys, s.Key...)
	f.ends = append(f.ends, uint32(len(f.keys)))
	for _, m := range members {
		f.parts = append(f.parts, part{m.Offset, m.Size})
		number := 0
		if m.Name != "" {
			ext := m.Name[len(s.Key)+1:]
			if number = slices.Index(f.spelled, ext) + 1; number == 0 {
				f.spelled = append(f.spelled, strings.Clone(ext))
				number = len(f.spelled)
			}
		}
		if number > maxSpelled {
			return refusedIn(f.file.file, "extensions that are written in more than %d ways", maxSpelled)
		}
		f.spelling = append(f.spelling, uint16(number))
	}
	return nil
}

// maxSpelled is the most extensions that numbers are kept of. Names in two cases have few.
const maxSpelled = 1 << 10

// refusedIn is refused with the name of a file.
func refusedIn(file, format string, args ...any) error {
	return spool.InFile(refused(format, args...), file)
}

func (f *recordShard) len() int { return len(f.ends) }

func (f *recordShard) sizes() []int { return []int{f.len()} }

func (f *recordShard) number(func(string) int64) {}

func (f *recordShard) damage() error {
	last := f.len() - 1
	if last < 0 || f.key(last) != "" {
		return nil
	}
	return spool.InFile(f.bad[last], f.file.file)
}

func (f *recordShard) key(k int) string {
	start := uint32(0)
	if k > 0 {
		start = f.ends[k-1]
	}
	return string(f.keys[start:f.ends[k]])
}

// name returns the name of an input's member, or "".
func (f *recordShard) name(k, input int) string {
	number := f.spelling[k*len(f.inputs)+input]
	if number == 0 {
		return ""
	}
	return spool.Redacted(f.file.file) + "/" + f.key(k) + "." + f.spelled[number-1]
}

func (f *recordShard) item(k int) Item {
	item := Item{Name: spool.Redacted(f.file.file), Label: -1, Key: f.key(k)}
	if f.labels != nil {
		item.Label = f.labels[k]
	}
	for i := range f.inputs {
		if name := f.name(k, i); name != "" {
			item.Name = name
			break
		}
	}
	return item
}

func (f *recordShard) openInput(ctx context.Context, k, input int) (spool.Object, error) {
	name := f.name(k, input)
	if name == "" {
		name = f.item(k).Name
	}
	if err := ended(ctx, "open", name); err != nil {
		return nil, err
	}
	in, at := &f.inputs[input], k*len(f.inputs)+input
	switch {
	case f.bad[k] != nil:
		return nil, spool.InFile(f.bad[k], name)
	case f.spelling[at] > 0:
		return f.file.member(ctx, name, shard.Member{Name: name, Offset: f.parts[at].offset, Size: f.parts[at].size})
	case k == f.torn: // the member may come after the damage
		damage := f.bad[f.len()-1]
		return nil, &spool.Error{Op: "open", File: name, Class: spool.ClassOf(damage),
			Text: fmt.Sprintf("a member %s may come after the damage: %v", in, damage), Err: damage}
	case in.Optional:
		return nil, nil
	}
	return nil, lacks(name, "the sample has no member %s, but %s", in, f.members[k])
}
