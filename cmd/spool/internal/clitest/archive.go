package clitest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Content returns a file of testdata.
func Content(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(Media, name))
	require.NoError(t, err)
	return data
}

// Pack writes a tar file with the members in the order of their names, compressed according to its extension.
func Pack(t testing.TB, name string, members map[string][]byte) {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, member := range slices.Sorted(maps.Keys(members)) {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: member, Size: int64(len(members[member])), Mode: 0o644}))
		_, err := w.Write(members[member])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	data := b.Bytes()
	switch filepath.Ext(name) {
	case ".gz":
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		_, err := z.Write(data)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		data = zipped.Bytes()
	case ".zst":
		data = zstandard(data)
	}
	require.NoError(t, os.WriteFile(name, data, 0o600))
}

// zstandard returns a frame of RFC 8878 in raw blocks.
func zstandard(data []byte) []byte {
	const most = 128 << 10
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0} // magic; one segment, whose size has eight bytes
	frame = binary.LittleEndian.AppendUint64(frame, uint64(len(data)))
	for last := uint32(0); last == 0; {
		block := data[:min(most, len(data))]
		if data = data[len(block):]; len(data) == 0 {
			last = 1
		}
		header := binary.LittleEndian.AppendUint32(nil, last|uint32(len(block))<<3)
		frame = append(append(frame, header[:3]...), block...)
	}
	return frame
}
