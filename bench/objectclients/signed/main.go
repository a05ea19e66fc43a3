package main

import (
	"io"
	"net/http"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/signer"

	"github.com/spoolmedia/spool/bench/objectclients/get"
)

func main() {
	get.Measure("signed", func(endpoint string) func([]byte) {
		keys := credentials.NewStaticV4("key", "secret", "")
		client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
		return func(p []byte) {
			v, err := keys.GetWithContext(nil)
			if err != nil {
				panic(err)
			}
			req, err := http.NewRequest(http.MethodGet, endpoint+"/bucket/dir/x.jpg", nil)
			if err != nil {
				panic(err)
			}
			req.Header.Set("Range", "bytes=0-109999")
			req.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
			answer, err := client.Do(signer.SignV4(*req, v.AccessKeyID, v.SecretAccessKey, v.SessionToken, "us-east-1"))
			if err != nil {
				panic(err)
			}
			if _, err := io.ReadFull(answer.Body, p); err != nil {
				panic(err)
			}
			answer.Body.Close()
		}
	})
}
