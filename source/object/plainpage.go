package object

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/spoolmedia/spool/source"
)

// plainPage reads pages of listings as nearly all servers write them: elements without attributes, and names without
// characters that are difficult in XML. It rejects other pages.
type plainPage struct {
	path [][]byte // names of the open elements, within the page's

	key, size, etag []byte // of the open object

	encoded bool   // keys are URL-encoded
	more    bool   // there are objects after the page
	strings []byte // of all objects, end to end, so that they take one allocation
	rows    []plainRow
}

// plainRow is an object by the ends of its strings; its version begins where its URL ends.
type plainRow struct {
	url, version int
	size         int64
}

// objects returns the objects of the page.
func (p *plainPage) objects() []source.Entry {
	objects := make([]source.Entry, len(p.rows))
	all, begin := string(p.strings), 0
	for i, r := range p.rows {
		objects[i] = source.Entry{URL: all[begin:r.url], Size: r.size, Version: all[r.url:r.version]}
		begin = r.version
	}
	return objects
}

// read reads a page whose end the caller has checked, and reports whether it is plain.
func (p *plainPage) read(text []byte, store, until string) bool {
	*p = plainPage{path: p.path[:0], strings: p.strings[:0], rows: p.rows[:0], encoded: urlEncoded(text)}
	rest := pageContent(text)
	coded, leaf := false, false
	for {
		i := bytes.IndexByte(rest, '<')
		if i < 0 {
			return false
		}
		inner := rest[:i]
		rest = rest[i+1:]
		closes := len(rest) > 0 && rest[0] == '/'
		if closes {
			rest = rest[1:]
		}
		n := 0
		for n < len(rest) && isLetter(rest[n]) {
			n++
		}
		if n == 0 || n == len(rest) || rest[n] != '>' {
			return false
		}
		name := rest[:n]
		rest = rest[n+1:]
		if !closes {
			p.path, leaf = append(p.path, name), true
			continue
		}
		depth := len(p.path) - 1
		if depth < 0 {
			return string(name) == "ListBucketResult" && len(bytes.TrimSpace(rest)) == 0 && coded == p.encoded
		}
		if !bytes.Equal(name, p.path[depth]) {
			return false
		}
		switch {
		case depth == 0 && string(name) == "Contents":
			plain, wanted := p.add(store, until)
			if !plain || !wanted {
				p.more = false
				return plain
			}
		case !leaf:
		case depth == 0 && string(name) == "EncodingType":
			coded = string(inner) == "url"
		case depth == 0 && string(name) == "IsTruncated":
			p.more = string(inner) == "true"
		case depth == 1 && string(p.path[0]) == "Contents":
			switch string(name) {
			case "Key":
				p.key = inner
			case "Size":
				p.size = inner
			case "ETag":
				p.etag = inner
			}
		}
		p.path, leaf = p.path[:depth], false
	}
}

// urlEncoded reports whether a page's keys are URL-encoded, which some servers say before the objects and others after
// them.
func urlEncoded(text []byte) bool {
	mark := []byte("<EncodingType>url</EncodingType>")
	begin, end := bytes.Index(text, []byte("<Contents>")), bytes.LastIndex(text, []byte("</Contents>"))
	return begin >= 0 && end >= 0 && (bytes.Contains(text[:begin], mark) || bytes.Contains(text[end:], mark))
}

// pageContent returns the content of the page's element; nil if that has unusual attributes, or something precedes it.
func pageContent(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte(`<?xml version="1.0" encoding="UTF-8"?>`))
	text, found := bytes.CutPrefix(bytes.TrimLeft(text, "\n"), []byte("<ListBucketResult"))
	if !found {
		return nil
	}
	attribute, rest, _ := bytes.Cut(text, []byte(">"))
	if len(attribute) == 0 {
		return rest
	}
	space, found := bytes.CutPrefix(attribute, []byte(` xmlns="`))
	if !found || bytes.IndexByte(space, '"') != len(space)-1 || bytes.ContainsAny(space, "<&") {
		return nil
	}
	return rest
}

func isLetter(c byte) bool { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') }

// add adds the object that has ended, and reports whether it is plain, and whether it is not after until.
func (p *plainPage) add(store, until string) (plain, wanted bool) {
	size, err := strconv.ParseInt(string(p.size), 10, 64)
	if err != nil {
		return false, false
	}
	p.strings = append(p.strings, store...)
	key := len(p.strings)
	if !p.string(p.key, p.encoded) || len(p.strings) == key {
		return false, false
	}
	if until != "" && string(p.strings[key:]) > until {
		return true, false
	}
	row := plainRow{url: len(p.strings), size: size}
	if !p.string(p.etag, false) {
		return false, false
	}
	row.version = len(p.strings)
	p.rows = append(p.rows, row)
	p.key, p.size, p.etag = nil, nil, nil
	return true, true
}

// string appends a text of the page to the strings, and reports whether it is plain.
func (p *plainPage) string(text []byte, coded bool) bool {
	for len(text) > 0 {
		n := ordinary(text)
		p.strings = append(p.strings, text[:n]...)
		if text = text[n:]; len(text) == 0 {
			break
		}
		c, n := text[0], 1
		switch {
		case c < ' ' || c == '>':
			return false
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(text)
			if size == 1 || r == '\ufffe' || r == '\uffff' {
				return false
			}
			p.strings = append(p.strings, text[:size]...)
			text = text[size:]
			continue
		case c == '&':
			if c, n = entity(text); n == 0 {
				return false
			}
		case c == '+' && coded:
			c = ' '
		case c == '%' && coded:
			if len(text) < 3 {
				return false
			}
			of, err := strconv.ParseUint(string(text[1:3]), 16, 8)
			if err != nil {
				return false
			}
			c, n = byte(of), 3
		}
		p.strings = append(p.strings, c)
		text = text[n:]
	}
	return true
}

// ordinary returns the number of leading bytes that stand for themselves.
func ordinary(text []byte) int {
	for i, c := range text {
		if (c <= '+' || c >= utf8.RuneSelf || c == '>') && (c < ' ' || c >= '%') {
			return i
		}
	}
	return len(text)
}

// entity decodes the XML entity that a text begins with, and returns its length. The length is 0 for an entity that no
// server writes in keys.
func entity(text []byte) (c byte, n int) {
	for _, e := range [...]struct {
		name string
		c    byte
	}{{"&quot;", '"'}, {"&#34;", '"'}, {"&amp;", '&'}, {"&#39;", '\''}, {"&apos;", '\''}, {"&lt;", '<'}, {"&gt;", '>'}} {
		if len(text) >= len(e.name) && string(text[:len(e.name)]) == e.name {
			return e.c, len(e.name)
		}
	}
	return 0, 0
}
