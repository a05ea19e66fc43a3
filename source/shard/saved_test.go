package shard_test

import (
	"archive/tar"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/source/shard"
)

// described returns everything in an index.
func described(x *shard.Index) (samples []shard.Sample, damage string) {
	for i := range x.Len() {
		samples = append(samples, x.Sample(i))
		for _, m := range samples[i].Members {
			_ = m.Ext()
		}
	}
	if x.Damage() != nil {
		damage = x.Damage().Error()
	}
	return samples, damage
}

func TestSaved(t *testing.T) {
	data := pack(t, tar.FormatPAX,
		append(images, file{"a.jpg", "x"}, file{"a.jpg", "again"}, file{"../b.jpg", "out"}, file{"c.cls", "no label"})...)
	for _, n := range []int{len(data), len(data) - 1100, 700, 512, 0} {
		x := scan(t, data[:n])
		saved := &shard.Saved{Size: int64(n), Version: "yesterday", Compression: shard.Zstd, Index: x}
		text, err := saved.MarshalBinary()
		require.NoError(t, err)
		again, err := shard.ParseSaved(text)
		require.NoError(t, err)
		assert.Equal(t, []any{saved.Size, saved.Version, saved.Compression},
			[]any{again.Size, again.Version, again.Compression})
		wantSamples, wantDamage := described(x)
		gotSamples, gotDamage := described(again.Index)
		assert.Equal(t, wantSamples, gotSamples)
		assert.Equal(t, wantDamage, gotDamage)

		for cut := range text {
			_, err := shard.ParseSaved(text[:cut])
			require.Error(t, err)
		}
	}
	text, err := (&shard.Saved{Index: scan(t, data)}).MarshalBinary()
	require.NoError(t, err)
	text[8] = 2
	_, err = shard.ParseSaved(text)
	assert.ErrorIs(t, err, spool.ErrUnsupported)
	_, err = shard.ParseSaved([]byte("what else lies beside a shard"))
	assert.ErrorIs(t, err, spool.ErrNotMedia)
}

// FuzzParseSaved: all of any parsed index can be read, and is the same when it is written again.
func FuzzParseSaved(f *testing.F) {
	data := pack(f, tar.FormatGNU, append(images, file{"a.jpg", "x"}, file{"a.jpg", "again"})...)
	for _, n := range []int{len(data), 3000, 512} {
		x, err := shard.Scan(f.Context(), shard.Memory(data[:n]))
		require.NoError(f, err)
		text, err := (&shard.Saved{Size: 5, Version: "now", Index: x}).MarshalBinary()
		require.NoError(f, err)
		f.Add(text[12 : len(text)-4])
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	f.Fuzz(func(t *testing.T, body []byte) {
		text := append(binary.LittleEndian.AppendUint32([]byte("spooltar"), 1), body...)
		text = binary.LittleEndian.AppendUint32(text, crc32.Checksum(text, table))
		s, err := shard.ParseSaved(text)
		if err != nil {
			return
		}
		fuzzed.Accept()
		samples, damage := described(s.Index)
		again, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		back, err := shard.ParseSaved(again)
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		samples2, damage2 := described(back.Index)
		if !assert.ObjectsAreEqual(samples, samples2) || damage != damage2 || s.Size != back.Size ||
			s.Version != back.Version {
			t.Fatalf("%+v\n%+v", samples, samples2)
		}
	})
}
