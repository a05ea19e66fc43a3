package shard_test

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/spoolmedia/spool/source/shard"
)

// A shard as in WebDataset: two samples, each an image and its label.
func Example() {
	ctx := context.Background()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range [][2]string{{"0001.jpg", "one image"}, {"0001.cls", "3"}, {"0002.jpg", "another"},
		{"0002.cls", "1"}} {
		if err := w.WriteHeader(&tar.Header{Name: f[0], Size: int64(len(f[1]))}); err != nil {
			log.Fatal(err)
		}
		fmt.Fprint(w, f[1])
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	archive := shard.Memory(b.Bytes())
	index, err := shard.Scan(ctx, archive)
	if err != nil {
		log.Fatal(err)
	}
	for i := range index.Len() {
		s := index.Sample(i)
		for _, m := range s.Members {
			if m.Ext() == "jpg" {
				content := make([]byte, m.Size)
				if _, err := shard.Open(archive, m).ReadAt(ctx, content, 0); err != nil {
					log.Fatal(err)
				}
				fmt.Printf("%s, label %d: %s at byte %d\n", s.Key, s.Label, content, m.Offset)
			}
		}
	}
	// Output:
	// 0001, label 3: one image at byte 512
	// 0002, label 1: another at byte 2560
}
