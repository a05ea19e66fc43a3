// Package object reads the objects of remote stores: HTTP servers, S3, and stores with the same protocol.
//
//	client, err := object.New(object.Options{})
//	defer client.Close()
//	photos, err := source.Open(ctx, []string{"s3://bucket/photos"}, source.Options{Remote: client})
//
// With a [Client] as their Remote, listings accept URLs wherever they accept paths. A client also opens single objects.
// It is made for networks where each answer takes 100 ms. All readers share it. It decides how many requests are in
// flight, and which are hedged or retried.
//
// # Requests in flight
//
// A server with a high latency answers many requests as late as one. The client begins with [Options.InFlight] requests
// in flight to a host, and doubles them while that increases the throughput. It then goes back to the number that was
// enough, or to half of that if answers are late and the throughput stays the same. It halves the number when the
// server asks for fewer requests (503, 429) or does not answer. It then waits as long as Retry-After says, and grows
// back once that ends. The number of readers does not matter: the requests of thousands of goroutines are queued in
// order.
//
// # Slow answers
//
// If an answer has not begun after 1.25 times the 95th percentile of recent ones, the request is sent once more and the
// first answer is used. One slow disk in a hundred then costs little. At most one request in twenty is sent twice.
//
// # Failures
//
// Temporary failures (timeouts, resets, answers that end early, 5xx) are retried for [Options.RetryTime]. Each retry
// waits for a random time whose maximum doubles (full jitter). An answer that ends early is continued, not repeated.
// Permanent failures (not found, no access) are errors at once. Every wait has a deadline: a server that is silent for
// [Options.Timeout] has failed.
//
// An object stays the version that was opened: later requests name its ETag. An object that was overwritten in between
// is an error, not a mixture.
//
// # URLs and access
//
// URLs are "https://host/path" and "s3://bucket/key". The client searches credentials of S3 where AWS's tools do: the
// variables AWS_ACCESS_KEY_ID and so on, the files of the home folder, web identities, and the roles of machines.
// AWS_PROFILE, AWS_REGION and AWS_ENDPOINT_URL (or AWS_ENDPOINT_URL_S3) have the same meaning as for AWS's tools.
// Without credentials, requests are not signed. Google's and Azure's stores are read through their S3 and HTTPS URLs.
//
// Files of Hugging Face's data sets are "hf://datasets/USER/NAME@REVISION/PATH". HF_ENDPOINT, HF_TOKEN and HF_HOME have
// the same meaning as for its tools.
//
// No error, name or statistic contains credentials: passwords and query strings of URLs are removed.
package object
