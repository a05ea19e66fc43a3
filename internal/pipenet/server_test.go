package pipenet_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/pipenet"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestRefused(t *testing.T) {
	for range 2 {
		_, err := net.Dial("tcp", pipenet.Refused(t))
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
	}
}

// A response that is delayed by an hour arrives after an hour of the bubble's clock.
func TestServer(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := pipenet.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(time.Hour):
				fmt.Fprint(w, r.Host, r.URL.Path)
			case <-r.Context().Done():
			}
		}))
		client := http.Client{Transport: s.Transport}
		begin := time.Now()
		for range 2 { // on the same connection
			answer, err := client.Get("http://anywhere/x")
			require.NoError(t, err)
			text, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			assert.Equal(t, "anywhere/x", string(text))
		}
		assert.Equal(t, 2*time.Hour, time.Since(begin))

		failed := make(chan error)
		go func() {
			_, err := client.Get("http://anywhere/y") //nolint:bodyclose // there is no answer
			failed <- err
		}()
		synctest.Wait()
		s.Close()
		s.Close()
		require.Error(t, <-failed)
		_, err := client.Get("http://anywhere/z") //nolint:bodyclose // there is no answer
		require.ErrorContains(t, err, "closed")
	})
}
