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
		"photos/x://u:p@h":                    "photos/x://u:p@h",
		"https://host/a.jpg":                  "https://host/a.jpg",
		"https://host":                        "https://host",
		"https://u:p@host/a@b.jpg":            "https://host/a@b.jpg",
		"https://u:p@w@host:8443/a.jpg":       "https://host:8443/a.jpg",
		"HTTPS://u@host/a.jpg?X-Sig=1/2#x":    "HTTPS://host/a.jpg",
		"https://host?token=1":                "https://host",
		"https://host#u:p@h/a":                "https://host",
		"s3://bucket/a?b#c@d.jpg":             "s3://bucket/a?b#c@d.jpg",
		"s3://id:secret@bucket/a@b.jpg":       "s3://bucket/a@b.jpg",
		"https://host/s.tar?sig=1/member.jpg": "https://host/s.tar",
	} {
		assert.Equal(t, want, spool.Shown(name))
	}
	err := spool.InFile(spool.ErrEmpty, "https://u:p@host/a.jpg?sig=1")
	assert.EqualError(t, err, "read https://host/a.jpg: empty: empty")
}
