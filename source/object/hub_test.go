package object_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

const hubSecret = "hf_hush" // of the simulated server

// hub is a server with the protocol of Hugging Face: it has one data set, and another server has its large files.
type hub struct {
	*httptest.Server
	files    map[string][]byte
	private  bool
	pages    atomic.Int64
	revision string
}

func newHub(t *testing.T, files map[string][]byte) *hub {
	t.Helper()
	h := &hub{files: files, revision: "main"}
	large := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Empty(t, r.Header.Get("Authorization"), "the token is for one server")
		assert.Equal(t, "hush", r.URL.Query().Get("Signature"))
		assert.Equal(t, http.MethodGet, r.Method)
		w.Header().Set("Etag", `"of another server"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(h.files[r.URL.Query().Get("path")])))
	}))
	t.Cleanup(large.Close)
	mux := http.NewServeMux()
	mux.HandleFunc("/datasets/user/flowers/resolve/{revision}/{path...}", func(w http.ResponseWriter, r *http.Request) {
		data, found := h.files[r.PathValue("path")]
		switch {
		case !h.admits(w, r):
		case !found:
			refuse(w, http.StatusNotFound, "EntryNotFound")
		case len(data) > 100:
			w.Header().Set("X-Linked-Size", strconv.Itoa(len(data)))
			w.Header().Set("X-Linked-Etag", `"sha256 `+r.PathValue("path")+`"`)
			http.Redirect(w, r, large.URL+"/?Signature=hush&path="+r.PathValue("path"), http.StatusFound)
		default:
			w.Header().Set("Etag", `"sha1 `+r.PathValue("path")+`"`)
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(data)))
		}
	})
	mux.HandleFunc("/api/datasets/user/flowers/tree/{revision}/{path...}", h.tree)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusUnauthorized, "RepoNotFound")
	})
	h.Server = httptest.NewServer(mux)
	t.Cleanup(h.Close)
	t.Setenv("HF_ENDPOINT", h.URL+"/")
	for _, name := range []string{"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH", "HF_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
	return h
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("X-Error-Code", code)
	w.WriteHeader(status)
}

// admits answers requests without the token, and those for another revision.
func (h *hub) admits(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case h.private && r.Header.Get("Authorization") != "Bearer "+hubSecret:
		refuse(w, http.StatusUnauthorized, "RepoNotFound")
	case r.PathValue("revision") != h.revision:
		refuse(w, http.StatusNotFound, "RevisionNotFound")
	default:
		return true
	}
	return false
}

// tree lists a folder, two entries a page, folders first.
func (h *hub) tree(w http.ResponseWriter, r *http.Request) {
	if !h.admits(w, r) {
		return
	}
	h.pages.Add(1)
	folder := r.PathValue("path")
	if folder != "" {
		folder += "/"
	}
	type entry map[string]any
	folders, files := []entry{}, []entry{}
	var names []string
	for name := range h.files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !strings.HasPrefix(name, folder) {
			continue
		}
		e := entry{"type": "file", "path": name, "size": len(h.files[name]), "oid": "sha1 " + name}
		if len(h.files[name]) > 100 {
			e["lfs"] = entry{"oid": "sha256 " + name, "size": len(h.files[name])}
		}
		if dir := filepath.Dir(name); dir != "." {
			folders = append(folders, entry{"type": "directory", "path": dir, "oid": "x", "size": 0})
		}
		files = append(files, e)
	}
	slices.Reverse(files)
	all := slices.Concat(folders, files)
	if len(files) == 0 {
		refuse(w, http.StatusNotFound, "EntryNotFound")
		return
	}
	at, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
	if end := at + 2; end < len(all) {
		w.Header().Set("Link", fmt.Sprintf(`<https://elsewhere/api?recursive=true&cursor=%d>; rel="next"`, end))
		all = all[:end]
	}
	_ = json.NewEncoder(w).Encode(all[at:])
}

func urls(t *testing.T, c *object.Client, prefix string) (found []string) {
	t.Helper()
	for e, err := range c.List(t.Context(), prefix) {
		require.NoError(t, err)
		found = append(found, e.URL)
	}
	return found
}

