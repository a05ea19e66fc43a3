package object

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spoolmedia/spool"
)

// serverError is the error of a response other than the requested one.
type serverError struct {
	status int
	code   string // of S3, such as "NoSuchKey"
	text   string
	region string        // the bucket's region, if the request went to another
	after  time.Duration // until requests are answered again, if the server says so
	bucket bool          // the server is S3
	hub    bool          // the server is Hugging Face
	signed bool          // the request was signed
}

func (a *serverError) Error() string {
	switch {
	case a.code != "" && a.text != "":
		return fmt.Sprintf("%s: %s", a.code, strings.TrimSuffix(a.text, "."))
	case a.code != "":
		return a.code
	}
	return fmt.Sprintf("%d %s", a.status, http.StatusText(a.status))
}

// retryAfter parses the Retry-After header: seconds, or a date.
func retryAfter(header string, now time.Time) time.Duration {
	if n, err := strconv.ParseInt(header, 10, 32); err == nil {
		return max(time.Duration(n)*time.Second, 0)
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// hubLimit is the time in a RateLimit header of Hugging Face until requests are answered again: "resolvers";r=0;t=55.
var hubLimit = regexp.MustCompile(`;\s*r\s*=\s*0\s*;\s*t\s*=\s*(\d{1,6})`)

// waitOf returns how long an answer asks to wait: by Retry-After, or else by RateLimit. A date is compared with the
// answer's own: the clock of this machine may be wrong.
func waitOf(header http.Header, now time.Time) time.Duration {
	if sent, err := http.ParseTime(header.Get("Date")); err == nil {
		now = sent
	}
	if after := header.Get("Retry-After"); after != "" {
		return retryAfter(after, now)
	}
	if m := hubLimit.FindStringSubmatch(header.Get("RateLimit")); m != nil {
		return retryAfter(m[1], now)
	}
	return 0
}

// Errors that the client detects. A server does not report them.
var (
	errStalled = errors.New("the server sends nothing, or too slowly")
	errPaused  = errors.New("the server has stopped in the middle of an answer")
	errChanged = errors.New("the object was overwritten while it was read")
	errLength  = errors.New("the answer has another range than the request")
	errRanges  = errors.New("the server does not support range requests")

	errNoListing = errors.New("the answer is not a list of objects: check that AWS_ENDPOINT_URL is an S3 server")
	errNoTree    = errors.New("the answer is not a list of files: check that HF_ENDPOINT is Hugging Face or its mirror")
	errNoUpload  = errors.New("the answer is not that of an S3 server to an upload: check AWS_ENDPOINT_URL")
	errRepeats   = errors.New("the server lists the same objects again: it ignores start-after")
	errRedirects = errors.New("redirected five times: check the URL")
)

// proxyError is the status of a proxy that refuses a connection.
type proxyError int

func (p proxyError) Error() string {
	text := fmt.Sprintf("the proxy answers %d %s: check HTTPS_PROXY and NO_PROXY", int(p), http.StatusText(int(p)))
	if p == http.StatusProxyAuthRequired {
		text += "; it requires a user and a password"
	}
	return text
}

// remedy is what to do after a failed request.
type remedy uint8

const (
	fatal       remedy = iota
	retry              // later: the failure may be temporary
	retrySlowly        // later, and with fewer requests in flight
)

// clockCode is S3's code for a signature of another time.
const clockCode = "RequestTimeTooSkewed"

// remedyOf returns the remedy for the failure of one request.
func remedyOf(err error) remedy {
	if a, ok := errors.AsType[*serverError](err); ok {
		switch {
		case a.status == http.StatusServiceUnavailable, a.status == http.StatusTooManyRequests, a.code == "SlowDown":
			return retrySlowly
		case a.code == "BadDigest", a.code == "ConditionalRequestConflict",
			a.status == http.StatusRequestTimeout, a.status >= 500 && a.status != http.StatusNotImplemented:
			return retry
		}
		return fatal
	}
	if p, ok := errors.AsType[proxyError](err); ok && p < 500 {
		return fatal
	}
	var unknownHost *net.DNSError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, errChanged), errors.Is(err, errRanges),
		errors.Is(err, errRedirects), errors.Is(err, errNoListing), errors.Is(err, errNoTree),
		errors.Is(err, errRepeats), errors.Is(err, fs.ErrExist), isTLS(err):
		return fatal
	case errors.As(err, &unknownHost) && unknownHost.IsNotFound:
		return fatal
	case errors.Is(err, errStalled), errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return retrySlowly
	}
	return retry // resets, refused connections, answers that end early
}

func isTimeout(err error) bool {
	t, ok := errors.AsType[net.Error](err)
	return ok && t.Timeout()
}

