package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/pipenet"
	"github.com/spoolmedia/spool/internal/s3test"
	"github.com/spoolmedia/spool/internal/timing"
)

// refusing is a server that answers everything with an S3 error.
func refusing(t *testing.T, status int, code, text, more string, header ...string) string {
	t.Helper()
	return serving(t, func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>%s</Code><Message>%s</Message>%s</Error>`, code, text, more)
	})
}

func serving(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s.URL
}

// resolves reports whether names are resolved here: by a resolver that answers, and not by a proxy.
func resolves(t *testing.T) bool {
	t.Helper()
	for _, name := range []string{"HTTPS_PROXY", "https_proxy"} {
		if os.Getenv(name) != "" {
			return false
		}
	}
	_, err := net.DefaultResolver.LookupHost(t.Context(), "no-such-host.invalid")
	var answer *net.DNSError
	return errors.As(err, &answer) && answer.IsNotFound
}

const (
	askForCredentials = "check the credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE), and what " +
		"they may read"
	noCredentials = "without credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
)

// Any problem of a store is one line that says what to check, whether objects are listed or opened.
func TestStoreErrors(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	encrypted := httptest.NewUnstartedServer(http.NotFoundHandler())
	encrypted.Config.ErrorLog = silent()
	encrypted.StartTLS()
	t.Cleanup(encrypted.Close)
	loop := serving(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"?signature=hush", http.StatusFound)
	})
	away := pipenet.Refused(t)
	for name, c := range map[string]struct{ endpoint, says string }{
		"expired token": {refusing(t, 400, "ExpiredToken", "The provided token has expired.", "<Token-0>hush</Token-0>"),
			"permission: the credentials have expired: get new ones (http 400)"},
		"no access": {refusing(t, 403, "AccessDenied", "Access Denied", ""),
			"permission: AccessDenied: Access Denied: " + askForCredentials + " (http 403)"},
		"repeats": {refusing(t, 403, "InvalidAccessKeyId", "No AKID here.", ""),
			"permission: InvalidAccessKeyId: No ... here: " + askForCredentials + " (http 403)"},
		"clock": {refusing(t, 403, "RequestTimeTooSkewed", "The difference is too large.", ""),
			"permission: the server's clock differs: set that of this machine (http 403)"},
		"bucket elsewhere": {refusing(t, 301, "PermanentRedirect", "Go elsewhere.", "", "X-Amz-Bucket-Region",
			"eu-central-1"), "io: the bucket is in eu-central-1: set AWS_REGION to that, or --region (http 301)"},
		"signed for another region": {refusing(t, 400, "AuthorizationHeaderMalformed", "The region is wrong.",
			"<Region>eu-central-1</Region>"),
			"io: the bucket is in eu-central-1: set AWS_REGION to that, or --region (http 400)"},
		"redirected": {loop, "io: 302 Found: the bucket is elsewhere: check AWS_REGION and AWS_ENDPOINT_URL (http 302)"},
		"no host": {"https://no-such-host.invalid",
			"not-found: no host no-such-host.invalid: check the URL, AWS_ENDPOINT_URL, and how names are resolved here"},
		"self-signed": {encrypted.URL,
			"io: TLS: x509: certificate signed by unknown authority: check the URL, and the certificates of this machine; " +
				"SSL_CERT_FILE names more of them"},
		"http, not https": {strings.Replace(serving(t, http.NotFound), "http", "https", 1),
			"io: TLS: http: server gave HTTP response to HTTPS client: check the URL, and the certificates of this machine; " +
				"SSL_CERT_FILE names more of them"},
		"https, not http": {strings.Replace(encrypted.URL, "https", "http", 1),
			"io: 400 Bad Request: check that AWS_ENDPOINT_URL is an S3 server, and whether it needs https (http 400)"},
		"no server of S3": {serving(t, func(http.ResponseWriter, *http.Request) {}),
			"io: the answer is not a list of objects: check that AWS_ENDPOINT_URL is an S3 server"},
		"refused": {"http://" + away,
			"io: connection refused by " + away + ": check the URL, AWS_ENDPOINT_URL, and that the server runs"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "no host" && !resolves(t) {
				need.Skip(t, need.System, "names are not resolved")
			}
			t.Parallel()
			began := time.Now()
			tool.Refused(t, cli.ExitInput, []string{"spool: s3://data/photos: " + c.says}, "run", "images", "s3://data/photos",
				"--endpoint-url", c.endpoint)
			timing.Within(t, time.Since(began), 20*time.Second, "the error")
			if name != "refused" && name != "no server of S3" { // the first is slow; the second opens objects
				tool.Refused(t, cli.ExitInput, []string{"spool: s3://data/a.jpg: " + c.says}, "probe", "s3://data/a.jpg",
					"--endpoint-url", c.endpoint)
			}
		})
	}
	tool.Refused(t, cli.ExitInput, []string{"spool: " + loop + "/a.jpg: io: redirected five times: check the URL"},
		"probe", loop+"/a.jpg?x=1")
	denied := refusing(t, 403, "AccessDenied", "Access Denied", "")
	tool.Refused(t, cli.ExitInput,
		[]string{"spool: s3://data/a: permission: AccessDenied: Access Denied, " + noCredentials + " (http 403)"},
		"run", "images", "s3://data/a", "--endpoint-url", denied, "--no-sign-request")
	tool.Refused(t, cli.ExitInput,
		[]string{"spool: " + denied + "/a.jpg: permission: 403 Forbidden: check the URL and the credentials in it: a " +
			"signature may have expired (http 403)"},
		"probe", denied+"/a.jpg?X-Amz-Signature=hush")
	tool.Refused(t, cli.ExitInput,
		[]string{"spool: s3://bucket/a.jpg: not-found: an s3 URL has no user and password: give them as AWS_ACCESS_KEY_ID " +
			"and AWS_SECRET_ACCESS_KEY"},
		"probe", "s3://AKID:hush@bucket/a.jpg")
	tool.Refused(t, cli.ExitInput,
		[]string{"spool: gs://bucket/a.jpg: not-found: unknown scheme gs: use s3, https, http or hf; s3 reads this store, " +
			"with AWS_ENDPOINT_URL=https://storage.googleapis.com and an HMAC key"},
		"probe", "gs://bucket/a.jpg")
	tool.Refused(t, cli.ExitUsage, []string{"spool: usage: --endpoint-url: must be a URL of the form https://host"},
		"probe", "s3://bucket/a.jpg", "--endpoint-url", "u:hush@host")
}

func TestStoreErrorsOfARealServer(t *testing.T) {
	s := s3test.Start(t)
	s.Login(t)
	s.Bucket("data")
	tool.Refused(t, cli.ExitInput,
		[]string{"spool: s3://nowhere/photos: not-found: no such bucket: check its name, AWS_ENDPOINT_URL and AWS_REGION " +
			"(http 404)"}, "run", "images", "s3://nowhere/photos")
	tool.Refused(t, cli.ExitInput, []string{"spool: s3://data/a.jpg: not-found: no such object in this bucket (http 404)"},
		"probe", "s3://data/a.jpg")
	tool.Refused(t, cli.ExitInput,
		[]string{"spool: s3://data/photos: empty: no images in this folder, which holds no files"}, "run", "images",
		"s3://data/photos/")
	tool.Refused(t, cli.ExitInput,
		[]string{"spool: s3://data/photos: permission: AccessDenied: Access Denied, " + noCredentials + " (http 403)"}, "run",
		"images", "s3://data/photos", "--no-sign-request")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "other")
	o := tool.Run("run", "images", "s3://data/photos")
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Regexp(t, `^spool: s3://data/photos: permission: SignatureDoesNotMatch: .*: check the credentials .*\n$`,
		o.Stderr)
}

