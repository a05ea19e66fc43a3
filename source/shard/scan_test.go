package shard_test

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/source/shard"
)

var long = strings.Repeat("a long folder/", 15) + "name"

var images = []file{
	{"0001.jpg", strings.Repeat("j", 1000)}, {"0001.cls", "7\n"}, {"0001.seg.PNG", "p"}, {"0002.cls", "0"},
	{"0002.jpg", ""},
	{"deep/0001.jpg", "other"}, {"deep.er/x.y.z", strings.Repeat("z", 512)}, {long + ".jpg", "long"},
	{"übung.jpg", "UTF-8"},
}

// TestScan reads what archive/tar writes in each format.
func TestScan(t *testing.T) {
	for _, format := range []tar.Format{tar.FormatUnknown, tar.FormatPAX, tar.FormatGNU} {
		t.Run(format.String(), func(t *testing.T) {
			data := pack(t, format, images...)
			x := scan(t, data)
			require.NoError(t, x.Damage())
			assert.Equal(t, images, unpack(t, shard.Memory(data), x))
			var keys []string
			var labels []int64
			for i := range x.Len() {
				s := x.Sample(i)
				require.NoError(t, s.Err)
				keys, labels = append(keys, s.Key), append(labels, s.Label)
			}
			assert.Equal(t, []string{"0001", "0002", "deep/0001", "deep.er/x", long, "übung"}, keys)
			assert.Equal(t, []int64{7, 0, -1, -1, -1, -1}, labels)
			first := x.Sample(0).Members
			assert.Equal(t, []string{"jpg", "cls", "seg.png"}, []string{first[0].Ext(), first[1].Ext(), first[2].Ext()})
		})
	}
	empty := scan(t, pack(t, tar.FormatUSTAR))
	require.NoError(t, empty.Damage())
	assert.Zero(t, empty.Len())
	ustar := pack(t, tar.FormatUSTAR, file{strings.Repeat("p/", 70) + "x.jpg", "prefix"})
	assert.Equal(t, []file{{strings.Repeat("p/", 70) + "x.jpg", "prefix"}}, unpack(t, shard.Memory(ustar), scan(t, ustar)))
}

// TestScanWhatTarWrites reads the same files, written by GNU tar in each of its formats.
func TestScanWhatTarWrites(t *testing.T) {
	program := need.Command(t, "tar")
	folder := t.TempDir()
	var args []string
	for _, f := range images {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, f.name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, f.name), []byte(f.content), 0o644))
		args = append(args, f.name)
	}
	require.NoError(t, os.Symlink("0001.jpg", filepath.Join(folder, "soft.jpg")))
	require.NoError(t, os.Link(filepath.Join(folder, "0001.jpg"), filepath.Join(folder, "hard.jpg")))
	args = append(args, "soft.jpg", "hard.jpg", "deep")
	for _, format := range []string{"v7", "ustar", "gnu", "posix"} {
		t.Run(format, func(t *testing.T) {
			names, want := args, append(append([]file{}, images...), file{"hard.jpg", images[0].content}, images[5])
			if format == "v7" || format == "ustar" { // these have no room for the long name
				names = append(append([]string{}, args[:7]...), args[8:]...)
				want = append(append([]file{}, want[:7]...), want[8:]...)
			}
			data, err := exec.Command(program,
				append([]string{"--format=" + format, "-C", folder, "-cf", "-"}, names...)...).Output()
			require.NoError(t, err)
			x := scan(t, data)
			require.NoError(t, x.Damage())
			if got := unpack(t, shard.Memory(data), x); format == "v7" || len(got) == len(want) {
				assert.Equal(t, want, got)
			} else { // the second deep/0001.jpg may be a link to the first
				assert.Equal(t, want[:len(want)-1], got[:len(want)-1])
			}
		})
	}
}

