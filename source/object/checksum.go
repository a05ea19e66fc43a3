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

// Checksums is which checksums of whole objects are verified, of those that a store tells of.
type Checksums uint8

const (
	// CheapChecksums are CRCs: of S3 (CRC64NVME, which Amazon's has for all that was written since 2025, CRC32C, CRC32) and
	// of Google's. They take less than 0.1 ns a byte.
	CheapChecksums Checksums = iota
	// AllChecksums are also SHA-256, SHA-1 and MD5 (S3's, Repr-Digest, Digest, Content-MD5): 0.5 to 2 ns a byte, which is
	// more than all the rest of a request.
	AllChecksums
	// NoChecksums asks for none.
	NoChecksums
)

// checksum is what all bytes of an object have to add up to.
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

// algorithms are those that checksums are told in: the first that a store has is taken.
var algorithms = [...]algorithm{
	{"crc64nvme", "X-Amz-Checksum-Crc64nvme", 8, true, func() hash.Hash { return crc64nvme.New() }},
	{"crc32c", "X-Amz-Checksum-Crc32c", 4, true, func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }},
	{"crc32", "X-Amz-Checksum-Crc32", 4, true, func() hash.Hash { return crc32.NewIEEE() }},
	{"sha256", "X-Amz-Checksum-Sha256", 32, false, sha256.New},
	{"sha1", "X-Amz-Checksum-Sha1", 20, false, sha1.New},
	{"md5", "X-Amz-Checksum-Md5", 16, false, md5.New},
}

// stated reads the checksum of an answer that is a whole object, nil without one. An ETag is none, although many look like an MD5 and
// some are one: of objects that were encrypted, written in parts, or lie in other stores than Amazon's first, they are not.
func stated(header http.Header, which Checksums) *checksum {
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

// find gives what the headers say. What is no such sum, as those of parts together ("...-12"), is left out.
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
	// Google's store unpacks what was stored packed, and tells the sum of what it has.
	if stored := header.Get("X-Goog-Stored-Content-Encoding"); stored == "" || stored == "identity" {
		if want := decode(member(header.Values("X-Goog-Hash"), a.name)); want != nil {
			return want
		}
	}
	name := strings.Replace(a.name, "sha", "sha-", 1)
	for _, key := range [...]string{"Repr-Digest", "Digest"} { // RFC 9530, and the one before it
		if want := decode(strings.Trim(member(header.Values(key), name), ":")); want != nil && header.Get("Content-Encoding") == "" {
			return want
		}
	}
	return nil
}

// member is the value of a name in headers of the form "a=1,b=2".
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

// holds reports whether the bytes in memory add up to it.
func (c *checksum) holds(memory scatter) bool {
	h := c.make()
	for _, p := range memory {
		h.Write(p)
	}
	return bytes.Equal(h.Sum(nil), c.want)
}

// damaged is the error of bytes that do not.
type damaged struct{ algorithm string }

func (d damaged) Error() string {
	return "the bytes do not add up to the checksum that the store has of them (" + d.algorithm + "): they are damaged there, or on the way"
}
