package object

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/source"
)

const pageOfAmazon = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix>x</Prefix><KeyCount>2</KeyCount><MaxKeys>1000</MaxKeys>
<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><Contents><Key>x/a+b%2Fc&amp;d.jpg</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>
<ETag>&quot;abc-3&quot;</ETag><ChecksumAlgorithm>CRC32C</ChecksumAlgorithm><Size>17</Size><StorageClass>STANDARD</StorageClass></Contents>
<Contents>
  <Key>x/&#233;&#x21;</Key><Size>0</Size><ETag>"q"</ETag><Owner><ID>1</ID><DisplayName>me</DisplayName></Owner></Contents></ListBucketResult>
`

func TestReadPage(t *testing.T) {
	objects, more, err := new(pageReader).read(strings.NewReader(pageOfAmazon), "s3://b/", "")
	require.NoError(t, err)
	assert.True(t, more)
	assert.Equal(t, []source.Entry{{URL: "s3://b/x/a b/c&d.jpg", Size: 17, Version: `"abc-3"`},
		{URL: "s3://b/x/é!", Version: `"q"`}}, objects)

	// Other servers report truncation after the objects, and do not encode keys.
	objects, more, err = new(pageReader).read(strings.NewReader("<ListBucketResult><Contents><Key>IsTruncated+%</Key><Size>1</Size></Contents><IsTruncated>false</IsTruncated></ListBucketResult>"), "s3://b/", "")
	require.NoError(t, err)
	assert.False(t, more)
	assert.Equal(t, []source.Entry{{URL: "s3://b/IsTruncated+%", Size: 1}}, objects)

	objects, more, err = new(pageReader).read(strings.NewReader(pageOfAmazon), "s3://b/", "x/b")
	require.NoError(t, err)
	assert.False(t, more, "there is nothing more of what is wanted")
	assert.Len(t, objects, 1)

	for _, text := range []string{"", "<html>sign in</html>"} {
		_, _, err := new(pageReader).read(strings.NewReader(text), "s3://b/", "")
		require.ErrorIs(t, err, errNoListing, "whole, and something else")
	}
	for _, text := range []string{pageOfAmazon[:len(pageOfAmazon)/2], strings.Replace(pageOfAmazon, "17", "many", 1),
		strings.Replace(pageOfAmazon, "%2F", "%zz", 1), strings.Replace(pageOfAmazon, "<Key>x/a", "<K>x/a", 1)} {
		_, _, err := new(pageReader).read(strings.NewReader(text), "s3://b/", "")
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, text)
	}
}

// Pages of real servers are read without encoding/xml, with the same result.
func TestPlainPage(t *testing.T) {
	for _, text := range []string{
		strings.Replace(pageOfAmazon, "&#233;&#x21;", "&amp;&#34;%2b%25 é+", 1),
		"<ListBucketResult><IsTruncated>true</IsTruncated><Contents><ETag>&quot;a&quot;</ETag><Key>1%+</Key><Size>-1</Size></Contents></ListBucketResult>",
		"<ListBucketResult><Contents><Key>1%+</Key><Size>1</Size></Contents><Contents><Key>1%%</Key><Size>1</Size></Contents></ListBucketResult>",
		"<ListBucketResult><Contents><Key>%2B+</Key><Size>1</Size></Contents><EncodingType>url</EncodingType></ListBucketResult>\n",
	} {
		for _, until := range []string{"", "1", "x/b"} {
			var p plainPage
			require.True(t, p.read([]byte(text), "s3://b/", until), text)
			same(t, &p, text, until)
		}
	}
	for _, text := range []string{
		"", "<ListBucketResult><!-- <Contents> --></ListBucketResult>",
		"<ListBucketResult><Contents><Key><![CDATA[a]]></Key><Size>1</Size></Contents></ListBucketResult>",
		`<ListBucketResult><Contents a="b"><Key>a</Key><Size>1</Size></Contents></ListBucketResult>`,
		"<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>",
		"<ListBucketResult><A><EncodingType>url</EncodingType></A><Contents><Key>%20</Key><Size>1</Size></Contents></ListBucketResult>",
	} {
		assert.False(t, new(plainPage).read([]byte(text), "", ""), text)
	}
}

func same(t *testing.T, p *plainPage, text, until string) {
	t.Helper()
	want, more, err := readAnyPage([]byte(text), "s3://b/", until)
	require.NoError(t, err, text)
	assert.Equal(t, append([]source.Entry{}, want...), p.objects(), text)
	assert.Equal(t, more, p.more, text)
}

// FuzzReadPage: nothing panics, and a plain page has the objects that encoding/xml reads.
func FuzzReadPage(f *testing.F) {
	f.Add(pageOfAmazon, "x/")
	f.Add("<ListBucketResult><Contents><Key>1%+</Key><Size>1</Size></Contents><EncodingType>url</EncodingType></ListBucketResult>", "")
	f.Fuzz(func(t *testing.T, text, key string) {
		var p pageReader
		if _, _, err := p.read(strings.NewReader(text), "", ""); err == nil {
			fuzzed.Accept()
		}
		if p.plain.read([]byte(text), "s3://b/", "") {
			if want, more, err := readAnyPage([]byte(text), "s3://b/", ""); err == nil { // if it is XML
				assert.Equal(t, append([]source.Entry{}, want...), p.plain.objects())
				assert.Equal(t, more, p.plain.more)
			}
		}
		var escaped strings.Builder
		if err := xml.EscapeText(&escaped, []byte(key)); err != nil || key == "" {
			return
		}
		page := fmt.Sprintf("<ListBucketResult><Contents><Key>%s</Key><Size>1</Size></Contents></ListBucketResult>",
			escaped.String())
		want, _, err := readAnyPage([]byte(page), "", "")
		require.NoError(t, err)
		got, _, err := p.read(strings.NewReader(page), "", "")
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
}

func BenchmarkReadPage(b *testing.B) {
	var text strings.Builder
	text.WriteString("<ListBucketResult><EncodingType>url</EncodingType>")
	for i := range 1000 {
		fmt.Fprintf(&text, "<Contents><Key>train%%2Fn01440764%%2Fn01440764_%d.JPEG</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"+
			"<ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag><Size>%d</Size><StorageClass>STANDARD</StorageClass>"+
			"</Contents>", i, i)
	}
	text.WriteString("</ListBucketResult>")
	b.ReportAllocs()
	var p pageReader
	for b.Loop() {
		if _, _, err := p.read(strings.NewReader(text.String()), "s3://b/", ""); err != nil {
			b.Fatal(err)
		}
	}
}
