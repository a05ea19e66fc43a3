package object

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/source"
)

// keyServer is a server of sorted keys that answers after a time.
type keyServer struct {
	keys    []string
	latency time.Duration
	pages   atomic.Int64
	failAt  int64
}

var errShelf = errors.New("the shelf is gone")

func (s *keyServer) page(ctx context.Context, prefix, last string) ([]source.Entry, bool, error) {
	if s.pages.Add(1) == s.failAt {
		return nil, false, errShelf
	}
	if err := sleep(ctx, s.latency); err != nil {
		return nil, false, err
	}
	i, found := slices.BinarySearch(s.keys, max(last, prefix))
	if found && last != "" {
		i++
	}
	var page []source.Entry
	for ; i < len(s.keys) && len(page) < 1000; i++ {
		if len(s.keys[i]) < len(prefix) || s.keys[i][:len(prefix)] != prefix {
			return page, false, nil
		}
		page = append(page, source.Entry{URL: s.keys[i]})
	}
	return page, i < len(s.keys) && len(page) == 1000, nil
}

func (s *keyServer) catalog(prefix string, most int) *catalog {
	return newCatalog(most, func(ctx context.Context, last, _ string) ([]source.Entry, bool, error) {
		return s.page(ctx, prefix, last)
	})
}

// names returns typical keys.
func names(kind string, n int, r *rand.Rand) []string {
	keys := make([]string, n)
	for i := range keys {
		switch kind {
		case "numbers":
			keys[i] = fmt.Sprintf("train/%08d.jpg", i)
		case "classes":
			keys[i] = fmt.Sprintf("train/n%08d/n%08d_%d.JPEG", 1440764+i/1300*137, 1440764+i/1300*137, i%1300)
		case "hashes":
			keys[i] = fmt.Sprintf("train/%016x.webp", r.Uint64())
		case "words":
			keys[i] = "train/" + []string{"Ärger", "zebra", "apple", "~odd", " space", "Zoo",
				"123"}[r.IntN(7)] + fmt.Sprint(r.IntN(1<<30))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func TestCatalog(t *testing.T) {
	for _, kind := range []string{"numbers", "classes", "hashes", "words"} {
		for _, n := range []int{0, 1, 999, 1000, 1001, 100_000} {
			t.Run(fmt.Sprint(kind, n), func(t *testing.T) {
				r := seed.Rand(t)
				bubble.Test(t, func(t *testing.T) {
					keys := names(kind, n, r)
					s := &keyServer{keys: append(append([]string{"a", "tr"}, keys...), "trainer/1", "z"),
						latency: 50 * time.Millisecond}
					began := time.Now()
					var first time.Duration
					var got []string
					for o, err := range s.catalog("train/", 32).all(t.Context(), "train/") {
						require.NoError(t, err)
						if got = append(got, o.URL); len(got) == 32 {
							first = time.Since(began)
						}
					}
					require.Equal(t, append([]string{}, keys...), append([]string{}, got...))
					if n == 100_000 {
						assert.Equal(t, 50*time.Millisecond, first, "the first page is not waited for")
						assert.Less(t, time.Since(began), 1000*time.Millisecond, "of the 5 s that one page after the other takes")
						assert.Less(t, s.pages.Load(), int64(330), "requests, of 100 that are needed")
					}
				})
			})
		}
	}
}

func TestCatalogFails(t *testing.T) {
	keys := names("numbers", 50_000, nil)
	for _, at := range []int64{1, 2, 10, 40} {
		bubble.Test(t, func(t *testing.T) {
			s := &keyServer{keys: keys, latency: time.Millisecond, failAt: at}
			i := 0
			var last error
			for o, err := range s.catalog("train/", 16).all(t.Context(), "train/") {
				require.NoError(t, last, "an error is the last")
				if last = err; err == nil {
					require.Equal(t, keys[i], o.URL, "what comes before it has no gaps")
					i++
				}
			}
			require.ErrorIs(t, last, errShelf)
		})
	}
}

func TestCatalogIsLeft(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &keyServer{keys: names("numbers", 50_000, nil), latency: time.Second}
		for _, err := range s.catalog("train/", 16).all(t.Context(), "train/") {
			require.NoError(t, err)
			break // synctest reports goroutines that keep running
		}
	})
}

// A server that ignores the start key would be listed forever.
func TestCatalogOfAServerThatRepeats(t *testing.T) {
	c := newCatalog(4, func(context.Context, string, string) ([]source.Entry, bool, error) {
		return []source.Entry{{URL: "a"}, {URL: "b"}}, true, nil
	})
	var last error
	for _, err := range c.all(t.Context(), "") {
		last = err
	}
	require.ErrorIs(t, last, errRepeats)
}