func TestHuggingFace(t *testing.T) {
	files := map[string][]byte{"README.md": []byte("flowers"), "data/train-0.tar": noise(t, 5000),
		"data/train-1.tar": noise(t, 6000), "data/a b/ü?%41#.jpg": []byte("a flower"), "data.csv": []byte("x"),
		"data-2/empty": {}}
	newHub(t, files)
	c := newClient(t, object.Options{Part: 1000})
	const set = "hf://datasets/user/flowers"
	var all []string
	for name, data := range files {
		all = append(all, set+"/"+name)
		o, err := open(t, c, set+"/"+name)
		require.NoError(t, err, name)
		got, err := read(t.Context(), o)
		require.NoError(t, err, name)
		assert.Equal(t, data, append([]byte{}, got...), name)
	}
	slices.Sort(all)
	assert.Equal(t, all, urls(t, c, set))
	assert.Equal(t, all, urls(t, c, set+"/"))
	assert.Equal(t, []string{set + "/data/train-0.tar", set + "/data/train-1.tar"}, urls(t, c, set+"/data/tr"))
	assert.Empty(t, urls(t, c, set+"/nothing/here"))
	for e, err := range c.Walk(t.Context(), set+"/data/") { // versions of listings are those of answers
		require.NoError(t, err)
		o, err := reopen(t, c, e)
		require.NoError(t, err)
		got, err := read(t.Context(), o)
		require.NoError(t, err)
		assert.Equal(t, files[strings.TrimPrefix(e.URL, set+"/")], got)
		again, err := open(t, c, e.URL)
		require.NoError(t, err)
		assert.Equal(t, e.Version, again.Info().Version)
		assert.NotEmpty(t, again.Info().Identity)
	}
	access, err := c.Access(t.Context(), set)
	require.NoError(t, err)
	assert.Empty(t, access.Credentials)
}

func TestHuggingFaceChanges(t *testing.T) {
	h := newHub(t, map[string][]byte{"a": []byte("one"), "b": []byte("two")})
	c := newClient(t, object.Options{})
	o, err := open(t, c, "hf://datasets/user/flowers/a")
	require.NoError(t, err)
	h.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Etag", `"sha1 c"`)
		_, _ = w.Write([]byte("six"))
	})
	_, err = read(t.Context(), o)
	require.ErrorContains(t, err, "overwritten")
}

// Samples of a listing: globs, folders and braces of a revision.
func TestHuggingFaceListing(t *testing.T) {
	h := newHub(t, map[string][]byte{"train/cat/1.jpg": []byte("1"), "train/cat/2.jpg": []byte("2"),
		"train/dog/3.jpg": []byte("3"), "train/README.md": []byte("4")})
	h.revision = "refs/convert/parquet"
	c := newClient(t, object.Options{})
	const set = "hf://datasets/user/flowers@refs/convert/parquet/"
	for _, test := range []struct {
		arg  string
		want []string
	}{
		{set + "train/", []string{"train/cat/1.jpg", "train/cat/2.jpg", "train/dog/3.jpg"}},
		{set + "train", []string{"train/cat/1.jpg", "train/cat/2.jpg", "train/dog/3.jpg"}},
		{set, []string{"train/cat/1.jpg", "train/cat/2.jpg", "train/dog/3.jpg"}},
		{set + "train/cat/*.jpg", []string{"train/cat/1.jpg", "train/cat/2.jpg"}},
		{set + "**/[23].jpg", []string{"train/cat/2.jpg", "train/dog/3.jpg"}},
		{set + "train/{dog/3,cat/1}.jpg", []string{"train/dog/3.jpg", "train/cat/1.jpg"}},
		{"hf://datasets/user/flowers@refs%2Fconvert%2Fparquet/train/cat/2.jpg", []string{"train/cat/2.jpg"}},
	} {
		l, err := source.Open(t.Context(), []string{test.arg}, source.Options{Remote: c})
		require.NoError(t, err, test.arg)
		var names []string
		for i := range l.Len() {
			name := strings.TrimPrefix(l.Item(i).Name, set)
			names = append(names, strings.TrimPrefix(name, "hf://datasets/user/flowers@refs%2Fconvert%2Fparquet/"))
			o, err := l.Open(t.Context(), i)
			require.NoError(t, err)
			require.NoError(t, o.Close())
		}
		assert.Equal(t, test.want, names, test.arg)
		assert.True(t, l.Remote())
	}
	l, err := source.Open(t.Context(), []string{set + "train"}, source.Options{Remote: c})
	require.NoError(t, err)
	assert.Equal(t, []string{"cat", "dog"}, l.Classes())
}

