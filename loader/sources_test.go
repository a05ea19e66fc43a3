package loader_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/source"
)

// photos returns the photos of the test data with the labels of their folders, and the samples that a loader gives for
// them.
func photos(t *testing.T) (src *source.Listing, want []seen) {
	t.Helper()
	src = open(t, "photos")
	got, err := load(t, src, loader.ImageOptions{Spec: spec(32)}, samples)
	require.NoError(t, err)
	return src, slices.Concat(got...)
}

// The same files give the same samples from a folder, from manifests, and from tar files, plain and compressed.
func TestSourcesGiveTheSame(t *testing.T) {
	src, want := photos(t)
	folder := t.TempDir()
	var rows, objects strings.Builder
	var archives [2]bytes.Buffer
	writers := []*tar.Writer{tar.NewWriter(&archives[0]), tar.NewWriter(&archives[1])}
	member := func(w *tar.Writer, name string, data []byte) {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644}))
		_, err := w.Write(data)
		require.NoError(t, err)
	}
	rows.WriteString("label,path\n")
	for i := range src.Len() {
		item := src.Item(i)
		path, err := filepath.Abs(item.Name)
		require.NoError(t, err)
		fmt.Fprintf(&rows, "%d,%q\n", item.Label, path)
		row, err := json.Marshal(map[string]any{"image": path, "label": item.Label})
		require.NoError(t, err)
		fmt.Fprintf(&objects, "%s\n", row)
		data, err := os.ReadFile(item.Name)
		require.NoError(t, err)
		w := writers[i*2/src.Len()]
		member(w, fmt.Sprintf("%04d.cls", i), fmt.Append(nil, item.Label))
		member(w, fmt.Sprintf("%04d%s", i, filepath.Ext(item.Name)), data)
	}
	for _, w := range writers {
		require.NoError(t, w.Close())
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write(archives[1].Bytes())
	require.NoError(t, err)
	require.NoError(t, z.Close())
	for name, data := range map[string][]byte{"m.csv": []byte(rows.String()), "m.jsonl": []byte(objects.String()),
		"a.tar": archives[0].Bytes(), "b.tar": archives[1].Bytes(), "b.tar.gz": zipped.Bytes()} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	for _, args := range [][]string{{"m.csv"}, {"m.jsonl"}, {"a.tar", "b.tar"}, {"a.tar", "b.tar.gz"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			for i := range args {
				args[i] = filepath.Join(folder, args[i])
			}
			src, err := source.Open(t.Context(), args, source.Options{})
			require.NoError(t, err)
			got, err := load(t, src, loader.ImageOptions{Spec: spec(32)}, samples)
			require.NoError(t, err)
			all := slices.Concat(got...)
			require.Len(t, all, len(want))
			for i, s := range all {
				require.Equal(t, want[i].Label, s.Label)
				require.Equal(t, want[i].pixels, s.pixels, s.Name)
			}
		})
	}

	shards, err := source.Open(t.Context(), []string{filepath.Join(folder, "?.tar")}, source.Options{})
	require.NoError(t, err)
	o := loader.Options{Epochs: 2, Sampler: func(epoch uint64) order.Sampler {
		return order.NewShards(shards.Sizes(), order.ShardOptions{Window: 8}, 1, epoch)
	}}
	got, err := load(t, shards, loader.ImageOptions{Spec: spec(32), Options: o}, samples)
	require.NoError(t, err)
	all := slices.Concat(got...)
	require.Len(t, all, 2*len(want))
	for i, s := range all {
		require.Equal(t, want[s.ID].pixels, s.pixels)
		require.Equal(t, int64(o.Sampler(uint64(s.epoch)).At(i%len(want))), s.ID)
	}
}

// A truncated shard loses its missing samples and reports them. No batch gets shorter, and the run continues.
func TestShardThatIsCutOff(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	src, want := photos(t)
	for i := range 3 {
		data, err := os.ReadFile(src.Item(i).Name)
		require.NoError(t, err)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%d.jpg", i), Size: int64(len(data)), Mode: 0o644}))
		_, err = w.Write(data)
		require.NoError(t, err)
	}
	name := filepath.Join(t.TempDir(), "cut.tar")
	require.NoError(t, os.WriteFile(name, b.Bytes()[:b.Len()-1000], 0o600))
	shard, err := source.Open(t.Context(), []string{name}, source.Options{})
	require.NoError(t, err)
	ledger := &pipe.MemoryLedger{}
	got, err := load(t, shard, loader.ImageOptions{Spec: spec(32),
		Options: loader.Options{Failures: loader.Failures{Ledger: ledger}}}, samples)
	require.NoError(t, err)
	all := slices.Concat(got...)
	require.Len(t, all, 2)
	require.Equal(t, []any{want[0].pixels, want[1].pixels}, []any{all[0].pixels, all[1].pixels})
	failures := ledger.Failures()
	require.Len(t, failures, 2)
	var files []string // of the image and of the shard, from two stages in any order
	for _, f := range failures {
		files = append(files, f.File)
		require.Equal(t, string(spool.ErrTruncated), f.Class)
	}
	require.ElementsMatch(t, []string{name + "/2.jpg", name}, files)
}
