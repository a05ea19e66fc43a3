// Package object reads the objects of stores on the network: HTTP servers, and S3 with everything that speaks it.
//
//	client, err := object.New(object.Options{})
//	defer client.Close()
//	photos, err := source.Open(ctx, []string{"s3://bucket/photos"}, source.Options{Remote: client})
//
// A [Client] is the Remote of listings, which then take addresses wherever they take paths, and opens single objects. It has
// what makes that fast over a network where each answer takes 100 ms: it is shared by all who read, and decides how many
// requests there are at a time, which are sent twice, and which again.
//
// # Requests at a time
//
// A server that answers late answers many requests as late as one. The client begins with [Options.InFlight]
// requests at a time to a host, doubles them while that brings more bytes a second, and goes back to what was enough, or to
// half of that where answers are late and as many bytes come; it halves them when the server asks for less (503, 429) or does not answer, waits as long as Retry-After says, and
// grows back to where it was once that ends. Who reads does not count: the requests of thousands of goroutines wait in order.
//
// # Slow answers
//
// When an answer has not begun after the time that 95 of 100 recent ones took, and a quarter more, the request is sent once
// more and the first answer is taken: one slow disk in a hundred then costs little. At most one request in twenty is sent twice.
//
// # Failures
//
// What may go away (timeouts, resets, answers that end early, 5xx) is tried again, after a random time that doubles at most
// (full jitter), until [Options.Patience] is over: an answer that ends early is continued, not repeated. What will not (not
// found, no access) is an error at once. No wait is without a deadline: a server that is silent for
// [Options.Timeout] has failed.
//
// An object is the version that it was when it was opened: later requests name its ETag, and an object that was written
// anew in between is an error, not a mixture.
//
// # Addresses and access
//
// "https://host/path" and "s3://bucket/key". Credentials of S3 are looked for where AWS's tools look: AWS_ACCESS_KEY_ID
// and its fellows, the files of the home folder with AWS_PROFILE, web identities and the roles of machines; without any,
// requests are not signed. AWS_ENDPOINT_URL (or AWS_ENDPOINT_URL_S3), and AWS_REGION mean what they mean there. Google's
// and Azure's stores are read through their S3 and HTTPS addresses.
//
// Credentials are in no error, no name and no statistic: passwords and query strings of addresses are left out of them.
package object
