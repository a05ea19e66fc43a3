// Package s3test runs a real server of S3, versitygw, in a process of its own for tests. `make stores` builds it; where it is not
// there, tests are skipped.
package s3test
