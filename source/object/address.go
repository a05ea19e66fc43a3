package object

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spoolmedia/spool"
)

// address is where an object lies: a store, and the key within it.
type address struct {
	// store is what shares a client's connections and limits: "s3://bucket" or "https://host".
	store  string
	bucket string // of s3
	key    string // of s3 the key, of http the path with its query
}

// parse reads an address. Its error does not repeat what may hold a password.
func parse(name string) (address, error) {
	u, err := url.Parse(name)
	switch {
	case err != nil:
		return address{}, bad(spool.Shown(name), "no address")
	case u.Host == "":
		return address{}, bad(spool.Shown(name), "no host or bucket")
	case u.Scheme == "s3" && u.User != nil:
		return address{}, bad(spool.Shown(name), "an address of s3 has no user and password: give them as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	switch u.Scheme {
	case "s3":
		// A key may hold anything, also what has a meaning in addresses.
		key := strings.TrimPrefix(name[len("s3://"):], u.Host)
		return address{store: "s3://" + u.Host, bucket: u.Host, key: strings.TrimPrefix(key, "/")}, nil
	case "http", "https":
		store := u.Scheme + "://" + u.Host
		if u.User != nil {
			store = u.Scheme + "://" + u.User.String() + "@" + u.Host
		}
		u.Fragment = ""
		return address{store: store, key: u.RequestURI()}, nil
	}
	text := fmt.Sprintf("%s is no scheme that is read; there are s3, https and http", u.Scheme)
	if u.Scheme == "gs" || u.Scheme == "gcs" {
		text += ": s3 reads it too, with AWS_ENDPOINT_URL=https://storage.googleapis.com and an HMAC key"
	}
	return address{}, bad(spool.Shown(name), text)
}

func bad(name, text string) error {
	return &spool.Error{Op: "open", File: name, Class: spool.ErrNotFound, Text: text}
}