func TestHuggingFaceToken(t *testing.T) {
	h := newHub(t, map[string][]byte{"a.jpg": []byte("private"), "large": noise(t, 3000)})
	h.private = true
	const url = "hf://datasets/user/flowers/a.jpg"
	reads := func(o object.Options) error {
		c := newClient(t, o)
		for _, url := range []string{url, "hf://datasets/user/flowers/large"} {
			x, err := open(t, c, url)
			if err != nil {
				return err
			}
			if _, err = read(t.Context(), x); err != nil {
				return err
			}
		}
		return nil
	}
	require.ErrorContains(t, reads(object.Options{}), "or it is private: check its name, and set HF_TOKEN")
	t.Setenv("HF_TOKEN", hubSecret)
	require.NoError(t, reads(object.Options{}))
	require.ErrorIs(t, reads(object.Options{NoSignRequest: true}), spool.ErrNotFound)
	access, err := newClient(t, object.Options{}).Access(t.Context(), url)
	require.NoError(t, err)
	assert.Equal(t, "the environment (HF_TOKEN)", access.Credentials)
	t.Setenv("HF_TOKEN", "")
	for _, x := range [][2]string{{"HOME", ".cache/huggingface/token"}, {"XDG_CACHE_HOME", "huggingface/token"},
		{"HF_HOME", "token"}, {"HF_TOKEN_PATH", ""}} {
		folder := filepath.Join(t.TempDir(), "x")
		file := filepath.Join(folder, x[1])
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(hubSecret+"\n"), 0o600))
		t.Setenv(x[0], folder)
		require.NoError(t, reads(object.Options{}), x[0])
		require.NoError(t, os.Remove(file))
		require.Error(t, reads(object.Options{}), x[0])
	}
}

func TestHuggingFaceErrors(t *testing.T) {
	h := newHub(t, map[string][]byte{"a.jpg": []byte("x")})
	t.Setenv("HF_TOKEN", "hush")
	status, code := 0, ""
	inner := h.Config.Handler
	h.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status != 0 {
			refuse(w, status, code)
			return
		}
		inner.ServeHTTP(w, r)
	})
	for _, test := range []struct {
		url    string
		status int
		code   string
		class  spool.Class
		text   string
	}{
		{"hf://datasets/user/trees/a.jpg", 0, "", spool.ErrNotFound, "no such data set, or it is private"},
		{"hf://datasets/user/flowers@v2/a.jpg", 0, "", spool.ErrNotFound, "no such revision"},
		{"hf://datasets/user/flowers/b.jpg", 0, "", spool.ErrNotFound, "no such file"},
		{"hf://datasets/user/flowers/a.jpg", 403, "GatedRepo", spool.ErrPermission, "accept its conditions"},
		{"hf://datasets/user/flowers/a.jpg", 401, "", spool.ErrPermission, "check HF_TOKEN"},
		{"hf://datasets/user/flowers/a.jpg", 404, "", spool.ErrNotFound, "no such data set"},
		{"hf://datasets/user/flowers/a.jpg", 418, "", spool.ErrIO, "418"},
		{"hf://user/model/a.jpg", 0, "", spool.ErrNotFound, "has the form hf://datasets/USER/NAME"},
		{"hf://datasets/squad", 0, "", spool.ErrNotFound, "has the form hf://datasets/USER/NAME"},
		{"hf://datasets/user/flowers@%zz/a", 0, "", spool.ErrNotFound, "bad escape"},
	} {
		status, code = test.status, test.code
		c := newClient(t, object.Options{RetryTime: time.Second})
		_, err := open(t, c, test.url)
		require.ErrorIs(t, err, test.class, test.url)
		require.ErrorContains(t, err, test.text)
		showsNot(t, err, "hush")
		for _, err := range c.List(t.Context(), test.url) {
			if test.text == "no such file" {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, test.class)
			showsNot(t, err, "hush")
		}
	}
	h.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", `<?recursive=true>; rel="next"`)
		_, _ = w.Write([]byte(`[]`))
	})
	list := func() (err error) {
		for _, err = range newClient(t, object.Options{}).List(context.Background(), "hf://datasets/user/flowers/") {
		}
		return err
	}
	require.ErrorContains(t, list(), "lists the same objects again")
	h.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })
	require.ErrorContains(t, list(), "check that HF_ENDPOINT")
	t.Setenv("HF_ENDPOINT", "huggingface.co")
	require.ErrorContains(t, list(), "the endpoint is not a URL")
}
