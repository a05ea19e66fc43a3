package spool

import (
	"regexp"
	"strings"
)

// Shown is a text, mostly the name of a file, as errors, ledgers and reports may show it: without what addresses in it may have for
// secrets. That is what stands before the host, "user:password@", and the query, which may be a signature, with all that follows it on
// the line. Paths, and the keys of s3, which have no query, are as they are.
func Shown(text string) string {
	if _, address, ok := strings.Cut(text, "://"); !ok || !strings.ContainsAny(address, "@?#") {
		return text // as most are: looking for more takes as long as opening a file
	}
	return query.ReplaceAllString(user.ReplaceAllString(text, "$1"), "$1")
}

var (
	user  = regexp.MustCompile(`(://)[^/?#]*@`)
	query = regexp.MustCompile(`((?:[^3\n]|[^sS]3)://[^?#\n]*)[?#].*`)
)
