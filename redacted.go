package spool

import (
	"regexp"
	"strings"
)

// Redacted returns text, usually a file's name, in the form for errors, ledgers and reports: without secrets in its
// URLs. It removes "user:password@" before a host. It also removes a URL's query, which may be a signature, with
// everything after it on the line. Paths are unchanged, and so are keys of s3, which have no query.
func Redacted(text string) string {
	if _, rest, ok := strings.Cut(text, "://"); !ok || !strings.ContainsAny(rest, "@?#") {
		return text // the common case is fast: the expressions below take as long as opening a file
	}
	return query.ReplaceAllString(user.ReplaceAllString(text, "$1"), "$1")
}

var (
	user  = regexp.MustCompile(`(://)[^/?#]*@`)
	query = regexp.MustCompile(`((?:[^3\n]|[^sS]3)://[^?#\n]*)[?#].*`)
)
