package pack

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
)

// Plan says what is packed: equal plans give equal shards.
type Plan struct {
	Version    int      `json:"version"`
	Samples    int      `json:"samples"`
	PerShard   int      `json:"per_shard,omitempty"`
	ShardBytes int64    `json:"shard_bytes,omitempty"`
	Members    []string `json:"members,omitempty"`
	Format     string   `json:"format,omitempty"` // empty: tar
	Values     []string `json:"values,omitempty"`
	Transform  string   `json:"transform,omitempty"`
	Checksum   Checksum `json:"checksum,omitempty"` // empty: CRC64NVME
	Shuffle    bool     `json:"shuffle"`
	Seed       uint64   `json:"seed"`
	Cluster    bool     `json:"cluster,omitempty"`
	// Source is the SHA-256 of the names, labels and keys, in the source's order, of the parts of files, and with
	// ShardBytes of the sizes.
	Source  string   `json:"source"`
	Classes []string `json:"classes,omitempty"`
}

const (
	planFile     = "plan.json"
	manifestFile = "manifest.json"
)

// labelMember is the extension of a label.
const labelMember = "cls"

// newPlan describes a source. It reads all of its items. The sizes may be nil.
func newPlan(ctx context.Context, s samples, sizes []int64, o Options) (Plan, error) {
	src, sum := s.src, sha256.New()
	var text []byte
	for i := range src.Len() {
		item := src.Item(i)
		text = append(strconv.AppendQuote(text[:0], item.Name), ' ')
		text = append(strconv.AppendInt(text, item.Label, 10), ' ')
		sum.Write(append(strconv.AppendQuote(text, item.Key), '\n'))
		part, err := s.part(ctx, i)
		if err != nil {
			return Plan{}, err
		}
		if part != nil {
			fmt.Fprintln(sum, part)
		}
		if sizes != nil {
			fmt.Fprintln(sum, sizes[i])
		}
	}
	p := Plan{Version: 2, Samples: src.Len(), PerShard: o.perShard(), ShardBytes: o.ShardBytes, Members: o.Members,
		Format: o.Format.Name, Values: o.Values, Transform: o.Transform.Name, Checksum: o.checksum(), Shuffle: o.Shuffle,
		Cluster: o.Cluster, Source: hex.EncodeToString(sum.Sum(nil)), Classes: src.Classes()}
	if o.Shuffle {
		p.Seed = o.Seed
	}
	return p, nil
}

// name returns the file name of a shard.
func (p Plan) name(shard int) string { return fmt.Sprintf("%06d.%s", shard, cmp.Or(p.Format, "tar")) }

// begin writes the plan to a destination that is empty, or checks that the destination has the same one. It returns the
// names of the files that are there.
func (p Plan) begin(ctx context.Context, d destination) (names map[string]bool, err error) {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return nil, err
	}
	if names, err = d.names(ctx); err != nil {
		return nil, err
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool { return strings.HasPrefix(name, planFile+".") }) // unfinished
	switch {
	case names[planFile]:
	case len(names) > 0:
		return nil, fmt.Errorf("%w: %s is not empty and has no %s", spool.ErrOptions, spool.Redacted(d.path("")), planFile)
	default:
		if err := save(ctx, d, planFile, text); !errors.Is(err, fs.ErrExist) {
			return names, err
		}
	}
	there, err := load(ctx, d, planFile)
	if err == nil && string(there) != string(text) {
		err = fmt.Errorf("%w: %s has shards of another source, or of other options: use an empty folder",
			spool.ErrOptions, spool.Redacted(d.path("")))
	}
	return names, err
}
