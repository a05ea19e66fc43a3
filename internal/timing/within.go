package timing

import (
	"os"
	"testing"
	"time"
)

// Variable is the environment variable that enables limits.
const Variable = "SPOOL_TIMING"

// Checked reports whether limits are checked.
func Checked() bool { return os.Getenv(Variable) != "" }

// Within logs how long an operation took. If limits are enabled, it fails the test when the time is the limit or
// longer.
func Within(t testing.TB, took, limit time.Duration, what string) {
	t.Helper()
	if Checked() && took >= limit {
		t.Errorf("%s took %v, the limit is %v", what, took, limit)
		return
	}
	t.Logf("%s took %v, the limit is %v", what, took, limit)
}
