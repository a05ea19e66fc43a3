package main

import (
	"context"
	"io"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/spoolmedia/spool/bench/objectclients/get"
)

func main() {
	get.Measure("minio", func(endpoint string) func([]byte) {
		client, err := minio.NewCore(strings.TrimPrefix(endpoint, "http://"), &minio.Options{
			Creds: credentials.NewStaticV4("key", "secret", ""), Region: "us-east-1", BucketLookup: minio.BucketLookupPath,
		})
		if err != nil {
			panic(err)
		}
		return func(p []byte) {
			var o minio.GetObjectOptions
			if err := o.SetRange(0, int64(len(p))-1); err != nil {
				panic(err)
			}
			body, _, _, err := client.GetObject(context.Background(), "bucket", "dir/x.jpg", o)
			if err != nil {
				panic(err)
			}
			if _, err := io.ReadFull(body, p); err != nil {
				panic(err)
			}
			body.Close()
		}
	})
}
