package source_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

func TestBraces(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a-08.jpg", "a-09.jpg", "a-10.jpg", "b.jpg", "{b,c}.png"} {
		require.NoError(t, os.WriteFile(name, []byte("x"), 0o644))
	}
	for arg, want := range map[string][]string{
		"a-{08..10}.jpg":      {"a-08.jpg", "a-09.jpg", "a-10.jpg"},
		"a-{10..08..2}.jpg":   {"a-10.jpg", "a-08.jpg"},
		"{b,a-{08,10}}.jpg":   {"b.jpg", "a-08.jpg", "a-10.jpg"},
		"{a-0*,b}.jpg":        {"a-08.jpg", "a-09.jpg", "b.jpg"},
		"./{b,c}.png":         {"./{b,c}.png"}, // a file has exactly that name
		"a-08.jp{g}":          nil,
		"{a-08.jpg":           nil,
		"{missing,b}.jpg":     nil,
		"{b,{c,d}.jpg":        nil,
		"@{b,{c,d}.txt":       nil,
		"{1..2}{1..}":         nil,
		"a-{08..09}{,.x}.jpg": nil,
	} {
		s, err := source.Open(t.Context(), []string{arg}, source.Options{})
		if want == nil {
			require.ErrorIs(t, err, spool.ErrNotFound, arg)
			continue
		}
		require.NoError(t, err, arg)
		assert.Equal(t, want, names(s), arg)
		assert.Equal(t, []int{len(want)}, s.Counts(), "one argument")
	}
	for _, arg := range []string{"{1..99999999}", "{1..9999}{1..9999}", "{0..5}{a..z}{1..99999}{1,2}",
		"{1..9999999999999}", "{-2147483648..2147483647}"} {
		_, err := source.Open(t.Context(), []string{arg}, source.Options{})
		require.ErrorIs(t, err, spool.ErrOptions, arg)
	}
}
