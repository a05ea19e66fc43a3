package spool

import "strings"

// Shown is the name of a file as errors, ledgers and reports may show it. Of an address on the network, "https://host/path", it
// leaves out user, password and query, which may be a signature; of "s3://bucket/key", whose keys may hold anything, what
// stands before an @ in front of the bucket. Paths are as they are.
func Shown(name string) string {
	scheme, rest, ok := strings.Cut(name, "://")
	if !ok || strings.Contains(scheme, "/") {
		return name
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, path := rest[:end], rest[end:]
	host = host[strings.LastIndexByte(host, '@')+1:]
	if !strings.EqualFold(scheme, "s3") {
		if end := strings.IndexAny(path, "?#"); end >= 0 {
			path = path[:end]
		}
	}
	return scheme + "://" + host + path
}
