package catalog

import (
	"archive/tar"
	"bytes"
	"image"
	stdjpeg "image/jpeg"
	stdpng "image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// A run over packed shards gives the tensors of a run over the source.
func TestPack(t *testing.T) {
	photos := clitest.Media + "/photos"
	folder := filepath.Join(t.TempDir(), "packed")
	line := tool.Done(t, "pack", photos, "--out", folder, "--per-shard", "7", "--workers", "2")
	assert.Regexp(t, `^\d+ samples in \d+ shards, \d+ bytes\n$`, line)
	assert.Equal(t, line, tool.Done(t, "verify", folder))
	assert.Equal(t, line, tool.Done(t, "pack", photos, "--out", folder, "--per-shard", "7"), "it continues")
	run := func(from string) []string {
		return clitest.Digests(tool.Done(t, "run", "images", from, "--size", "16", "--digest"))
	}
	assert.Equal(t, run(photos), run(folder+"/*.tar"))
	assert.Contains(t, tool.Done(t, "verify", folder, "--json"), `"classes":["animal"`)

	assert.Equal(t, cli.ExitUsage, tool.Run("pack", photos).Code)
	assert.Equal(t, cli.ExitUsage, tool.Run("verify").Code)
	require.NoError(t, os.Truncate(folder+"/000001.tar", 1024))
	o := tool.Run("verify", folder)
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Contains(t, o.Stderr, "000001.tar: truncated")
	assert.NotEqual(t, 0, tool.Run("pack", photos, "--out", folder, "--shuffle").Code)
}

// Samples of a bucket are packed into it, and verified there.
func TestPackBucket(t *testing.T) {
	s := clitest.Bucket(t)
	line := tool.Done(t, "pack", "s3://data/photos/", "--out", "s3://data/packed/all", "--per-shard", "7")
	assert.Equal(t, line, tool.Done(t, "verify", "s3://data/packed/all"))
	assert.Equal(t, line, tool.Done(t, "pack", "s3://data/photos/", "--out", "s3://data/packed/all", "--per-shard", "7"),
		"it continues")
	run := func(from string) []string {
		return clitest.Digests(tool.Done(t, "run", "images", from, "--size", "16", "--digest"))
	}
	assert.Equal(t, run("s3://data/photos/"), run("s3://data/packed/all/*.tar"))
	tool.Done(t, "pack", "s3://data/photos/", "--out", "s3://data/parts", "--split", "a=0.5,b=0.5", "--checksum", "sha256")
	assert.Contains(t, tool.Done(t, "verify", "s3://data/parts/b", "--json"), `"sha256":"`)

	s.Put("data", "packed/all/000001.tar", []byte("x"))
	o := tool.Run("verify", "s3://data/packed/all")
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Contains(t, o.Stderr, "s3://data/packed/all/000001.tar: truncated")
	o = tool.Run("pack", "s3://data/photos/", "--out", "s3://data/packed")
	assert.Equal(t, cli.ExitUsage, o.Code)
	assert.Contains(t, o.Stderr, "s3://data/packed/ is not empty and has no plan.json")
	assert.Equal(t, cli.ExitUsage, tool.Run("pack", "s3://data/photos/", "--out", t.TempDir(), "--checksum", "md5").Code)
}

// The parts of a split have all samples once, and a copy of a file is left out.
func TestPackSplit(t *testing.T) {
	folder := t.TempDir()
	for i, name := range []string{"00", "01", "02", "03", "04", "05", "06", "00"} {
		data := clitest.Content(t, "photos/animal/"+name+".jpg")
		require.NoError(t, os.WriteFile(filepath.Join(folder, string(rune('a'+i))+".jpg"), data, 0o600))
	}
	out := filepath.Join(t.TempDir(), "packed")
	t.Chdir(folder) // a sample's part depends on its name as it is given
	args := []string{"pack", ".", "--out", out, "--unique", "--split", "train=0.5,val=0.5", "--per-shard", "2"}
	o := tool.Run(args...)
	require.Zero(t, o.Code, o.Stderr)
	assert.Equal(t, "spool: 1 of 8 samples have the bytes of an earlier one and are left out\n", o.Stderr)
	assert.Regexp(t, `^train: (\d) samples in \d shards, \d+ bytes\nval: (\d) samples in \d shards, \d+ bytes\n$`, o.Stdout)
	run := func(from ...string) []string {
		args := append([]string{"run", "images", "--size", "8", "--batch", "1", "--digest"}, from...)
		lines := clitest.Digests(tool.Done(t, args...))
		for i := range lines { // without the number of the batch
			lines[i] = strings.Fields(lines[i])[len(strings.Fields(lines[i]))-1]
		}
		return lines
	}
	assert.ElementsMatch(t, run("[a-g].jpg"), run(out+"/train/*.tar", out+"/val/*.tar"))
	assert.NotEmpty(t, run(out+"/train/*.tar"))
	o = tool.Run(append(args, "--json")...)
	assert.Zero(t, o.Code, "it continues")
	assert.Regexp(t, `^\{"train":\{.*"val":\{`, o.Stdout)
	for _, bad := range []string{"train=0.5", "train", "a=0.5,a=0.5", "../a=1", "a=1,b=0", "a=x"} {
		o := tool.Run("pack", folder, "--out", t.TempDir(), "--split", bad)
		assert.Equal(t, cli.ExitUsage, o.Code, bad)
		assert.Contains(t, o.Stderr, "--split "+bad+": ")
	}
}

// The samples that a run's ledger names are not packed.
func TestPackExclude(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"00", "01", "02"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".jpg"), clitest.Content(t, "photos/animal/"+name+".jpg"),
			0o600))
	}
	for _, name := range []string{"bad.jpg", "\xff.jpg"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("no image"), 0o600))
	}
	ledger := filepath.Join(t.TempDir(), "bad.jsonl")
	assert.Zero(t, tool.Run("run", "images", folder, "--size", "32", "--ledger", ledger).Code)
	out := filepath.Join(t.TempDir(), "packed")
	o := tool.Run("pack", folder, "--out", out, "--exclude", ledger)
	assert.Equal(t, "spool: 2 of 5 samples are left out: "+ledger+" names them\n", o.Stderr)
	assert.Regexp(t, `^3 samples in 1 shards, `, o.Stdout)
	for _, text := range []string{"{}", "[", `{"file":3}`} {
		require.NoError(t, os.WriteFile(ledger, []byte(text), 0o600))
		o := tool.Run("pack", folder, "--out", t.TempDir(), "--exclude", ledger)
		assert.Equal(t, cli.ExitInput, o.Code)
		assert.Contains(t, o.Stderr, ledger+": corrupt: not a ledger")
	}
	assert.Equal(t, cli.ExitInput, tool.Run("pack", folder, "--out", t.TempDir(), "--exclude", ledger+".none").Code)
}

