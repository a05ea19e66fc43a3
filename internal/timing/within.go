package timing

import (
	"os"
	"testing"
	"time"
)

// Variable is the environment variable that has limits checked.
const Variable = "SPOOL_TIMING"

// Checked reports whether limits are checked.
func Checked() bool { return os.Getenv(Variable) != "" }

// Within logs how long something took. It fails the test where that is the limit or longer, and limits are checked.
func Within(t testing.TB, took, limit time.Duration, what string) {
	t.Helper()
	if Checked() && took >= limit {
		t.Errorf("%s took %v, the limit is %v", what, took, limit)
		return
	}
	t.Logf("%s took %v, the limit is %v", what, took, limit)
}
