package main

import (
	"context"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/spoolmedia/spool/bench/objectclients/get"
)

func main() {
	get.Measure("aws", func(endpoint string) func([]byte) {
		chain, err := config.LoadDefaultConfig(context.Background(), config.WithRegion("us-east-1"),
			config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("key", "secret", "")))
		if err != nil {
			panic(err)
		}
		client := s3.NewFromConfig(chain, func(o *s3.Options) {
			o.BaseEndpoint, o.UsePathStyle = aws.String(endpoint), true
			o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		})
		return func(p []byte) {
			answer, err := client.GetObject(context.Background(), &s3.GetObjectInput{
				Bucket: aws.String("bucket"), Key: aws.String("dir/x.jpg"), Range: aws.String("bytes=0-109999"),
			})
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