// A run over packed tables gives the tensors and labels of a run over the source.
func TestPackTables(t *testing.T) {
	photos := clitest.Media + "/photos"
	run := func(from string) []string {
		return clitest.Digests(tool.Done(t, "run", "images", from, "--size", "16", "--digest"))
	}
	for _, format := range []string{"parquet", "arrow"} {
		folder := filepath.Join(t.TempDir(), "packed")
		line := tool.Done(t, "pack", photos, "--out", folder, "--format", format, "--per-shard", "7", "--workers", "2")
		assert.Equal(t, line, tool.Done(t, "verify", folder))
		assert.Equal(t, run(photos), run(folder+"/*."+format))
	}
	assert.Equal(t, cli.ExitUsage, tool.Run("pack", photos, "--out", t.TempDir(), "--format", "zip").Code)
}

// Members and values are packed under the extensions that the call gives them, and tar prints them.
func TestPackMembers(t *testing.T) {
	from := t.TempDir()
	photo := clitest.Content(t, "photos/animal/00.jpg")
	clitest.Pack(t, from+"/a.tar", map[string][]byte{"x/1.jpg": photo, "x/1.seg.png": {1}, "x/1.txt": []byte("one"),
		"x/2.jpg": photo})
	names := func(folder string) string {
		out, err := exec.Command("tar", "--list", "--file", folder+"/000000.tar").Output()
		require.NoError(t, err)
		return string(out)
	}
	folder := filepath.Join(t.TempDir(), "packed")
	tool.Done(t, "pack", from+"/a.tar", "--out", folder, "--members", "jpg,mask.png=seg.png,txt")
	assert.Equal(t, "000000000.jpg\n000000000.mask.png\n000000000.txt\n000000001.jpg\n", names(folder))

	require.NoError(t, os.WriteFile(from+"/photo.jpg", photo, 0o600))
	require.NoError(t, os.WriteFile(from+"/t.csv", []byte("image,text,n\nphoto.jpg,é,5\n"), 0o600))
	folder = filepath.Join(t.TempDir(), "packed")
	tool.Done(t, "pack", from+"/t.csv", "--out", folder, "--members", "jpg=image", "--values", "txt=text,n.json=n")
	assert.Equal(t, "000000000.jpg\n000000000.txt\n000000000.n.json\n", names(folder))

	for _, wrong := range [][]string{{"--members", "jpg="}, {"--shard-bytes", "x"},
		{"--shard-bytes", "1MiB", "--per-shard", "2"}} {
		assert.Equal(t, cli.ExitUsage, tool.Run(append([]string{"pack", from + "/t.csv", "--out", folder}, wrong...)...).Code)
	}
	assert.Equal(t, cli.ExitUsage, tool.Run("pack", from+"/t.csv", "--out", t.TempDir(), "--members", ".jpg=image").Code)
}

