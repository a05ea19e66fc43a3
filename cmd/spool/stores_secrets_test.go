package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// None of these may appear in any output. They are parts of secrets, so that fragments are found as well.
var secrets = []string{"hushkey", "hushsecret", "hushtoken", "hushpassword", "hushsignature", "hushuser"}

// Secrets come from the environment, from files, and in URLs: as arguments, in lists, in tables, as the endpoint.
// Whatever fails, none of them is printed or written to a file of a run.
func TestSecretsStayIn(t *testing.T) {
	photo := clitest.Content(t, "photos/animal/00.jpg")
	answers := map[string]http.HandlerFunc{
		"good": func(w http.ResponseWriter, r *http.Request) { serve(w, r, photo) },
		"repeats all": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, "<Error><Code>AccessDenied</Code><Message>%v %s %s "+
				"https://hushuser:hushpassword@host/?hushsignature</Message></Error>",
				r.Header.Get("Authorization"), r.Header.Get("X-Amz-Security-Token"), r.URL)
		},
		"not there": http.NotFound,
		"expired": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, "<Error><Code>ExpiredToken</Code><Token-0>hushtoken</Token-0></Error>")
		},
		"redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/x?hushsignature=1", http.StatusFound)
		},
		"no media": func(w http.ResponseWriter, r *http.Request) { serve(w, r, []byte("what is this?")) },
		"damaged":  func(w http.ResponseWriter, r *http.Request) { serve(w, r, photo[:len(photo)/2]) },
		"nothing":  func(w http.ResponseWriter, r *http.Request) { serve(w, r, nil) },
		"listed": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("list-type") {
				fmt.Fprint(w, "<ListBucketResult><Contents><Key>p/a.jpg</Key><Size>1000</Size></Contents></ListBucketResult>")
				return
			}
			w.WriteHeader(http.StatusForbidden)
		},
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "hushkey")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hushsecret")
	t.Setenv("AWS_SESSION_TOKEN", "hushtoken")
	for k, name := range slices.Sorted(maps.Keys(answers)) {
		t.Run(name, func(t *testing.T) {
			server := serving(t, answers[name])
			host := strings.Replace(server, "http://", "http://hushuser:hushpassword@", 1)
			out := t.TempDir()
			in := t.TempDir()
			file := func(name, text string) string {
				require.NoError(t, os.WriteFile(filepath.Join(in, name), []byte(text), 0o600))
				return filepath.Join(in, name)
			}
			url := host + "/a.jpg?X-Amz-Signature=hushsignature&b=1"
			tar := host + "/a.tar?X-Amz-Signature=hushsignature"
			list := file("list", url+"\t1\n"+host+"/b.jpg?hushsignature\n")
			table := file("table.csv", "path,label\n"+url+",1\n"+tar+"/x.jpg,2\n")
			good := file("good.jpg", string(photo))
			leaves := []string{"--size", "16", "--json", "--digest", "--batch", "1", "--save-first",
				filepath.Join(out, "first.png"),
				"--report", filepath.Join(out, "run.html"), "--state-out", filepath.Join(out, "state")}
			met := false
			calls := [][]string{
				append([]string{"run", "images", url, good}, leaves...),
				append([]string{"run", "images", "@" + list, "--ledger", filepath.Join(out, "ledger")}, leaves...),
				append([]string{"run", "images", "@" + host + "/list?hushsignature"}, leaves...),
				append([]string{"run", "images", table, good, "--ledger", filepath.Join(out, "ledger2")}, leaves...),
				append([]string{"run", "images", host + "/t.csv?hushsignature"}, leaves...),
				append([]string{"run", "images", tar, "--mix", tar + "=1"}, leaves...),
				append([]string{"run", "images", "s3://hushkey:hushsecret@bucket/p"}, leaves...),
				append([]string{"run", "images", "s3://bucket/p", "--endpoint-url", host + "?hushsignature"}, leaves...),
				append([]string{"run", "images", "s3://bucket/p/", "--endpoint-url=" + server}, leaves...),
				append([]string{"run", "video", url}, leaves[:2]...),
				{"run", "audio", url, "--json"},
				{"run", "images", url, "--size", "x", "--mix", url, "--batch", url},
				{"run", "images", url, "--endpoint-url", "hushuser:hushpassword@host"},
				{"probe", url, url, tar, "s3://bucket/p/a.jpg", "--endpoint-url", host},
				{"probe", "--json", url},
				{"decode", "image", url, "--out", filepath.Join(out, "image.npy")},
				{"decode", "video", url, "--explain", "--out", filepath.Join(out, "video.npy")},
				{"decode", "audio", url, "--out", filepath.Join(out, "audio.npy")},
				{"decode", "image", url, url, "--out", filepath.Join(out, "image.npy")},
				{"bench", "images", "--files", url, "--json"},
				{"replay", list}, {"replay", table},
				{"index", tar, "--index-dir", out}, {"index", url, "--index-dir", out},
				{"list", url, "@" + list, "--out", filepath.Join(out, "all.csv")},
				{"doctor", url}, {url}, {"run", url}, {"help", url},
			}
			for i, args := range calls {
				if testing.Short() && i > 0 && i%len(answers) != k {
					continue // each call gets one of the answers; the first gets all, and writes files
				}
				o := tool.Run(args...)
				assert.NotEqual(t, cli.ExitInternal, o.Code, "%v: %s", args, o.Stderr)
				met = met || o.Code != cli.ExitDone
				for _, secret := range secrets {
					assert.NotContains(t, strings.ToLower(o.Stdout), secret, "%d: %v", i, args)
					assert.NotContains(t, strings.ToLower(o.Stderr), secret, "%d: %v", i, args)
				}
			}
			assert.True(t, met)
			left := 0
			require.NoError(t, filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				left++
				data, err := os.ReadFile(path)
				for _, secret := range secrets {
					assert.NotContains(t, strings.ToLower(path+string(data)), secret, path)
				}
				return err
			}))
			assert.Positive(t, left)
		})
	}
}

// serve answers with bytes, or with a range of them.
func serve(w http.ResponseWriter, r *http.Request, data []byte) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}
