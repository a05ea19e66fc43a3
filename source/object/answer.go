package object

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spoolmedia/spool"
)

// answer is the error of a server that answered with something else than what was asked for.
type answer struct {
	status int
	code   string // S3's, "NoSuchKey"
	text   string
	region string        // where the bucket is, if that is what is wrong
	after  time.Duration // Retry-After
	bucket bool          // of S3
	signed bool          // the request was
}

func (a *answer) Error() string {
	switch {
	case a.code != "" && a.text != "":
		return fmt.Sprintf("%s: %s", a.code, strings.TrimSuffix(a.text, "."))
	case a.code != "":
		return a.code
	}
	return fmt.Sprintf("%d %s", a.status, http.StatusText(a.status))
}

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(header string, now time.Time) time.Duration {
	if n, err := strconv.ParseInt(header, 10, 32); err == nil {
		return max(time.Duration(n)*time.Second, 0)
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// Errors of what a server did rather than said.
var (
	errStalled = errors.New("the server sends nothing")
	errPaused  = errors.New("the server has stopped within an answer")
	errChanged = errors.New("the object was written anew while it was being read")
	errLength  = errors.New("the answer is not of the range that was asked for")
	errRanges  = errors.New("the server does not give parts of objects")

	errNoListing = errors.New("the answer is no list of objects: check AWS_ENDPOINT_URL: is it a server of S3?")
	errRepeats   = errors.New("the server lists the same objects again: it does not know start-after")
	errRedirects = errors.New("redirected five times: check the address")
)

// proxyAnswer is what a proxy answered that was asked for a connection, where that is not OK.
type proxyAnswer int

func (p proxyAnswer) Error() string {
	text := fmt.Sprintf("the proxy answers %d %s: check HTTPS_PROXY and NO_PROXY", int(p), http.StatusText(int(p)))
	if p == http.StatusProxyAuthRequired {
		text += "; it wants a user and a password"
	}
	return text
}

// remedy is what to do about a failed request.
type remedy uint8

const (
	giveUp remedy = iota
	again         // later, it may have gone away
	slowly        // and with fewer requests at a time, as the server asks
)

// remedyOf says what to do about the failure of one request.
func remedyOf(err error) remedy {
	if a, ok := errors.AsType[*answer](err); ok {
		switch {
		case a.status == http.StatusServiceUnavailable, a.status == http.StatusTooManyRequests, a.code == "SlowDown":
			return slowly
		case a.status == http.StatusRequestTimeout, a.status >= 500 && a.status != http.StatusNotImplemented:
			return again
		}
		return giveUp
	}
	if p, ok := errors.AsType[proxyAnswer](err); ok && p < 500 {
		return giveUp
	}
	var unknownHost *net.DNSError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, errChanged), errors.Is(err, errRanges), errors.Is(err, errRedirects), errors.Is(err, errNoListing), isTLS(err):
		return giveUp
	case errors.As(err, &unknownHost) && unknownHost.IsNotFound:
		return giveUp
	case errors.Is(err, errStalled), errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return slowly
	}
	return again // resets, refused connections, answers that end early
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

// fail makes the error that a user reads: one line with what to check.
func fail(op, name string, err error) error {
	e := &spool.Error{Op: op, File: spool.Shown(name), Class: spool.ErrIO, Err: err}
	a, answered := errors.AsType[*answer](err)
	proxy, answeredByProxy := errors.AsType[proxyAnswer](err)
	var (
		host *net.DNSError
		dial *net.OpError
	)
	isDial := errors.As(err, &dial)
	where := "the address"
	if strings.HasPrefix(name, "s3:") {
		where += ", AWS_ENDPOINT_URL"
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
		e.Class, e.Text = spool.ErrNotFound, fmt.Sprintf("no host %s: check %s, and how names are resolved here", host.Name, where)
	case isTLS(err):
		e.Text = "TLS: " + cause(err) + ": check the address, and the certificates of this machine; SSL_CERT_FILE names more of them"
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

// class is that of an answer: by its status, but for what S3 and its likes say more exactly by a code.
func (a *answer) class() spool.Class {
	switch a.code {
	case "ExpiredToken", "TokenRefreshRequired", "InvalidToken", "InvalidAccessKeyId", "SignatureDoesNotMatch", "XAdminUserNotFound":
		return spool.ErrPermission
	}
	switch a.status {
	case http.StatusNotFound, http.StatusGone:
		return spool.ErrNotFound
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return spool.ErrPermission
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return spool.ErrTimeout
	}
	return spool.ErrIO
}

// advice is the answer's text with what to check.
func (a *answer) advice() string {
	switch {
	case a.region != "":
		return fmt.Sprintf("the bucket is in %s: set AWS_REGION to that, or --region", a.region)
	case a.status == http.StatusProxyAuthRequired:
		return proxyAnswer(a.status).Error()
	case a.status >= 300 && a.status < 400:
		return a.Error() + ": the bucket is elsewhere: check AWS_REGION and AWS_ENDPOINT_URL"
	case a.bucket && a.code == "" && a.status == http.StatusBadRequest:
		return a.Error() + ": check AWS_ENDPOINT_URL: is it a server of S3, and http in place of https?"
	}
	switch a.code {
	case "NoSuchBucket":
		return "no such bucket: check its name, AWS_ENDPOINT_URL and AWS_REGION"
	case "NoSuchKey":
		return "no such object in this bucket"
	case "ExpiredToken", "TokenRefreshRequired":
		return "the credentials have expired: get new ones"
	case "RequestTimeTooSkewed":
		return "the server's clock is another: set that of this machine"
	}
	switch {
	case a.class() != spool.ErrPermission:
		return a.Error()
	case !a.bucket:
		return a.Error() + ": check the address and the credentials in it: a signature may have expired"
	case !a.signed:
		return a.Error() + ", without credentials: give some (AWS_ACCESS_KEY_ID and its fellows, AWS_PROFILE)"
	}
	return a.Error() + ": check the credentials (AWS_ACCESS_KEY_ID and its fellows, AWS_PROFILE), and what they may read"
}

// cause is the text of what lies at the bottom of an error: http's wraps repeat the address, which may hold a signature.
func cause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return spool.Shown(err.Error())
		}
		err = inner
	}
}
