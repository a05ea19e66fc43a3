package chunked

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
)

// index is what index.json says.
type index struct {
	columns []column
	files   []part
	sizes   []int // samples of each file
}

// column is a value of each sample.
type column struct {
	name     string
	encoding string
	size     int64 // of each value; 0: each sample says it
}

// part is a file of samples.
type part struct {
	name       string
	compressed bool
	samples    int
}

const maxIndex = 256 << 20

// readIndex reads an index of either format.
func readIndex(ctx context.Context, open func(context.Context, string) (spool.Object, error)) (*index, error) {
	o, err := open(ctx, "")
	if err != nil {
		return nil, err
	}
	defer o.Close()
	text, err := spool.ReadAll(ctx, o, nil, maxIndex)
	if err != nil {
		return nil, err
	}
	var kind struct {
		Shards []mdsShard
		Chunks []litChunk
		Config litConfig
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return nil, corrupt("an index that is no JSON: %v", err)
	}
	x := &index{}
	switch {
	case kind.Shards != nil:
		err = x.mds(kind.Shards)
	case kind.Chunks != nil:
		err = x.lit(kind.Config, kind.Chunks)
	default:
		err = corrupt("an index of neither MDS nor LitData")
	}
	return x, err
}

// add adds a file.
func (x *index) add(p part) error {
	if p.name == "" || path.IsAbs(p.name) || slices.Contains(strings.Split(p.name, "/"), "..") {
		return corrupt("a file beside the index cannot be called %.100q", p.name)
	}
	const most = 1 << 30
	if p.samples < 0 || p.samples > most {
		return corrupt("%.100s with %d samples", p.name, p.samples)
	}
	x.files = append(x.files, p)
	x.sizes = append(x.sizes, p.samples)
	return nil
}

// mdsShard is an entry of an index of MDS.
type mdsShard struct {
	Version     int
	Format      string
	Compression string
	Names       []string `json:"column_names"`
	Encodings   []string `json:"column_encodings"`
	Sizes       []*int64 `json:"column_sizes"`
	Samples     int
	Raw         *mdsFile `json:"raw_data"`
	Zip         *mdsFile `json:"zip_data"`
}

type mdsFile struct{ Basename string }

// mds takes the shards of MDS.
func (x *index) mds(shards []mdsShard) error {
	for i, s := range shards {
		if s.Version != 2 || s.Format != "mds" {
			return unsupported("a shard of format %.20q, version %d", s.Format, s.Version)
		}
		columns, err := s.columns()
		if err != nil {
			return err
		}
		if i > 0 && !slices.Equal(columns, x.columns) {
			return unsupported("shards with different columns")
		}
		x.columns = columns
		p := part{samples: s.Samples}
		switch {
		case s.Zip != nil && s.Compression != "":
			if algorithm, _, _ := strings.Cut(s.Compression, ":"); algorithm != "zstd" {
				return unsupported("a shard compressed by %.20s", algorithm)
			}
			p.name, p.compressed = s.Zip.Basename, true
		case s.Raw != nil:
			p.name = s.Raw.Basename
		}
		if err := x.add(p); err != nil {
			return err
		}
	}
	return nil
}

// columns returns the columns of a shard.
func (s *mdsShard) columns() ([]column, error) {
	if len(s.Names) != len(s.Encodings) || len(s.Names) != len(s.Sizes) {
		return nil, corrupt("a shard of %d columns with %d encodings and %d sizes", len(s.Names), len(s.Encodings),
			len(s.Sizes))
	}
	var columns []column
	for i, name := range s.Names {
		c := column{name: name, encoding: s.Encodings[i]}
		if s.Sizes[i] != nil {
			if c.size = *s.Sizes[i]; c.size < 0 {
				return nil, corrupt("column %s has %d bytes", name, c.size)
			}
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// litConfig is the configuration in an index of LitData.
type litConfig struct {
	Compression string
	Level       any      `json:"compression_level"`
	Format      []string `json:"data_format"`
	Spec        string   `json:"data_spec"`
	Encryption  any
	Loader      string `json:"item_loader"`
}

type litChunk struct {
	Filename string
	Size     int `json:"chunk_size"`
}

// lit takes the chunks of LitData.
func (x *index) lit(c litConfig, chunks []litChunk) error {
	switch {
	case c.Encryption != nil:
		return unsupported("encrypted chunks")
	case c.Loader != "" && c.Loader != "PyTreeLoader":
		return unsupported("chunks of LitData's %.40s", c.Loader)
	case c.Compression != "" && c.Compression != "zstd":
		return unsupported("chunks compressed by %.20s", c.Compression)
	case c.Compression != "" && (c.Level == "batch" || c.Level == "sample"):
		return unsupported("chunks with compressed samples")
	}
	names, err := names(c.Spec)
	if err != nil {
		return err
	}
	if len(names) != len(c.Format) {
		return corrupt("%d values with %d formats", len(names), len(c.Format))
	}
	for i, name := range names {
		x.columns = append(x.columns, column{name: name, encoding: c.Format[i]})
	}
	for _, f := range chunks {
		if err := x.add(part{f.Filename, strings.HasSuffix(f.Filename, ".zstd.bin"), f.Size}); err != nil {
			return err
		}
	}
	return nil
}
