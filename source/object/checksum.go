package object

import (
	"bytes"
	"crypto/md5"  //nolint:gosec // what stores say of objects: against accidents, not against people
	"crypto/sha1" //nolint:gosec // the same
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"hash/crc32"
	"net/http"
	"strings"

	"github.com/minio/crc64nvme"
)

// Checksums selects which checksums of whole objects are verified, if a store sends them.
type Checksums uint8

const (
	// CheapChecksums are CRCs, which take less than 0.1 ns a byte: those of S3 (CRC64NVME, which Amazon has for all
	// objects written since 2025, CRC32C, CRC32) and of Google's store.
	CheapChecksums Checksums = iota
	// AllChecksums are also SHA-256, SHA-1 and MD5 (of S3, Repr-Digest, Digest, Content-MD5). They take 0.5 to 2 ns a
	// byte, which is more than the rest of a request.
	AllChecksums
	// NoChecksums requests none.
	NoChecksums
)

// checksum is the expected checksum of all bytes of an object.
type checksum struct {
	algorithm
	want []byte
}

type algorithm struct {
	name   string
	header string // S3's
	size   int
	cheap  bool
	make   func() hash.Hash
}

// algorithms are the known ones, in order of preference.
var algorithms = [...]algorithm{
	{"crc64nvme", crcHeader, 8, true, func() hash.Hash { return crc64nvme.New() }},
	{"crc32c", "X-Amz-Checksum-Crc32c", 4, true, func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }},
	{"crc32", "X-Amz-Checksum-Crc32", 4, true, func() hash.Hash { return crc32.NewIEEE() }},
	{"sha256", "X-Amz-Checksum-Sha256", 32, false, sha256.New},
	{"sha1", "X-Amz-Checksum-Sha1", 20, false, sha1.New},
	{"md5", "X-Amz-Checksum-Md5", 16, false, md5.New},
}

// checksumOf returns the checksum of a response with a whole object, or nil. It does not use ETags: many look like an
// MD5, but those of objects that are encrypted, written in parts, or in other stores than Amazon's are not.
func checksumOf(header http.Header, which Checksums) *checksum {
	if which == NoChecksums {
		return nil
	}
	for _, a := range algorithms {
		if !a.cheap && which != AllChecksums {
			continue
		}
		if want := a.find(header); want != nil {
			return &checksum{a, want}
		}
	}
	return nil
}

// find returns the checksum in the headers. It ignores other values, such as checksums of multipart uploads ("...-12").
func (a algorithm) find(header http.Header) []byte {
	decode := func(s string) []byte {
		if s == "" {
			return nil
		}
		if want, err := base64.StdEncoding.DecodeString(s); err == nil && len(want) == a.size {
			return want
		}
		return nil
	}
	if header.Get("X-Amz-Checksum-Type") != "COMPOSITE" {
		if want := decode(header.Get(a.header)); want != nil {
			return want
		}
	}
	if a.name == "md5" {
		if want := decode(header.Get("Content-Md5")); want != nil {
			return want
		}
	}
	// Google's store decompresses objects that were stored compressed, and sends the checksum of the stored bytes.
	if stored := header.Get("X-Goog-Stored-Content-Encoding"); stored == "" || stored == "identity" {
		if want := decode(member(header.Values("X-Goog-Hash"), a.name)); want != nil {
			return want
		}
	}
	name := strings.Replace(a.name, "sha", "sha-", 1)
	for _, key := range [...]string{"Repr-Digest", "Digest"} { // RFC 9530, and its predecessor
		if want := decode(strings.Trim(member(header.Values(key), name), ":")); want != nil &&
			header.Get("Content-Encoding") == "" {
			return want
		}
	}
	return nil
}

// member returns the value of a name in headers of the form "a=1,b=2".
func member(values []string, name string) string {
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			if key, value, ok := strings.Cut(strings.TrimSpace(part), "="); ok && strings.EqualFold(key, name) {
				return value
			}
		}
	}
	return ""
}

// holds reports whether bytes have this checksum.
func (c *checksum) holds(p []byte) bool {
	h := c.make()
	h.Write(p)
	return bytes.Equal(h.Sum(nil), c.want)
}

// damaged is the error of bytes that do not match their checksum.
type damaged struct{ algorithm string }

func (d damaged) Error() string {
	return "the bytes do not match the checksum of the store (" + d.algorithm + "): they are damaged there, or in transit"
}
