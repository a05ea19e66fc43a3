package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/spoolmedia/spool/internal/live"
	"github.com/spoolmedia/spool/pipe/trace"
)

// pause is the time between two states of a viewer's page.
const pause = time.Second

// Page returns the page, the events that change it, and traces of the run.
func Page(l *live.Live, tap *trace.Tap) http.Handler {
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
	mux.HandleFunc("GET /sheet", content("image/png"))
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) { events(l, w, r) })
	mux.HandleFunc("GET /trace", func(w http.ResponseWriter, r *http.Request) { record(tap, w, r) })
	return guarded(mux)
}

// longestTrace is how many seconds a trace may have.
const longestTrace = 60

// record sends a trace of the next seconds.
func record(tap *trace.Tap, w http.ResponseWriter, r *http.Request) {
	seconds, err := strconv.Atoi(cmp.Or(r.FormValue("seconds"), "5"))
	if err != nil || seconds < 1 || seconds > longestTrace {
		http.Error(w, fmt.Sprintf("seconds must be from 1 to %d", longestTrace), http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Duration(seconds)*time.Second)
	defer cancel()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", `attachment; filename="trace.json"`)
	if err := tap.Record(ctx, w); errors.Is(err, trace.ErrRecording) { // for other errors, the viewer is gone
		w.Header().Del("Content-Disposition")
		http.Error(w, err.Error(), http.StatusConflict)
	}
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
