package shard_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/source/shard"
)

// FuzzScan compares the index with what archive/tar reads, as long as that reads the archive without an error. In any
// case the members of the index must be within the archive, unless it is reported as damaged.
func FuzzScan(f *testing.F) {
	for _, format := range []tar.Format{tar.FormatUnknown, tar.FormatGNU} {
		f.Add(pack(f, format, images[:8]...))
	}
	f.Add(bytes.Join([][]byte{block("a.jpg", '0', "3", nil), data("abc"),
		block("b.jpg", '1', "0", func(b []byte) { copy(b[157:], "a.jpg") })}, nil))
	f.Add(bytes.Join([][]byte{block("@", 'x', "12", nil), data("10 size=3\n"), block("a.cls", '7', "0", nil),
		data("12\n")}, nil))
	f.Add(append(block("a.jpg", 'S', "3", func(b []byte) { b[482] = 1 }), data("abc")...))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = mended(data)
		x, err := shard.Scan(context.Background(), shard.Memory(data))
		if err != nil {
			t.Fatal(err)
		}
		if x.Len() > 0 {
			fuzzed.Accept()
		}
		var got []file
		for i := range x.Len() {
			s := x.Sample(i)
			if len(s.Members) == 0 || s.Label < -1 {
				t.Fatalf("%+v", s)
			}
			for _, m := range s.Members {
				whole := m.Offset >= 0 && m.Size >= 0 && m.Size <= int64(len(data))-m.Offset
				if !whole && x.Damage() == nil {
					t.Fatalf("%+v lies outside of %d bytes", m, len(data))
				}
				if !strings.HasPrefix(m.Name, s.Key+".") {
					t.Fatalf("%+v is not of %q", m, s.Key)
				}
				if whole {
					got = append(got, file{m.Name, string(data[m.Offset : m.Offset+m.Size])})
				}
			}
		}
		if want, ok := standard(data); ok { // which accepts an end between a special header and its member
			if !slices.Equal(want, got) {
				t.Fatalf("archive/tar has %.500q\nthe index has %.500q, then %v", want, got, x.Damage())
			}
		}
	})
}

// mended returns data with valid checksums where a block looks like a header, so that mutations get further.
func mended(data []byte) []byte {
	data = slices.Clone(data)
	for b := data; len(b) >= 512; b = b[512:] {
		if sum := b[148:156]; sum[6] == 0 && sum[7] == ' ' {
			copy(b, block(string(b[:100]), b[156], string(b[124:136]), func(to []byte) {
				copy(to, b[:512])
				if string(to[257:263]) == "ustar " {
					clear(to[345:369]) // times, which archive/tar takes for a part of the name if they are invalid
				}
			}))
		}
	}
	return data
}

// standard returns the files of samples that archive/tar finds. ok is false if that has an error, or if its rules
// differ: sparse files and links.
func standard(data []byte) (list []file, ok bool) {
	r := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list, true
		}
		if err != nil || h.Typeflag == tar.TypeLink || h.Typeflag == tar.TypeGNUSparse ||
			h.Typeflag == tar.TypeXGlobalHeader {
			return nil, false
		}
		for key := range h.PAXRecords {
			if strings.HasPrefix(key, "GNU.sparse.") {
				return nil, false
			}
		}
		if h.Typeflag != tar.TypeReg && h.Typeflag != '7' && h.Typeflag != 0 {
			continue
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, false
		}
		name := h.Name
		for strings.HasPrefix(name, "/") || strings.HasPrefix(name, "./") {
			name = strings.TrimPrefix(strings.TrimPrefix(name, "./"), "/")
		}
		base := name[strings.LastIndexByte(name, '/')+1:]
		if strings.IndexByte(base, '.') > 0 && !(strings.HasPrefix(base, "__") && strings.HasSuffix(base, "__")) {
			list = append(list, file{name, string(content)})
		}
	}
}

// FuzzDecompress: any input costs at most the limit, and gives an error with a class, or all its data.
func FuzzDecompress(f *testing.F) {
	content := bytes.Repeat([]byte("some text"), 100)
	f.Add(gzipped(f, content))
	f.Add(zstandard(f, content))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := shard.Compressed(context.Background(), shard.Memory(data))
		if err != nil || c == shard.None {
			return
		}
		fuzzed.Accept()
		const limit = 1 << 16
		if whole, err := shard.Decompress(context.Background(), shard.Memory(data), c, limit); err == nil &&
			len(whole) > limit {
			t.Fatalf("%d bytes", len(whole))
		} else if err != nil && !classed(err) {
			t.Fatalf("an error of no class: %v", err)
		}
	})
}
