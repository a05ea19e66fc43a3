package settings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/internal/settings"
)

func TestConceal(t *testing.T) {
	for text, want := range map[string]string{
		"--batch 0: at least 1":                       "--batch 0: at least 1",
		"too many arguments: a@b c?d":                 "too many arguments: a@b c?d",
		"--endpoint-url=https://u:p@host":             "--endpoint-url=https://host",
		"s3://k:s@a=0.5,https://u:p@h/x y?sig=1,2 z":  "s3://a=0.5,https://h/x y",
		"@HTTPS://h/list#frag\nnext: s3://b/k?1#2@3":  "@HTTPS://h/list\nnext: s3://b/k?1#2@3",
		"--mix has 0 weights for https://h/a?X-Sig=1": "--mix has 0 weights for https://h/a",
	} {
		assert.Equal(t, want, settings.Conceal(text))
	}
}
