package object

import (
	"cmp"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
)

// hubScheme begins the URLs of files of Hugging Face.
const hubScheme = "hf://"

// hubSet is a data set of Hugging Face in one revision: a branch, a tag or a commit.
type hubSet struct{ name, revision string }

// hub is what a server needs besides the prefix of its files.
type hub struct {
	tree        *url.URL // prefix of the URLs that list folders
	credentials string   // source of the token; empty without one
}

// hubURL is hf://datasets/USER/NAME[@REVISION][/PATH]. Only revisions of refs/ have slashes; others write %2F.
var hubURL = regexp.MustCompile(`^hf://datasets/([\w.-]+/[\w.-]+)(?:@(refs/(?:convert|pr)/[\w.-]+|[^/]+))?(?:/(.*))?$`)

// parseHub parses the URL of a file of a data set.
func parseHub(name string) (location, error) {
	m := hubURL.FindStringSubmatch(name)
	if m == nil {
		return location{}, bad(spool.Redacted(name),
			"not the URL of a data set: it has the form hf://datasets/USER/NAME[@REVISION]/PATH")
	}
	revision, err := url.PathUnescape(cmp.Or(m[2], "main"))
	if err != nil {
		return location{}, bad(spool.Redacted(name), "the revision has a bad escape sequence")
	}
	store := hubScheme + "datasets/" + m[1]
	if m[2] != "" {
		store += "@" + m[2]
	}
	return location{store: store, hub: hubSet{m[1], revision}, key: m[3]}, nil
}

// newHub returns the server of a data set.
func newHub(set hubSet, o *Options, client *http.Client) (*server, error) {
	endpoint := cmp.Or(os.Getenv("HF_ENDPOINT"), "https://huggingface.co")
	base, err := url.Parse(strings.TrimRight(endpoint, "/") + "/")
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, bad(hubScheme+"datasets/"+set.name, "the endpoint is not a URL: check HF_ENDPOINT")
	}
	revision := url.PathEscape(set.revision)
	under := func(prefix, action string) *url.URL {
		return base.JoinPath(prefix + "datasets/" + set.name + "/" + action + "/" + revision + "/")
	}
	s := &server{base: under("", "resolve"), hub: &hub{tree: under("api/", "tree")}, sums: NoChecksums,
		client: &http.Client{Transport: client.Transport, CheckRedirect: redirectHub}}
	token, from := "", ""
	if !o.NoSignRequest {
		token, from = hubToken()
	}
	if token != "" {
		s.hub.credentials = from
		s.header = http.Header{"Authorization": {"Bearer " + token}}
	}
	return s, nil
}

// hubToken returns the token of the user, and where it is from. Hugging Face's tools look in the same places.
func hubToken() (token, from string) {
	for _, name := range []string{"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"} {
		if token = strings.TrimSpace(os.Getenv(name)); token != "" {
			return token, "the environment (" + name + ")"
		}
	}
	file := os.Getenv("HF_TOKEN_PATH")
	if file == "" {
		folder := os.Getenv("HF_HOME")
		if cache := os.Getenv("XDG_CACHE_HOME"); folder == "" && cache != "" {
			folder = filepath.Join(cache, "huggingface")
		}
		if folder == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", ""
			}
			folder = filepath.Join(home, ".cache", "huggingface")
		}
		file = filepath.Join(folder, "token")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", ""
	}
	return strings.TrimSpace(string(text)), "the file of Hugging Face's tools"
}

// redirectHub follows redirects to the servers that have large files. They get no token: the URL is signed. HEAD is
// answered by the redirect itself, which has the size.
func redirectHub(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) >= 5:
		return errRedirects
	case first.Method == http.MethodHead && next.Response.Header.Get(linkedSize) != "":
		return http.ErrUseLastResponse
	case next.URL.Host != first.URL.Host || next.URL.Scheme != first.URL.Scheme:
		next.Header.Del("Authorization")
	}
	next.Header.Del("Referer")
	return nil
}

// linkedSize is the header with the size of a file that is on another server.
const linkedSize = "X-Linked-Size"

// parseSize returns a size, -1 if text is none.
func parseSize(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// hubVersion returns the hash of a file's content, which listings have, too. If other servers have the file, the
// redirect to them reports it, and their own ETag is another.
func hubVersion(resp *http.Response) string {
	version := resp.Header.Get("Etag")
	for r := resp; r != nil; r = r.Request.Response {
		if linked := r.Header.Get("X-Linked-Etag"); linked != "" {
			version = linked
		}
		if r.Request == nil {
			break
		}
	}
	return strings.TrimPrefix(version, "W/")
}

// join returns the URL of a path below a prefix, whose escape sequences stay.
func join(base *url.URL, path string) *url.URL {
	u := *base
	u.RawPath = u.EscapedPath() + (&url.URL{Path: path}).EscapedPath()
	u.Path += path
	return &u
}

// hubClass returns the error class of an answer of Hugging Face. It does not tell data sets that do not exist from
// private ones.
func (a *serverError) hubClass() spool.Class {
	switch a.code {
	case "RepoNotFound", "RevisionNotFound", "EntryNotFound":
		return spool.ErrNotFound
	}
	return classOfStatus(a.status)
}

// hubAdvice returns the text of an answer of Hugging Face with what to check. Without a token, it answers 401 for data
// sets that do not exist, too.
func (a *serverError) hubAdvice() string {
	switch {
	case a.code == "RevisionNotFound":
		return "the data set has no such revision: check the part after @"
	case a.code == "EntryNotFound":
		return "no such file in this data set"
	case a.code == "GatedRepo":
		return "the data set is gated: accept its conditions on its page, and set HF_TOKEN to a token of the same user"
	case a.code == "RepoNotFound" && a.signed, a.code == "" && a.status == http.StatusNotFound:
		return "no such data set, or it is private and the token may not read it: check its name and HF_TOKEN"
	case a.code == "RepoNotFound", a.status == http.StatusUnauthorized && !a.signed:
		return "no such data set, or it is private: check its name, and set HF_TOKEN for a private one"
	case a.class() == spool.ErrPermission:
		return a.Error() + ": check HF_TOKEN, and what it may read"
	}
	return a.Error()
}
