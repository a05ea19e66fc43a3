package object

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const pageOfAmazon = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix>x</Prefix><KeyCount>2</KeyCount><MaxKeys>1000</MaxKeys>
<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><Contents><Key>x/a+b%2Fc&amp;d.jpg</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>
<ETag>&quot;abc-3&quot;</ETag><ChecksumAlgorithm>CRC32C</ChecksumAlgorithm><Size>17</Size><StorageClass>STANDARD</StorageClass></Contents>
<Contents>
  <Key>x/&#233;&#x21;</Key><Size>0</Size><ETag>"q"</ETag><Owner><ID>1</ID><DisplayName>me</DisplayName></Owner></Contents></ListBucketResult>
`

func TestReadPage(t *testing.T) {
	objects, more, err := readPage(strings.NewReader(pageOfAmazon), "")
	require.NoError(t, err)
	assert.True(t, more)
	assert.Equal(t, []listed{{"x/a b/c&d.jpg", info{size: 17, version: `"abc-3"`}}, {"x/é!", info{version: `"q"`}}}, objects)

	// Others tell what is left after the objects, and do not code keys.
	objects, more, err = readPage(strings.NewReader("<ListBucketResult><Contents><Key>IsTruncated+%</Key><Size>1</Size></Contents><IsTruncated>false</IsTruncated></ListBucketResult>"), "")
	require.NoError(t, err)
	assert.False(t, more)
	assert.Equal(t, []listed{{"IsTruncated+%", info{size: 1}}}, objects)

	objects, more, err = readPage(strings.NewReader(pageOfAmazon), "x/b")
	require.NoError(t, err)
	assert.False(t, more, "there is nothing more of what is wanted")
	assert.Len(t, objects, 1)

	for _, text := range []string{"", "<html>sign in</html>"} {
		_, _, err := readPage(strings.NewReader(text), "")
		require.ErrorIs(t, err, errNoListing, "whole, and something else")
	}
	for _, text := range []string{pageOfAmazon[:len(pageOfAmazon)/2], strings.Replace(pageOfAmazon, "17", "many", 1),
		strings.Replace(pageOfAmazon, "%2F", "%zz", 1), strings.Replace(pageOfAmazon, "<Key>x/a", "<K>x/a", 1)} {
		_, _, err := readPage(strings.NewReader(text), "")
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, text)
	}
}

// FuzzReadPage: nothing panics, and what encoding/xml reads of keys is what readPage reads.
func FuzzReadPage(f *testing.F) {
	f.Add(pageOfAmazon)
	f.Fuzz(func(t *testing.T, key string) {
		_, _, _ = readPage(strings.NewReader(key), "")
		var text strings.Builder
		if err := xml.EscapeText(&text, []byte(key)); err != nil || key == "" {
			return
		}
		page := fmt.Sprintf("<ListBucketResult><Contents><Key>%s</Key><Size>1</Size></Contents></ListBucketResult>", text.String())
		var want struct {
			Contents struct{ Key string }
		}
		require.NoError(t, xml.Unmarshal([]byte(page), &want))
		objects, _, err := readPage(strings.NewReader(page), "")
		require.NoError(t, err)
		assert.Equal(t, want.Contents.Key, objects[0].key)
	})
}

func BenchmarkReadPage(b *testing.B) {
	var text strings.Builder
	text.WriteString("<ListBucketResult><EncodingType>url</EncodingType>")
	for i := range 1000 {
		fmt.Fprintf(&text, "<Contents><Key>train%%2Fn01440764%%2Fn01440764_%d.JPEG</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"+
			"<ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag><Size>%d</Size><StorageClass>STANDARD</StorageClass></Contents>", i, i)
	}
	text.WriteString("</ListBucketResult>")
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := readPage(strings.NewReader(text.String()), ""); err != nil {
			b.Fatal(err)
		}
	}
}
