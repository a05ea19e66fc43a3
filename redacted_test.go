package spool_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool"
)

func TestShown(t *testing.T) {
	for name, want := range map[string]string{
		"":                                    "",
		"photos/a?b@c.jpg":                    "photos/a?b@c.jpg",
		"https://host/a.jpg":                  "https://host/a.jpg",
		"https://host":                        "https://host",
		"https://u:p@host/a@b.jpg":            "https://host/a@b.jpg",
		"https://u:p@w@host:8443/a b.jpg":     "https://host:8443/a b.jpg",
		"HTTPS://u@host/a.jpg?X-Sig=1/2#x":    "HTTPS://host/a.jpg",
		"ftp://host/x?token=1":                "ftp://host/x",
		"https://host?token=1 2":              "https://host",
		"https://host#u:p@h/a":                "https://host",
		"s3://bucket/a?b#c@d.jpg":             "s3://bucket/a?b#c@d.jpg",
		"s3://id:secret@bucket/a@b.jpg":       "s3://bucket/a@b.jpg",
		"https://host/s.tar?sig=1/member.jpg": "https://host/s.tar",

		"too many arguments: a@b c?d":                "too many arguments: a@b c?d",
		"--endpoint-url=https://u:p@host":            "--endpoint-url=https://host",
		"s3://k:s@a=0.5,https://u:p@h/x y?sig=1,2 z": "s3://a=0.5,https://h/x y",
		"@HTTPS://h/list#frag\nnext: s3://b/k?1#2@3": "@HTTPS://h/list\nnext: s3://b/k?1#2@3",
	} {
		assert.Equal(t, want, spool.Redacted(name))
	}
	err := spool.InFile(spool.ErrEmpty, "https://u:p@host/a.jpg?sig=1")
	assert.EqualError(t, err, "read https://host/a.jpg: empty: empty")
}