// Settings that Go reads once per process are tested in another process.
func TestStoreErrorsOfTheEnvironment(t *testing.T) {
	certificate := filepath.Join(t.TempDir(), "ca.pem")
	encrypted := httptest.NewUnstartedServer(http.NotFoundHandler())
	encrypted.Config.ErrorLog = silent()
	encrypted.StartTLS()
	t.Cleanup(encrypted.Close)
	require.NoError(t, os.WriteFile(certificate, pemOf(encrypted), 0o600))
	other := strings.Replace(encrypted.URL, "127.0.0.1", "localhost", 1) // not in its certificate
	wants := serving(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) })
	away := pipenet.Refused(t)
	for name, c := range map[string]struct {
		environment, url string
		says             string
	}{
		"wrong host": {"SSL_CERT_FILE=" + certificate, other + "/a.jpg",
			other + "/a.jpg: io: TLS: x509: certificate is valid for example.com, *.example.com, not localhost: check the " +
				"URL, and the certificates of this machine; SSL_CERT_FILE names more of them"},
		"proxy is away": {"HTTPS_PROXY=http://u:hush@" + away, "https://photos.test/a.jpg",
			"https://photos.test/a.jpg: io: the proxy: connection refused: check HTTPS_PROXY and NO_PROXY"},
		"proxy refuses": {"HTTPS_PROXY=" + wants, "https://photos.test/a.jpg",
			"https://photos.test/a.jpg: permission: the proxy answers 407 Proxy Authentication Required: check HTTPS_PROXY " +
				"and NO_PROXY; it requires a user and a password"},
		"proxy of http": {"HTTP_PROXY=" + wants, "http://photos.test/a.jpg",
			"http://photos.test/a.jpg: permission: the proxy answers 407 Proxy Authentication Required: check HTTPS_PROXY and " +
				"NO_PROXY; it requires a user and a password (http 407)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := process(t, "probe", c.url)
			p.Env = append(p.Env, c.environment)
			out, err := p.CombinedOutput()
			require.Error(t, err)
			assert.Equal(t, cli.ExitInput, p.ProcessState.ExitCode())
			assert.Equal(t, "spool: "+c.says+"\n", string(out))
		})
	}
}

// A server that answers what nobody requested makes net/http write to the log of package log, whose lines do not have
// the form of the command's own.
func TestStderrHasNoForeignLines(t *testing.T) {
	photo := clitest.Content(t, "photos/animal/00.jpg")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for requests := bufio.NewReader(conn); ; {
					if _, err := http.ReadRequest(requests); err != nil {
						return
					}
					fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s%s", len(photo), photo,
						"HTTP/1.1 404 Not Found\r\n\r\n")
				}
			}()
		}
	}()
	run := process(t, "decode", "image", "http://"+listener.Addr().String()+"/00.jpg", "--out",
		filepath.Join(t.TempDir(), "a.npy"))
	var stderr bytes.Buffer
	run.Stderr = &stderr
	require.NoError(t, run.Run())
	assert.Empty(t, stderr.String())
}
