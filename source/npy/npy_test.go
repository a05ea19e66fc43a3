package npy_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/source/npy"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// memory is an object in memory, disk is one that is not.
type memory []byte

func (m memory) Info() spool.ObjectInfo { return spool.ObjectInfo{Size: int64(len(m))} }
func (m memory) Bytes() []byte          { return m }
func (m memory) Close() error           { return nil }
func (m memory) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return bytes.NewReader(m).ReadAt(p, off)
}

type disk struct {
	data    memory
	failsAt int64
}

var errDisk = errors.New("the disk is gone")

func (d *disk) Info() spool.ObjectInfo { return d.data.Info() }
func (d *disk) Close() error           { return nil }
func (d *disk) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if d.failsAt > 0 && off+int64(len(p)) > d.failsAt {
		return 0, errDisk
	}
	return d.data.ReadAt(ctx, p, off)
}

// expectation is what NumPy reads in a file of testdata.
type expectation struct {
	Type    string
	Shape   []int
	Fortran bool
	SHA256  string
}

func expectations(t *testing.T) map[string]expectation {
	t.Helper()
	var all map[string]expectation
	data, err := os.ReadFile("testdata/expected.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &all))
	require.NotEmpty(t, all)
	return all
}

func (want expectation) check(t *testing.T, a npy.Array) {
	t.Helper()
	assert.Equal(t, want.Type, a.Type.String())
	assert.Equal(t, want.Shape, a.Shape)
	assert.Equal(t, want.Fortran, a.Fortran)
	assert.Equal(t, want.SHA256, fmt.Sprintf("%x", sha256.Sum256(a.Native().Data)))
	assert.Len(t, a.Data, a.Len()*a.Type.Size)
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return data
}

func TestParse(t *testing.T) {
	for name, want := range expectations(t) {
		t.Run(name, func(t *testing.T) {
			data := read(t, name)
			a, rest, err := npy.Parse(append(data, "more"...))
			require.NoError(t, err)
			want.check(t, a)
			assert.Equal(t, "more", string(rest))
			assert.Equal(t, len(a.Data), cap(a.Data), "nobody can append to what follows")
			for _, o := range []spool.Object{memory(data), &disk{data: data}} {
				a, err := npy.Read(t.Context(), o, int64(len(data)))
				require.NoError(t, err)
				want.check(t, a)
				_, err = npy.Read(t.Context(), o, int64(len(data))-1)
				assert.ErrorIs(t, err, spool.ErrTooLarge)
			}
			for n := range data {
				if _, _, err := npy.Parse(data[:n]); !errors.Is(err, spool.ErrTruncated) {
					t.Fatalf("%d of %d bytes: %v", n, len(data), err)
				}
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, name := range []string{"structured", "text", "bytes", "time", "object"} {
		_, _, err := npy.Parse(read(t, "refused_"+name+".npy"))
		assert.ErrorIs(t, err, spool.ErrUnsupported, name)
	}
	_, err := npy.Read(t.Context(), &disk{data: read(t, "f4.npy"), failsAt: 1}, 0)
	assert.ErrorIs(t, err, errDisk)
}

// file returns an NPY file with the given header.
func file(version byte, header, data string) []byte {
	b := []byte("\x93NUMPY" + string([]byte{version, 0}))
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(b, header+data...)
}

func TestParseHeaders(t *testing.T) {
	const good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }  \n"
	for _, c := range []struct {
		name, header string
		want         error
	}{
		{"good", good, nil},
		{"double quotes", strings.ReplaceAll(good, "'", `"`), nil},
		{"Python 2", strings.Replace(good, "(1,)", "(1L, )", 1), nil},
		{"another order", "{'shape':(),'fortran_order':True,'descr':'=f4'}", nil},
		{"no dictionary", "f4", spool.ErrCorrupt},
		{"a key is missing", "{'descr': '<f4', 'shape': (1,), }", spool.ErrCorrupt},
		{"a key twice", "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", spool.ErrCorrupt},
		{"another key", strings.Replace(good, "}", "'x': 1}", 1), spool.ErrCorrupt},
		{"no end", strings.Replace(good, "}", "", 1), spool.ErrCorrupt},
		{"more behind it", good + "x", spool.ErrCorrupt},
		{"no comma", strings.Replace(good, "False,", "False", 1), spool.ErrCorrupt},
		{"no order", strings.Replace(good, "False", "None", 1), spool.ErrCorrupt},
		{"negative", strings.Replace(good, "(1,)", "(-1,)", 1), spool.ErrCorrupt},
		{"no tuple", strings.Replace(good, "(1,)", "1", 1), spool.ErrCorrupt},
		{"two numbers", strings.Replace(good, "(1,)", "(1 1)", 1), spool.ErrCorrupt},
		{"many dimensions", strings.Replace(good, "(1,)", "("+strings.Repeat("1,", 65)+")", 1), spool.ErrCorrupt},
		{"huge", strings.Replace(good, "(1,)", "(4611686018427387904,)", 1), spool.ErrTooLarge},
		{"huge by product", strings.Replace(good, "(1,)", "(4294967296, 4294967296)", 1), spool.ErrTooLarge},
		{"huge and empty", strings.Replace(good, "(1,)", "(4294967296, 0, 4294967296)", 1), spool.ErrTooLarge},
		{"too long", strings.Replace(good, "(1,)", "(1000000000000,)", 1), spool.ErrTruncated},
		{"beyond an int", strings.Replace(good, "(1,)", "(99999999999999999999,)", 1), spool.ErrCorrupt},
		{"no type", strings.Replace(good, "<f4", "<", 1), spool.ErrUnsupported},
		{"odd size", strings.Replace(good, "<f4", "<f3", 1), spool.ErrUnsupported},
		{"signed size", strings.Replace(good, "<f4", "<f+4", 1), spool.ErrUnsupported},
		{"escape", strings.Replace(good, "<f4", `\x3cf4`, 1), spool.ErrCorrupt},
	} {
		for version := byte(1); version <= 3; version++ {
			a, _, err := npy.Parse(file(version, c.header, "\x00\x00\x80\x3f"))
			if c.want == nil {
				require.NoError(t, err, c.name)
				v, err := npy.Values[float32](a)
				require.NoError(t, err)
				assert.Equal(t, []float32{1}, v)
				continue
			}
			assert.ErrorIs(t, err, c.want, "%s: %v", c.name, err)
		}
	}
	for text, want := range map[string]error{"": spool.ErrTruncated, "\x93NUM": spool.ErrTruncated,
		"text": spool.ErrNotMedia, "long text": spool.ErrNotMedia,
		"\x93NUMPY\x04\x00": spool.ErrUnsupported, "\x93NUMPY\x02\x00\xff\xff\xff\xff": spool.ErrTruncated} {
		_, _, err := npy.Parse([]byte(text))
		assert.ErrorIs(t, err, want, "%q", text)
	}
}

// TestValues: for each type the values are those that NumPy has drawn, whatever the byte order.
func TestValues(t *testing.T) {
	checkValues[bool](t, "b1")
	checkValues[int8](t, "i1")
	checkValues[uint8](t, "u1")
	checkValues[int16](t, "i2", "i2_big")
	checkValues[uint16](t, "u2")
	checkValues[int32](t, "i4", "i4_big")
	checkValues[uint32](t, "u4")
	checkValues[int64](t, "i8")
	checkValues[uint64](t, "u8", "u8_big")
	checkValues[float32](t, "f4", "f4_big")
	checkValues[float64](t, "f8", "f8_big")
	checkValues[complex64](t, "c8", "c8_big")
	checkValues[complex128](t, "c16")

	a, _, err := npy.Parse(read(t, "fortran.npy"))
	require.NoError(t, err)
	v, err := npy.Values[int32](a)
	require.NoError(t, err)
	for i := range v {
		assert.Equal(t, int32(i), v[i])
	}
	empty, _, err := npy.Parse(read(t, "empty.npy"))
	require.NoError(t, err)
	none, err := npy.Values[float32](empty)
	require.NoError(t, err)
	assert.Empty(t, none)

	aligned, _, err := npy.Parse(read(t, "f4.npy"))
	require.NoError(t, err)
	floats, err := npy.Values[float32](aligned)
	require.NoError(t, err)
	aligned.Data[3] ^= 0x80 // the sign
	assert.Equal(t, math.Float32frombits(binary.LittleEndian.Uint32(aligned.Data)), floats[0],
		"where Go has them so, they are not copied")

	raw := file(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", "\x00\x02\xff")
	b, _, err := npy.Parse(raw)
	require.NoError(t, err)
	bools, err := npy.Values[bool](b)
	require.NoError(t, err)
	assert.Equal(t, []bool{false, true, true}, bools)
}

func checkValues[T npy.Number](t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		a, _, err := npy.Parse(read(t, name+".npy"))
		require.NoError(t, err)
		v, err := npy.Values[T](a)
		require.NoError(t, err)
		require.Len(t, v, 60)
		digest := sha256.New()
		require.NoError(t, binary.Write(digest, binary.LittleEndian, v))
		assert.Equal(t, expectations(t)[name+".npy"].SHA256, fmt.Sprintf("%x", digest.Sum(nil)), name)
		// one byte further, nothing is aligned
		shifted, _, err := npy.Parse(append([]byte{0}, read(t, name+".npy")...)[1:])
		require.NoError(t, err)
		again, err := npy.Values[T](shifted)
		require.NoError(t, err)
		assert.Equal(t, v, again)
		if !strings.HasPrefix(name, "f4") {
			_, err := npy.Values[float32](a)
			assert.ErrorIs(t, err, spool.ErrShape)
		}
	}
}

func TestDType(t *testing.T) {
	for code, want := range map[string]spool.DType{"u1": spool.Uint8, "u2": spool.Uint16, "i2": spool.Int16,
		"i4_big": spool.Int32, "i8": spool.Int64, "f2": spool.Float16, "f4": spool.Float32, "f8": spool.Float64} {
		a, _, err := npy.Parse(read(t, code+".npy"))
		require.NoError(t, err)
		got, ok := a.Type.DType()
		assert.True(t, ok)
		assert.Equal(t, want, got)
	}
	_, ok := npy.Type{Kind: npy.Complex, Size: 8}.DType()
	assert.False(t, ok)
}

func TestArchive(t *testing.T) {
	want := expectations(t)
	for _, name := range []string{"stored.npz", "deflated.npz", "zip64.npz", "streamed.npz"} {
		data := read(t, name)
		for _, o := range []spool.Object{memory(data), &disk{data: data}} {
			a, err := npy.Open(t.Context(), o, 1<<20)
			require.NoError(t, err)
			assert.Equal(t, []string{"f4", "i8", "fortran", "scalar", "empty", "i2_big"}, a.Names())
			for _, n := range a.Names() {
				array, err := a.Array(t.Context(), n)
				require.NoError(t, err, n)
				want[n+".npy"].check(t, array)
			}
			_, err = a.Array(t.Context(), "none")
			assert.ErrorIs(t, err, spool.ErrNotFound)
		}
		small, err := npy.Open(t.Context(), memory(data), 300)
		require.NoError(t, err)
		_, err = small.Array(t.Context(), "i8")
		assert.ErrorIs(t, err, spool.ErrTooLarge)
	}
	assert.Contains(t, string(read(t, "zip64.npz")), "PK\x06\x06", "the end of a zip64 archive")
	data := read(t, "stored.npz")
	a, err := npy.Open(t.Context(), memory(data), 0)
	require.NoError(t, err)
	array, err := a.Array(t.Context(), "f4")
	require.NoError(t, err)
	at := bytes.Index(data, array.Data)
	require.Positive(t, at)
	assert.Same(t, &data[at], &array.Data[0], "a part of the archive")
}

// pack returns an archive of one array's bytes under several names.
func pack(t testing.TB, method uint16, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		require.NoError(t, err)
		_, err = w.Write(read(t, "vector.npy"))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestArchivesThatAreBad(t *testing.T) {
	good := pack(t, zip.Store, "a.npy", "b.npy")
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":      {nil, spool.ErrCorrupt},
		"no zip":       {bytes.Repeat([]byte("text"), 100), spool.ErrCorrupt},
		"cut":          {good[:len(good)-30], spool.ErrCorrupt},
		"its end only": {good[len(good)-22:], spool.ErrCorrupt},
		"twice":        {pack(t, zip.Store, "a.npy", "a.npy"), spool.ErrCorrupt},
		"twice by end": {pack(t, zip.Store, "a.npy", "a"), spool.ErrCorrupt},
		"dots":         {pack(t, zip.Store, "../a.npy"), spool.ErrCorrupt},
		"absolute":     {pack(t, zip.Store, "/a.npy"), spool.ErrCorrupt},
		"newline":      {pack(t, zip.Store, "a\nb.npy"), spool.ErrCorrupt},
		"backslash":    {pack(t, zip.Store, `a\b.npy`), spool.ErrCorrupt},
		"overlap":      {overlapping(t), spool.ErrCorrupt},
	} {
		_, err := npy.Open(t.Context(), memory(c.data), 0)
		assert.ErrorIs(t, err, c.want, "%s: %v", name, err)
	}
	_, err := npy.Open(t.Context(), &disk{data: good, failsAt: int64(len(good)) - 1}, 0)
	assert.ErrorIs(t, err, errDisk)
}

// directory returns the n-th entry of an archive's directory.
func directory(data []byte, n int) []byte {
	for range n + 1 {
		data = data[bytes.Index(data, []byte("PK\x01\x02"))+1:]
	}
	return data[3:]
}

// overlapping returns an archive whose second file begins where the first does.
func overlapping(t testing.TB) []byte {
	data := pack(t, zip.Store, "a.npy", "b.npy")
	copy(directory(data, 1)[38:42], make([]byte, 4)) // the offset, 42 bytes into the entry
	return data
}

// TestArraysThatLie: the length and checksum in the directory are compared with the data, and cost no more memory than
// the data.
func TestArraysThatLie(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		for _, c := range []struct {
			name   string
			change func(entry []byte) // after the signature
			want   error
		}{
			{"checksum", func(e []byte) { e[12]++ }, spool.ErrCorrupt},
			{"checksum of 0", func(e []byte) { clear(e[12:16]) }, spool.ErrCorrupt},
			{"longer", func(e []byte) { e[20]++ }, spool.ErrTruncated},
			{"shorter", func(e []byte) { e[20]-- }, spool.ErrCorrupt},
			{"a bomb", func(e []byte) { e[23] = 0x7f }, spool.ErrCorrupt},
			{"half the data", func(e []byte) { e[16] /= 2 }, spool.ErrTruncated},
			{"beyond the archive", func(e []byte) { e[18] = 0x7f }, spool.ErrTruncated},
		} {
			data := pack(t, method, "a.npy")
			c.change(directory(data, 0))
			a, err := npy.Open(t.Context(), memory(data), 0)
			if err == nil {
				_, err = a.Array(t.Context(), "a")
			}
			if method == zip.Store && c.name != "beyond the archive" {
				c.want = spool.ErrCorrupt // two different lengths, or a checksum that does not match
			}
			assert.ErrorIs(t, err, c.want, "%d, %s: %v", method, c.name, err)
		}
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("a.npy")
	require.NoError(t, err)
	_, err = w.Write(append(read(t, "vector.npy"), 0))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	a, err := npy.Open(t.Context(), memory(b.Bytes()), 0)
	require.NoError(t, err)
	_, err = a.Array(t.Context(), "a")
	assert.ErrorContains(t, err, "1 bytes more")
}

// FuzzParse: an array that is parsed is within the file, and can be converted.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"f4", "i2_big", "fortran", "scalar", "empty", "version2", "version3",
		"refused_structured"} {
		f.Add(read(f, name+".npy"))
	}
	f.Add(file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1L, ), }", "\x00\x00\x80\x3f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, rest, err := npy.Parse(data)
		if err != nil {
			if spool.ClassOf(err) == "" {
				t.Fatal(err)
			}
			return
		}
		fuzzed.Accept()
		if len(a.Data) != a.Len()*a.Type.Size || len(a.Data)+len(rest) > len(data) {
			t.Fatalf("%v of %v in %d bytes, which leaves %d", a.Shape, a.Type, len(data), len(rest))
		}
		n := a.Native()
		if n.Fortran || n.Type.Big || len(n.Data) != len(a.Data) {
			t.Fatalf("%+v", n)
		}
	})
}

// FuzzArchive: arrays have the length and checksum of the directory, so archive/zip reads them as well.
func FuzzArchive(f *testing.F) {
	f.Add(pack(f, zip.Store, "a.npy", "b.npy"))
	f.Add(pack(f, zip.Deflate, "a.npy"))
	f.Add(overlapping(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := npy.Open(context.Background(), memory(data), 1<<20)
		if err != nil {
			if spool.ClassOf(err) == "" {
				t.Fatal(err)
			}
			return
		}
		fuzzed.Accept()
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range a.Names() {
			array, err := a.Array(context.Background(), name)
			if err != nil {
				if spool.ClassOf(err) == "" {
					t.Fatal(err)
				}
				continue
			}
			r, err := z.File[i].Open()
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(r)
			if err != nil && z.File[i].Flags&8 == 0 { // with that flag, the sums are repeated after the data
				t.Fatalf("archive/zip: %v", err)
			}
			if !bytes.HasSuffix(content, array.Data) {
				t.Fatalf("%s is another array", name)
			}
		}
	})
}