// TestScanWhatPythonWrites writes and reads with tarfile, which WebDataset uses to write shards.
func TestScanWhatPythonWrites(t *testing.T) {
	python := need.Command(t, "python3")
	const script = `
import io, sys, tarfile
out = sys.argv[1]
for name, fmt in ('ustar', tarfile.USTAR_FORMAT), ('gnu', tarfile.GNU_FORMAT), ('pax', tarfile.PAX_FORMAT):
    with tarfile.open(f'{out}/{name}.tar', 'w', format=fmt) as t:
        for i in range(300):
            n = f'{"x" * (i % (90 if fmt == tarfile.USTAR_FORMAT else 290))}/{i:04}.jpg'
            info = tarfile.TarInfo(n)
            info.size = i * 7
            t.addfile(info, io.BytesIO(bytes([i % 256]) * info.size))
    with open(f'{out}/{name}.txt', 'w') as f:
        for m in tarfile.open(f'{out}/{name}.tar'):
            print(m.name, m.offset_data, m.size, file=f)
`
	folder := t.TempDir()
	out, err := exec.Command(python, "-c", script, folder).CombinedOutput()
	require.NoError(t, err, string(out))
	for _, format := range []string{"ustar", "gnu", "pax"} {
		data, err := os.ReadFile(filepath.Join(folder, format+".tar"))
		require.NoError(t, err)
		want, err := os.ReadFile(filepath.Join(folder, format+".txt"))
		require.NoError(t, err)
		x := scan(t, data)
		require.NoError(t, x.Damage())
		var got strings.Builder
		for i := range x.Len() {
			for _, m := range x.Sample(i).Members {
				fmt.Fprintln(&got, m.Name, m.Offset, m.Size)
			}
		}
		assert.Equal(t, strings.ReplaceAll("\n"+string(want), "\n/", "\n"), "\n"+got.String(), format)
	}
}

