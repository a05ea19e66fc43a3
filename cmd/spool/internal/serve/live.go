package serve

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spoolmedia/spool/internal/live"
)

// pause is the time between two states of a viewer's page.
const pause = time.Second

// Page returns the page, and the events that change it.
func Page(l *live.Live) http.Handler {
	mux := http.NewServeMux()
	content := func(kind string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			data := l.Content(r.Context(), r.URL.Path[1:])
			if data == nil {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(data) //nolint:gosec // the page shows names of files as text; the viewer may be gone
		}
	}
	mux.HandleFunc("GET /{$}", content("text/html; charset=utf-8"))
	mux.HandleFunc("GET /state", content("application/json"))
	mux.HandleFunc("GET /thumbnail/{id}", content("image/jpeg"))
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) { events(l, w, r) })
	return guarded(mux)
}

// guarded refuses requests that a page of another site makes by a name of its own for this machine (DNS rebinding), and
// has browsers load and run nothing but the page itself.
func guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
		if ok && at.IP.IsLoopback() && !local(r.Host) {
			http.Error(w, "this page is for this machine", http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Security-Policy", live.Policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		h.ServeHTTP(w, r)
	})
}

// local reports whether a Host header names this machine.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// events sends the state of the run from time to time, until the viewer or the run is gone.
func events(l *live.Live, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := http.NewResponseController(w)
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		if _, err := fmt.Fprintf(w, "data: %s\n\n", l.Content(r.Context(), "state")); err != nil || send.Flush() != nil {
			return
		}
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return
		}
	}
}
