package object_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/source/object"
)

// A date in Retry-After is one of the server's clock, which may differ from ours by years.
func TestRetryAfterDate(t *testing.T) {
	for name, differs := range map[string]time.Duration{"the same clock": 0, "ahead": 10 * 365 * 24 * time.Hour,
		"behind": -10 * 365 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				s := newPiped(t)
				b := noise(t, 1000)
				s.put("/x", b)
				c := newClient(t, object.Options{Transport: s.transport})
				o, err := open(t, c, s.URL+"/x")
				require.NoError(t, err)
				s.spoiled(func(n int64, w http.ResponseWriter, _ *http.Request) bool {
					if n == 0 {
						theirs := time.Now().Add(differs).UTC()
						w.Header().Set("Date", theirs.Format(http.TimeFormat))
						w.Header().Set("Retry-After", theirs.Add(3*time.Second).Format(http.TimeFormat))
						w.WriteHeader(http.StatusServiceUnavailable)
					}
					return n == 0
				})
				began := time.Now()
				got, err := read(t.Context(), o)
				require.NoError(t, err)
				assert.Equal(t, b, got)
				assert.GreaterOrEqual(t, time.Since(began), 3*time.Second)
				assert.Less(t, time.Since(began), 5*time.Second)
			})
		})
	}
}

// S3 refuses signatures of another time. If it has served this client before, the clock has jumped, and the request is
// repeated: clocks are corrected. A clock that was always wrong is reported at once.
func TestSignaturesOfAnotherTime(t *testing.T) {
	for name, served := range map[string]bool{"a clock that jumps": true, "a wrong clock": false} {
		t.Run(name, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				s := newPiped(t)
				b := noise(t, 1000)
				s.put("/photos/x", b)
				c := newClient(t, object.Options{Transport: s.transport, Endpoint: s.URL, NoSignRequest: true})
				refuse := func(n int64, w http.ResponseWriter, _ *http.Request) bool {
					if n < 3 {
						w.WriteHeader(http.StatusForbidden)
						_, err := io.WriteString(w, "<Error><Code>RequestTimeTooSkewed</Code></Error>")
						assert.NoError(t, err)
					}
					return n < 3
				}
				if !served {
					s.spoiled(refuse)
				}
				o, err := open(t, c, "s3://photos/x")
				if !served {
					require.ErrorIs(t, err, spool.ErrPermission)
					require.ErrorContains(t, err, "clock")
					assert.Zero(t, c.Stats().Retries)
					return
				}
				require.NoError(t, err)
				s.spoiled(refuse)
				got, err := read(t.Context(), o)
				require.NoError(t, err)
				assert.Equal(t, b, got)
				assert.EqualValues(t, 3, c.Stats().Retries)
			})
		})
	}
}