// No shard is larger than --shard-bytes.
func TestPackShardBytes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "packed")
	tool.Done(t, "pack", clitest.Media+"/photos", "--out", folder, "--shard-bytes", "1MiB")
	shards, err := filepath.Glob(folder + "/*.tar")
	require.NoError(t, err)
	require.Greater(t, len(shards), 1)
	for _, name := range shards {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.LessOrEqual(t, info.Size(), int64(1<<20))
	}
}

// packedFile packs one file with flags, and returns its member.
func packedFile(t *testing.T, file string, flags ...string) (name string, data []byte) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "packed")
	tool.Done(t, append([]string{"pack", file, "--out", folder}, flags...)...)
	in, err := os.Open(folder + "/000000.tar")
	require.NoError(t, err)
	defer in.Close()
	r := tar.NewReader(in)
	h, err := r.Next()
	require.NoError(t, err)
	data, err = io.ReadAll(r)
	require.NoError(t, err)
	return h.Name, data
}

// Repacked photos have the same pixels, and are smaller; other files are as they were.
func TestPackRepack(t *testing.T) {
	photos := clitest.Media + "/photos"
	plain, smaller := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	tool.Done(t, "pack", photos, "--out", plain)
	tool.Done(t, "pack", photos, "--out", smaller, "--repack", "--workers", "2")
	run := func(from string) []string {
		return clitest.Digests(tool.Done(t, "run", "images", from, "--size", "64", "--digest"))
	}
	assert.Equal(t, run(plain+"/*.tar"), run(smaller+"/*.tar"))
	a, err := os.Stat(plain + "/000000.tar")
	require.NoError(t, err)
	b, err := os.Stat(smaller + "/000000.tar")
	require.NoError(t, err)
	assert.Less(t, b.Size(), a.Size())
	for _, file := range []string{"trailing.jpg", "anim.gif"} { // bytes follow the image; another format
		_, data := packedFile(t, clitest.Good+file, "--repack")
		want, err := os.ReadFile(clitest.Good + file)
		require.NoError(t, err)
		assert.Equal(t, want, data)
	}
	_, one := packedFile(t, photos+"/animal/00.jpg", "--repack", "--restart-rows", "1")
	assert.Contains(t, string(one), "\xff\xd3", "a restart marker")
}

// Transcoded images have the asked size and format, and the pixels of the command's decoder within the codec's loss.
func TestPackTranscode(t *testing.T) {
	photo := clitest.Media + "/photos/animal/00.jpg"
	name, data := packedFile(t, photo, "--resize-shorter", "64", "--quality", "95")
	assert.Equal(t, "000000000.jpg", name)
	got, err := stdjpeg.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	want := tool.Decoded(t, "image", photo, "--resize-shorter", "64")
	h, w := want.Shape[0], want.Shape[1]
	require.Equal(t, image.Rect(0, 0, w, h), got.Bounds())
	difference := 0
	for i := range w * h {
		r, g, b, _ := got.At(i%w, i/w).RGBA()
		for c, v := range []uint32{r, g, b} {
			d := int(v>>8) - int(want.Data[3*i+c])
			difference += max(d, -d)
		}
	}
	assert.Less(t, difference, 4*3*w*h, "on average")

	name, data = packedFile(t, photo, "--resize-shorter", "4000")
	assert.Equal(t, "000000000.jpg", name)
	assert.Equal(t, clitest.Content(t, "photos/animal/00.jpg"), data, "an image that is small enough")
	name, data = packedFile(t, photo, "--convert", "png")
	assert.Equal(t, "000000000.png", name)
	lossless, err := stdpng.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	whole := tool.Decoded(t, "image", photo)
	r, g, b, _ := lossless.At(5, 7).RGBA()
	at := 3 * (7*whole.Shape[1] + 5)
	assert.Equal(t, []byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)}, whole.Data[at:at+3])
	for _, wrong := range []string{"--repack --quality 90", "--restart-rows 2", "--quality 101", "--convert tiff"} {
		args := append([]string{"pack", photo, "--out", t.TempDir()}, strings.Fields(wrong)...)
		assert.Equal(t, cli.ExitUsage, tool.Run(args...).Code, wrong)
	}
}