// block returns a header of the oldest format, with a valid checksum.
func block(name string, kind byte, size string, change func([]byte)) []byte {
	b := make([]byte, 512)
	copy(b, name)
	copy(b[124:136], size)
	b[156] = kind
	if change != nil {
		change(b)
	}
	copy(b[148:156], "        ")
	sum := 0
	for _, c := range b {
		sum += int(c)
	}
	copy(b[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return b
}

// data returns a member's content, padded to whole blocks.
func data(content string) []byte {
	return append([]byte(content), make([]byte, (512-len(content)%512)%512)...)
}

func TestScanNumbers(t *testing.T) {
	for size, want := range map[string]int64{
		"00000000003\x00": 3, "         3 \x00": 3, "3\x00garbage": 3, "\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03": 3,
		"77777777777\x00": 1<<33 - 1, "\x80\x00\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff": 1<<63 - 1,
	} {
		x := scan(t, append(block("a.jpg", '0', size, nil), data("abc")...))
		require.Equal(t, 1, x.Len(), "%q", size)
		assert.Equal(t, want, x.Sample(0).Members[0].Size, "%q", size)
		assert.Equal(t, want > 3, x.Damage() != nil, "%q: %v", size, x.Damage())
	}
	for _, size := range []string{"8", "-1", "0x3", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfd",
		"\x80\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"} {
		x := scan(t, block("a.jpg", '0', size, nil))
		assert.Zero(t, x.Len(), "%q", size)
		assert.ErrorIs(t, x.Damage(), spool.ErrCorrupt, "%q", size)
	}
}

// TestScanDamage: the members before the damage are indexed, and the damage has its class.
func TestScanDamage(t *testing.T) {
	good := append(block("good.jpg", '0', "3", nil), data("abc")...)
	then := func(more ...[]byte) []byte { return append(append([]byte{}, good...), bytes.Join(more, nil)...) }
	for _, c := range []struct {
		name string
		data []byte
		want spool.Class
		text string
	}{
		{"nothing", nil, spool.ErrTruncated, "middle of a header"},
		{"no tar", bytes.Repeat([]byte("text "), 1000), spool.ErrCorrupt, "checksum"},
		{"end in a header", then(good[:100]), spool.ErrTruncated, "middle of a header (at byte 1024"},
		{"end in a member", then(block("cut.jpg", '0', "2000", nil), data("abc")), spool.ErrTruncated,
			"512 bytes into a member of 1024"},
		{"lying size", then(block("lie.jpg", '0', "77777777777", nil), data("abc")), spool.ErrTruncated,
			"into a member of 8589934591"},
		{"flipped bit", then(append([]byte("x"), good[1:]...)), spool.ErrCorrupt, "checksum"},
		{"long name without a file", then(block("@", 'L', "10", nil), data("a name"), make([]byte, 512)), spool.ErrCorrupt,
			"without a file"},
		{"long name of 2 GiB", then(block("@", 'L', "20000000000", nil)), spool.ErrCorrupt, "a header of"},
		{"long name that is cut", then(block("@", 'L', "1000", nil), data("a name")), spool.ErrTruncated,
			"middle of a header"},
		{"extended header that is none", then(block("@", 'x', "10", nil), data("not a pax!")), spool.ErrCorrupt, "extended"},
		{"extended header that lies", then(block("@", 'x', "10", nil), data("99 a=bcde\n")), spool.ErrCorrupt, "extended"},
		{"extended size below 0", then(block("@", 'x', "11", nil), data("11 size=-1\n")), spool.ErrCorrupt, "extended"},
		{"extended path with a zero byte", then(block("@", 'x', "12", nil), data("12 path=a\x00b\n")), spool.ErrCorrupt,
			"extended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := scan(t, c.data)
			assert.ErrorIs(t, x.Damage(), c.want)
			assert.ErrorContains(t, x.Damage(), c.text)
			if bytes.HasPrefix(c.data, good) {
				require.Positive(t, x.Len())
				assert.Equal(t, "abc", content(t, shard.Memory(c.data), x.Sample(0).Members[0]))
			}
		})
	}
}

// TestReadCutMember: the member in which an archive is cut off is indexed, and reading it fails.
func TestReadCutMember(t *testing.T) {
	for _, archive := range []spool.Object{
		shard.Memory(append(block("cut.jpg", '0', "2000", nil), data("abc")...)),
		&disk{data: append(block("cut.jpg", '0', "2000", nil), data("abc")...)},
	} {
		x, err := shard.Scan(t.Context(), archive)
		require.NoError(t, err)
		require.ErrorIs(t, x.Damage(), spool.ErrTruncated)
		o := shard.Open(archive, x.Sample(0).Members[0])
		p := make([]byte, 1024)
		n, err := o.ReadAt(t.Context(), p[:512], 0)
		assert.NoError(t, err, "what is there")
		assert.Equal(t, 512, n)
		n, err = o.ReadAt(t.Context(), p, 0)
		assert.ErrorIs(t, err, spool.ErrTruncated)
		assert.Equal(t, 512, n)
	}
}

// TestSamplesThatAreBad: damage is the error of one sample, and its neighbours are valid.
func TestSamplesThatAreBad(t *testing.T) {
	sparse := func(b []byte) { b[482] = 1 }
	table := string(make([]byte, 512))
	for _, c := range []struct {
		name   string
		blocks []byte
		want   spool.Class
		text   string
	}{
		{"twice", bytes.Join([][]byte{block("a.jpg", '0', "0", nil), block("a.JPG", '0', "0", nil)}, nil), spool.ErrCorrupt,
			"twice"},
		{"label", append(block("a.cls", '0', "3", nil), data("dog")...), spool.ErrCorrupt, "label"},
		{"negative label", append(block("a.cls", '0', "2", nil), data("-3")...), spool.ErrCorrupt, "label"},
		{"long label", append(block("a.cls", '0', "77", nil), data(strings.Repeat("1", 63))...), spool.ErrCorrupt, "label"},
		{"dots", block("x/../../a.jpg", '0', "0", nil), spool.ErrCorrupt, "leads out"},
		{"dots behind a slash", block("/../a.jpg", '0', "0", nil), spool.ErrCorrupt, "leads out"},
		{"newline", block("x\ny.jpg", '0', "0", nil), spool.ErrCorrupt, "control"},
		{"link to nothing", block("a.jpg", '1', "0", func(b []byte) { copy(b[157:], "missing.jpg") }), spool.ErrCorrupt,
			"link"},
		{"link to itself", block("a.jpg", '1', "0", func(b []byte) { copy(b[157:], "a.jpg") }), spool.ErrCorrupt, "link"},
		{"sparse", append(block("a.jpg", 'S', "3", sparse), table+string(data("abc"))...), spool.ErrUnsupported, "sparse"},
		{"sparse in PAX", bytes.Join([][]byte{block("@", 'x', "26", nil), data("22 GNU.sparse.major=1\n"),
			block("a.jpg", '0', "3", nil), data("abc")}, nil),
			spool.ErrUnsupported, "sparse"},
	} {
		t.Run(c.name, func(t *testing.T) {
			archive := bytes.Join([][]byte{block("before.jpg", '0', "0", nil), c.blocks, block("behind.jpg", '0', "0", nil)},
				nil)
			x := scan(t, archive)
			require.NoError(t, x.Damage())
			require.Equal(t, 3, x.Len())
			assert.NoError(t, x.Sample(0).Err)
			assert.ErrorIs(t, x.Sample(1).Err, c.want)
			assert.ErrorContains(t, x.Sample(1).Err, c.text)
			assert.NoError(t, x.Sample(2).Err)
			assert.Equal(t, int64(-1), x.Sample(1).Label)
		})
	}
}

func TestMembersOfNoSample(t *testing.T) {
	x := scan(t, bytes.Join([][]byte{
		block("README", '0', "0", nil), block(".hidden.jpg", '0', "0", nil), block("a/.b.jpg", '0', "0", nil),
		block("__meta.json__", '0', "0", nil),
		block("folder.d/", '5', "0", nil), block("old.d/", 0, "0", nil), block("pipe.jpg", '6', "77", nil),
		block("soft.jpg", '2', "77", nil),
		block("vendor.jpg", 'V', "3", nil), data("abc"), block("pax_global_header", 'g', "3", nil), data("abc"),
		block("/abs/a.jpg", '0', "0", nil), block("./rel/b.jpg", '7', "0", nil),
	}, nil))
	require.NoError(t, x.Damage())
	assert.Equal(t, []file{{"abs/a.jpg", ""}, {"rel/b.jpg", ""}}, unpack(t, shard.Memory(nil), x))
}

// TestScanReads: one read per member, fewer if they are small, whatever their content.
func TestScanReads(t *testing.T) {
	var large, small []file
	for i := range 100 {
		large = append(large, file{fmt.Sprintf("%d.jpg", i), strings.Repeat("x", 100_000)},
			file{fmt.Sprintf("%d.cls", i), "5"})
		small = append(small, file{fmt.Sprintf("%d.jpg", i), "x"})
	}
	for _, c := range []struct {
		files []file
		most  int
	}{{large, 202}, {small, 30}} {
		d := &disk{data: pack(t, tar.FormatUSTAR, c.files...)}
		x, err := shard.Scan(t.Context(), d)
		require.NoError(t, err)
		require.Equal(t, 100, x.Len())
		assert.LessOrEqual(t, d.reads, c.most)
	}
}

func TestScanErrors(t *testing.T) {
	archive := pack(t, tar.FormatUSTAR, images[:6]...)
	_, err := shard.Scan(t.Context(), &disk{data: archive, failsAt: 2000})
	assert.ErrorIs(t, err, errDisk)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = shard.Scan(ctx, shard.Memory(archive))
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

// TestOpen: a member of Memory shares its bytes; a member of another archive is read in place, and closes it.
func TestOpen(t *testing.T) {
	archive := pack(t, tar.FormatUSTAR, images[:3]...)
	m := scan(t, archive).Sample(0).Members[0]
	view, ok := shard.Open(shard.Memory(archive), m).(shard.Memory)
	require.True(t, ok)
	assert.Same(t, &archive[m.Offset], &view.Bytes()[0])
	assert.Len(t, view.Bytes(), 1000)
	assert.Equal(t, 1000, cap(view.Bytes()), "nobody can append to the next member")

	d := &disk{data: archive}
	for _, o := range []spool.Object{view, shard.Open(d, m)} {
		p := make([]byte, 100)
		n, err := o.ReadAt(t.Context(), p, 950)
		assert.Equal(t, 50, n)
		assert.ErrorIs(t, err, io.EOF)
		n, err = o.ReadAt(t.Context(), p, 900)
		assert.Equal(t, 100, n)
		assert.NoError(t, err)
		for _, off := range []int64{1000, 1001, 1 << 62} {
			n, err = o.ReadAt(t.Context(), p, off)
			assert.Zero(t, n)
			assert.ErrorIs(t, err, io.EOF)
		}
		_, err = o.ReadAt(t.Context(), p, -1)
		assert.ErrorIs(t, err, spool.ErrIO)
		assert.NoError(t, o.Close())
	}
	assert.Equal(t, 1, d.closed)
}

func BenchmarkScan(b *testing.B) {
	var files []file
	for i := range 1000 {
		files = append(files, file{fmt.Sprintf("%06d.jpg", i), strings.Repeat("x", 10_000)},
			file{fmt.Sprintf("%06d.cls", i), "5"})
	}
	archive := shard.Memory(pack(b, tar.FormatUSTAR, files...))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := shard.Scan(b.Context(), archive); err != nil {
			b.Fatal(err)
		}
	}
}
