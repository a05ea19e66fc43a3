package loader

// Policy says what a bad sample means.
type Policy uint8

const (
	Skip        Policy = iota // it goes to the ledger, and the next sample takes its slot
	Fail                      // it ends the run
	Placeholder               // it goes to the ledger, and its slot is filled: with Spec.Fill, or with silence
)
