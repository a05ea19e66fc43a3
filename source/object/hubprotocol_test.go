package object_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/object"
)

// TestHubProtocol: what Hugging Face answers besides files, as its documentation of errors and of rate limits has it.
// The answer comes once or always, to requests of one kind.
func TestHubProtocol(t *testing.T) {
	const resolve, tree = "/datasets/user/flowers/resolve/", "/api/datasets/user/flowers/tree/"
	for name, c := range map[string]struct {
		path   string // of the requests that are answered so
		status int
		header map[string]string
		always bool
		class  spool.Class   // of the error; empty: the request is repeated or redirected, and succeeds
		text   string        // of the error
		wait   time.Duration // at least, until the next request
	}{
		"rate limit of files, Retry-After": {resolve, 429, map[string]string{"Retry-After": "1"}, false, "", "", time.Second},
		"rate limit of files, RateLimit": {resolve, 429, map[string]string{"RateLimit": `"resolvers";r=0;t=1`,
			"RateLimit-Policy": `"fixed window";"resolvers";q=3000;w=300`}, false, "", "", time.Second},
		"rate limit of listings": {tree, 429, map[string]string{"RateLimit": `"api";r=0;t=1`}, false, "", "", time.Second},
		"overload":               {resolve, 503, nil, false, "", "", 0},
		"gateway of listings":    {tree, 502, nil, false, "", "", 0},
		"renamed data set, file": {"/datasets/user/flowers/resolve/", 307,
			map[string]string{"Location": "/renamed"}, false, "", "", 0},
		"no token, gated": {resolve, 401, map[string]string{"X-Error-Code": "GatedRepo"}, true, spool.ErrPermission,
			"accept its conditions", 0},
		"token of another user, gated": {resolve, 403, map[string]string{"X-Error-Code": "GatedRepo"}, true,
			spool.ErrPermission, "accept its conditions", 0},
		"gated listing": {tree, 403, map[string]string{"X-Error-Code": "GatedRepo"}, true, spool.ErrPermission,
			"accept its conditions", 0},
		"wrong token": {resolve, 401, map[string]string{
			"X-Error-Message": "Invalid credentials in Authorization header"}, true, spool.ErrPermission, "check HF_TOKEN", 0},
		"disabled data set": {resolve, 403, map[string]string{
			"X-Error-Message": "Access to this resource is disabled."}, true, spool.ErrPermission, "403", 0},
		"private or missing": {resolve, 401, map[string]string{"X-Error-Code": "RepoNotFound"}, true, spool.ErrNotFound,
			"no such data set", 0},
		"missing revision": {tree, 404, map[string]string{"X-Error-Code": "RevisionNotFound"}, true, spool.ErrNotFound,
			"no such revision", 0},
		"missing file": {resolve, 404, map[string]string{"X-Error-Code": "EntryNotFound"}, true, spool.ErrNotFound,
			"no such file", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HF_TOKEN", "")
			content := noise(t, 3000)
			h := newHub(t, map[string][]byte{"large": content, "small": []byte("x")})
			t.Setenv("HF_TOKEN", hubSecret)
			h.private = true
			inner := h.Config.Handler
			var lock sync.Mutex
			var refused time.Time
			h.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				lock.Lock()
				defer lock.Unlock()
				matches := strings.HasPrefix(r.URL.Path, c.path)
				if rest, moved := strings.CutPrefix(r.URL.Path, "/renamed"); moved {
					assert.Equal(t, "Bearer "+hubSecret, r.Header.Get("Authorization"), "the same server")
					r.URL.Path = rest
				} else if matches && (refused.IsZero() || c.always || c.status == http.StatusTemporaryRedirect) {
					refused = time.Now()
					for key, value := range c.header {
						if key == "Location" {
							value += r.URL.Path
						}
						w.Header().Set(key, value)
					}
					w.WriteHeader(c.status)
					return
				} else if matches {
					assert.GreaterOrEqual(t, time.Since(refused), c.wait)
				}
				inner.ServeHTTP(w, r)
			})
			client := newClient(t, object.Options{Part: 1000, RetryTime: 10 * time.Second})
			got, err := whole(t, client)
			if c.class == "" {
				require.NoError(t, err)
				assert.Equal(t, content, got)
				assert.False(t, refused.IsZero())
				return
			}
			require.ErrorIs(t, err, c.class)
			require.ErrorContains(t, err, c.text)
			showsNot(t, err, hubSecret)
		})
	}
}

// whole lists a data set, and reads its large file in parts.
func whole(t *testing.T, c *object.Client) ([]byte, error) {
	for _, err := range c.List(t.Context(), "hf://datasets/user/flowers/") {
		if err != nil {
			return nil, err
		}
	}
	o, err := open(t, c, "hf://datasets/user/flowers/large")
	if err != nil {
		return nil, err
	}
	return read(t.Context(), o)
}
