package object

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/source"
)

func pageOf(keys ...string) []source.Entry {
	page := make([]source.Entry, len(keys))
	for i, k := range keys {
		page[i].URL = k
	}
	return page
}

func TestPlaces(t *testing.T) {
	numbers := pageOf(names("numbers", 2000, nil)...)
	second := numbers[1000:] // up to 1999
	assert.Equal(t, []string{"train/000028", "train/000037", "train/000046"},
		splitPoints(second, "train/", "", "train/0000550", 9), "a part is nine tenths of the page")
	assert.Equal(t, []string{"train/000028"}, splitPoints(second, "train/", "", "train/0000550", 1))
	assert.Empty(t, splitPoints(second, "train/", "", "train/0000550", 0))
	assert.Empty(t, splitPoints(second, "train/", "", "train/000026", 9), "the next page has all of it")
	wide := splitPoints(second, "train/", "", "", 31)
	assert.Len(t, wide, 31)
	assert.Less(t, wide[0], "train/00003", "near the page a part is a page")
	assert.Greater(t, wide[30], "train/9", "and what lies distant is looked at too")
	assert.Len(t, splitPoints(numbers, "train/", "train/0", "train/00004", 9), 1,
		"an empty stretch before the page counts")

	// The last characters leave room at the next position only.
	assert.NotEmpty(t, splitPoints(pageOf("p/~1", "p/~2"), "p/", "", "", 3))
	assert.NotEmpty(t, splitPoints(pageOf("p/é1", "p/é2"), "p/", "", "", 3))
	assert.Empty(t, splitPoints(pageOf("x"), "prefix/", "", "", 3), "no key of what was asked for")
}

// For any keys, split points are in order between the page and its end, and are valid text.
func TestPlacesOfAnything(t *testing.T) {
	r := seed.Rand(t)
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteRune([]rune("0123abz~/-. é\x01\x7f\U0001f600")[r.IntN(16)])
		}
		return b.String()
	}
	for range 20_000 {
		prefix := text(r.IntN(4))
		keys := make([]string, 1+r.IntN(6))
		for i := range keys {
			keys[i] = prefix + text(r.IntN(9))
		}
		slices.Sort(keys)
		last := keys[len(keys)-1]
		until, after := "", ""
		if r.IntN(2) == 0 {
			until = last + text(1+r.IntN(3))
		} else if u := prefix + text(r.IntN(9)); u > last {
			until = u
		}
		if r.IntN(2) == 0 {
			after = keys[0][:r.IntN(len(keys[0])+1)]
		}
		most := r.IntN(40)
		got := splitPoints(pageOf(keys...), prefix, after, until, most)
		require.LessOrEqual(t, len(got), most)
		before := last
		for _, place := range got {
			require.Greater(t, place, before, "%q %q %q", keys, until, got)
			require.True(t, until == "" || place < until, "%q %q %q", keys, until, got)
			require.True(t, utf8.ValidString(place) && strings.HasPrefix(place, prefix), "%q %q %q", keys, until, got)
			before = place
		}
	}
}

// A page that is out of order, or of other keys, is the server's fault, and must not panic.
func FuzzPlaces(f *testing.F) {
	f.Add("a", "b", "", "", "")
	f.Fuzz(func(_ *testing.T, a, b, prefix, after, until string) {
		fuzzed.Accept()
		splitPoints(pageOf(a, b), prefix, after, until, 9)
	})
}

func BenchmarkPlaces(b *testing.B) {
	page := pageOf(names("classes", 1000, rand.New(rand.NewPCG(1, 2)))...)
	for b.Loop() {
		splitPoints(page, "train/", "", "", 31)
	}
}
