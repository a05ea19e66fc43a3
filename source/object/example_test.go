package object_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader([]byte("some JPEG data")))
	}))
	defer server.Close()

	client, err := object.New(object.Options{})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	o, err := client.Open(context.Background(), source.Entry{URL: server.URL + "/cat.jpg"})
	if err != nil {
		panic(err)
	}
	defer o.Close()
	p := make([]byte, 4)
	if _, err := o.ReadAt(context.Background(), p, 5); err != nil {
		panic(err)
	}
	fmt.Printf("%q of %d bytes\n", p, o.Info().Size)
	// Output: "JPEG" of 14 bytes
}
