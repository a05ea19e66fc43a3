package object_test

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash/crc32"
	"net/http"
	"testing"

	"github.com/minio/crc64nvme"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/object"
)

func TestChecksums(t *testing.T) {
	b := noise(t, 100_000)
	encode := func(sum []byte) string { return base64.StdEncoding.EncodeToString(sum) }
	c64, castagnoli, ieee := crc64nvme.New(), crc32.New(crc32.MakeTable(crc32.Castagnoli)), crc32.NewIEEE()
	for _, h := range []interface{ Write([]byte) (int, error) }{c64, castagnoli, ieee} {
		_, _ = h.Write(b)
	}
	s256, s1, m := sha256.Sum256(b), sha1.Sum(b), md5.Sum(b)
	none := []string{}
	for _, test := range []struct {
		name   string
		header []string // for damage, the last value is that of other bytes
		cheap  bool     // verified by default
		all    bool     // verified with AllChecksums
	}{
		{"crc64nvme", []string{"x-amz-checksum-crc64nvme", encode(c64.Sum(nil))}, true, true},
		{"crc32c", []string{"x-amz-checksum-crc32c", encode(castagnoli.Sum(nil))}, true, true},
		{"crc32", []string{"x-amz-checksum-crc32", encode(ieee.Sum(nil))}, true, true},
		{"Google's", []string{"x-goog-hash", "md5=x,crc32c=" + encode(castagnoli.Sum(nil))}, true, true},
		{"sha256", []string{"x-amz-checksum-sha256", encode(s256[:])}, false, true},
		{"sha1", []string{"x-amz-checksum-sha1", encode(s1[:])}, false, true},
		{"Content-MD5", []string{"Content-MD5", encode(m[:])}, false, true},
		{"Repr-Digest", []string{"Repr-Digest", "sha-256=:" + encode(s256[:]) + ":"}, false, true},
		{"Digest", []string{"Digest", "SHA-256=" + encode(s256[:])}, false, true},
		{"of parts together", []string{"x-amz-checksum-crc32c", encode(castagnoli.Sum(nil)) + "-3"}, false, false},
		{"of parts together, told", []string{"x-amz-checksum-type", "COMPOSITE", "x-amz-checksum-crc32c",
			encode(castagnoli.Sum(nil))}, false, false},
		{"unpacked on the way", []string{"x-goog-stored-content-encoding", "gzip", "x-goog-hash",
			"crc32c=" + encode(castagnoli.Sum(nil))}, false, false},
		{"an ETag", []string{"Etag", `"` + hex.EncodeToString(m[:]) + `"`}, false, false},
		{"none", none, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, kind := range []object.Checksums{object.CheapChecksums, object.AllChecksums, object.NoChecksums} {
				s := newStore(t)
				s.put("/x", b)
				c := newClient(t, object.Options{Checksums: kind})
				o, err := open(t, c, s.URL+"/x")
				require.NoError(t, err)
				damaged := int64(0) // answers with a flipped bit
				s.spoiled(func(n int64, w http.ResponseWriter, _ *http.Request) bool {
					w.Header().Set("Etag", o.Entry().Version)
					for i := 0; i < len(test.header); i += 2 {
						w.Header().Set(test.header[i], test.header[i+1])
					}
					if test.name == "an ETag" {
						w.Header().Del("Etag")
					}
					sent := append([]byte{}, b...)
					if n < damaged {
						sent[77_777] ^= 1
					}
					_, _ = w.Write(sent)
					return true
				})
				got, err := read(t.Context(), o)
				require.NoError(t, err)
				require.Equal(t, b, got)

				verified := (kind == object.CheapChecksums && test.cheap) || (kind == object.AllChecksums && test.all)
				damaged = 1
				s.requests.Store(0)
				got, err = read(t.Context(), o)
				require.NoError(t, err)
				assert.Equal(t, verified, string(b) == string(got), "read once more")

				damaged = 2
				s.requests.Store(0)
				_, err = read(t.Context(), o)
				if !verified {
					require.NoError(t, err)
					continue
				}
				require.ErrorIs(t, err, spool.ErrIO)
				assert.Contains(t, err.Error(), "checksum")
				assert.EqualValues(t, 2, s.requests.Load())
				assert.EqualValues(t, 3, c.Stats().Damaged)
			}
		})
	}
}
