package object

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spoolmedia/spool"
)

// location is a parsed URL: a store, and the key within it.
type location struct {
	// store names what requests with the same connections and limits share: "s3://bucket", "https://host" or
	// "hf://datasets/USER/NAME@REVISION".
	store  string
	bucket string // of s3
	hub    hubSet // of hf
	key    string // of s3 the key, of http the path with its query, of hf the path within the data set
}

// parseURL parses a URL. Its error does not repeat parts that may hold a password.
func parseURL(name string) (location, error) {
	if strings.HasPrefix(name, hubScheme) { // paths may contain any characters
		return parseHub(name)
	}
	u, err := url.Parse(name)
	switch {
	case err != nil:
		return location{}, bad(spool.Redacted(name), "not a URL")
	case u.Host == "":
		return location{}, bad(spool.Redacted(name), "no host or bucket")
	case u.Scheme == "s3" && u.User != nil:
		return location{}, bad(spool.Redacted(name),
			"an s3 URL has no user and password: give them as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	switch u.Scheme {
	case "s3":
		// A key may contain any characters, including those with a meaning in URLs.
		key := strings.TrimPrefix(name[len("s3://"):], u.Host)
		return location{store: "s3://" + u.Host, bucket: u.Host, key: strings.TrimPrefix(key, "/")}, nil
	case "http", "https":
		store := u.Scheme + "://" + u.Host
		if u.User != nil {
			store = u.Scheme + "://" + u.User.String() + "@" + u.Host
		}
		u.Fragment = ""
		return location{store: store, key: u.RequestURI()}, nil
	}
	text := fmt.Sprintf("unknown scheme %s: use s3, https, http or hf", u.Scheme)
	if u.Scheme == "gs" || u.Scheme == "gcs" {
		text += "; s3 reads this store, with AWS_ENDPOINT_URL=https://storage.googleapis.com and an HMAC key"
	}
	return location{}, bad(spool.Redacted(name), text)
}

func bad(name, text string) error {
	return &spool.Error{Op: "open", File: name, Class: spool.ErrNotFound, Text: text}
}
