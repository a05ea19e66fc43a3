package object

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/source"
)

// hubFiles returns the files of a data set whose paths begin with a prefix, sorted. Their URLs are paths with store in
// front.
func (h *host) hubFiles(ctx context.Context, store, prefix string) (files []source.Entry, err error) {
	folder := prefix[:strings.LastIndexByte(prefix, '/')+1]
	u := join(h.server.hub.tree, strings.TrimRight(folder, "/"))
	for query := "recursive=true"; query != ""; {
		u.RawQuery = query
		var found []hubFile
		err := h.ask(ctx, func(ctx context.Context) (err error) {
			found, query, err = h.server.hubPage(ctx, u)
			return err
		})
		if a, ok := errors.AsType[*serverError](err); ok && a.code == "EntryNotFound" {
			return nil, nil // the folder does not exist, and so nothing begins with the prefix
		}
		if err != nil {
			return nil, err
		}
		if query == u.RawQuery {
			return nil, errRepeats
		}
		for _, f := range found {
			if f.Type == "file" && strings.HasPrefix(f.Path, prefix) {
				files = append(files, source.Entry{URL: store + f.Path, Size: f.Size, Version: f.version()})
			}
		}
	}
	slices.SortFunc(files, func(a, b source.Entry) int { return strings.Compare(a.URL, b.URL) })
	return files, nil
}

// hubFile is a file or a folder in a listing.
type hubFile struct {
	Type, Path string
	Size       int64
	OID        string `json:"oid"` // of Git, which keeps small files itself
	LFS        struct {
		OID string `json:"oid"`
	}
}

// version returns the ETag of a file.
func (f *hubFile) version() string {
	if oid := cmp.Or(f.LFS.OID, f.OID); oid != "" {
		return `"` + oid + `"`
	}
	return ""
}

// hubPage requests a page of a listing. next is the query of the next page, empty for the last.
func (s *server) hubPage(ctx context.Context, u *url.URL) (files []hubFile, next string, err error) {
	resp, err := s.do(ctx, http.MethodGet, u, nil)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, "", s.errorOf(resp)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, mostPage))
	if err != nil {
		return nil, "", err
	}
	if json.Unmarshal(text, &files) != nil {
		if len(text) > 0 && text[0] == '[' {
			return nil, "", io.ErrUnexpectedEOF
		}
		return nil, "", errNoTree
	}
	return files, nextQuery(resp.Header.Get("Link")), nil
}

// nextLink is the part of a Link header that leads to the next page.
var nextLink = regexp.MustCompile(`<([^>]*)>\s*;[^,]*\brel="?next"?`)

// nextQuery returns the query of the next page. Its host is ignored: mirrors send that of the original, and the token
// is for one server.
func nextQuery(link string) string {
	m := nextLink.FindStringSubmatch(link)
	if m == nil {
		return ""
	}
	u, err := url.Parse(m[1])
	if err != nil {
		return ""
	}
	return u.RawQuery
}

// give yields entries, or the error.
func give(entries []source.Entry, err error, yield func(source.Entry, error) bool) {
	if err != nil {
		yield(source.Entry{}, err)
		return
	}
	for _, e := range entries {
		if !yield(e, nil) {
			return
		}
	}
}