func isTLS(err error) bool {
	var (
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		name        x509.HostnameError
		record      tls.RecordHeaderError
		alert       tls.AlertError
	)
	return errors.As(err, &certificate) || errors.As(err, &authority) || errors.As(err, &name) ||
		errors.As(err, &record) || errors.As(err, &alert) || errors.Is(err, http.ErrSchemeMismatch)
}

// fail returns the error for users: one line with what to check.
func fail(op, name string, err error) error {
	e := &spool.Error{Op: op, File: spool.Redacted(name), Class: spool.ErrIO, Err: err}
	a, answered := errors.AsType[*serverError](err)
	proxy, answeredByProxy := errors.AsType[proxyError](err)
	var (
		host *net.DNSError
		dial *net.OpError
	)
	isDial := errors.As(err, &dial)
	where := "the URL"
	if strings.HasPrefix(name, "s3:") {
		where += ", AWS_ENDPOINT_URL"
	}
	if strings.HasPrefix(name, hubScheme) {
		where += ", HF_ENDPOINT"
	}
	switch {
	case answered:
		e.Class, e.Text, e.Lib, e.Code = a.class(), a.advice(), "http", a.status
	case answeredByProxy:
		e.Text = proxy.Error()
		if proxy == http.StatusProxyAuthRequired {
			e.Class = spool.ErrPermission
		}
	case errors.Is(err, context.Canceled):
		e.Class, e.Text = spool.ErrCanceled, context.Canceled.Error()
	case isDial && dial.Op == "proxyconnect":
		e.Text = "the proxy: " + cause(err) + ": check HTTPS_PROXY and NO_PROXY"
	case errors.As(err, &host) && host.IsNotFound:
		e.Class, e.Text = spool.ErrNotFound, fmt.Sprintf("no host %s: check %s, and how names are resolved here", host.Name,
			where)
	case isTLS(err):
		e.Text = "TLS: " + cause(err) + ": check the URL, and the certificates of this machine; SSL_CERT_FILE names more " +
			"of them"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Text = "connection refused: check " + where + ", and that the server runs"
		if isDial && dial.Addr != nil {
			e.Text = "connection refused by " + dial.Addr.String() + ": check " + where + ", and that the server runs"
		}
	case errors.Is(err, errStalled), errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		e.Class, e.Text = spool.ErrTimeout, cause(err)
	default:
		e.Text = cause(err)
	}
	return e
}

// class returns the error class of an answer. The status decides, unless S3 or a compatible store has a more exact
// code.
func (a *serverError) class() spool.Class {
	if a.hub {
		return a.hubClass()
	}
	switch a.code {
	case "ExpiredToken", "TokenRefreshRequired", "InvalidToken", "InvalidAccessKeyId", "SignatureDoesNotMatch",
		"XAdminUserNotFound":
		return spool.ErrPermission
	}
	return classOfStatus(a.status)
}

// classOfStatus returns the error class of an HTTP status.
func classOfStatus(status int) spool.Class {
	switch status {
	case http.StatusNotFound, http.StatusGone:
		return spool.ErrNotFound
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return spool.ErrPermission
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return spool.ErrTimeout
	case http.StatusNotImplemented:
		return spool.ErrUnsupported
	}
	return spool.ErrIO
}

// advice returns the answer's text with what to check.
func (a *serverError) advice() string {
	switch {
	case a.hub:
		return a.hubAdvice()
	case a.region != "":
		return fmt.Sprintf("the bucket is in %s: set AWS_REGION to that, or object.Options.Region", a.region)
	case a.status == http.StatusProxyAuthRequired:
		return proxyError(a.status).Error()
	case a.status >= 300 && a.status < 400:
		return a.Error() + ": the bucket is elsewhere: check AWS_REGION and AWS_ENDPOINT_URL"
	case a.bucket && a.code == "" && a.status == http.StatusBadRequest:
		return a.Error() + ": check that AWS_ENDPOINT_URL is an S3 server, and whether it needs https"
	}
	switch a.code {
	case "NoSuchBucket":
		return "no such bucket: check its name, AWS_ENDPOINT_URL and AWS_REGION"
	case "NoSuchKey":
		return "no such object in this bucket"
	case "ExpiredToken", "TokenRefreshRequired":
		return "the credentials have expired: get new ones"
	case clockCode:
		return "the server's clock differs: set that of this machine"
	}
	switch {
	case a.class() != spool.ErrPermission:
		return a.Error()
	case !a.bucket:
		return a.Error() + ": check the URL and the credentials in it: a signature may have expired"
	case !a.signed:
		return a.Error() + ", without credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
	}
	return a.Error() + ": check the credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE), and what " +
		"they may read"
}

// cause returns the text of the innermost error. Outer errors of net/http repeat the URL, which may hold a signature.
func cause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return spool.Redacted(err.Error())
		}
		err = inner
	}
}
