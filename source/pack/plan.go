package pack

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
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
	Shuffle    bool     `json:"shuffle"`
	Seed       uint64   `json:"seed"`
	// Source is the SHA-256 of the names, labels and keys, in the source's order, and with ShardBytes of the sizes.
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
func newPlan(src source.Source, sizes []int64, o Options) Plan {
	sum := sha256.New()
	for i := range src.Len() {
		item := src.Item(i)
		fmt.Fprintf(sum, "%q %d %q\n", item.Name, item.Label, item.Key)
		if sizes != nil {
			fmt.Fprintln(sum, sizes[i])
		}
	}
	p := Plan{Version: 1, Samples: src.Len(), PerShard: o.perShard(), ShardBytes: o.ShardBytes, Members: o.Members,
		Format: o.Format.Name, Values: o.Values, Transform: o.Transform.Name, Shuffle: o.Shuffle,
		Source: hex.EncodeToString(sum.Sum(nil)), Classes: src.Classes()}
	if o.Shuffle {
		p.Seed = o.Seed
	}
	return p
}

// name returns the file name of a shard.
func (p Plan) name(shard int) string { return fmt.Sprintf("%06d.%s", shard, cmp.Or(p.Format, "tar")) }

// lock takes a folder, which it creates: how is LOCK_EX for this process alone, or LOCK_SH for all that write shards of
// it. The caller calls unlock.
func lock(folder string, how int) (unlock func(), err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, spool.FileError("write", folder, err)
	}
	dir, err := os.Open(folder)
	if err != nil {
		return nil, spool.FileError("write", folder, err)
	}
	if err := syscall.Flock(int(dir.Fd()), how|syscall.LOCK_NB); err != nil {
		dir.Close()
		return nil, fmt.Errorf("%w: another process packs into %s", spool.ErrOptions, spool.Redacted(folder))
	}
	return func() { dir.Close() }, nil
}

// begin writes the plan into a folder that is empty, or checks that the folder has the same one.
func (p Plan) begin(folder string) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	there, err := os.ReadFile(filepath.Join(folder, planFile))
	switch {
	case err == nil && string(there) == string(text):
		return nil
	case err == nil:
		return fmt.Errorf("%w: %s has shards of another source, or of other options: use an empty folder",
			spool.ErrOptions, spool.Redacted(folder))
	case !errors.Is(err, fs.ErrNotExist):
		return spool.FileError("read", folder, err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return spool.FileError("read", folder, err)
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), "."+planFile) }) {
		return fmt.Errorf("%w: %s is not empty and has no %s", spool.ErrOptions, spool.Redacted(folder), planFile)
	}
	return save(folder, planFile, text)
}

// save writes a file that is there as a whole, or not at all.
func save(folder, name string, text []byte) error {
	path := filepath.Join(folder, name)
	if err := renameio.WriteFile(path, text, 0o644, renameio.WithTempDir(folder)); err != nil {
		return spool.FileError("write", path, err)
	}
	return nil
}
