package main

import (
	"encoding/binary"
	"fmt"
	"os"
)

// few is a number of executions from which the share of accepted inputs cannot be judged.
const few = 1000

// acceptance is the path of a file in which a target's processes count the inputs that they do not reject early: see
// internal/fuzzed.
type acceptance string

func newAcceptance() (acceptance, error) {
	file, err := os.CreateTemp("", "accepted")
	if err != nil {
		return "", err
	}
	defer file.Close()
	_, err = file.Write(make([]byte, 8))
	return acceptance(file.Name()), err
}

func (a acceptance) environment() []string {
	return append(os.Environ(), "SPOOL_FUZZ_ACCEPTED="+string(a))
}

// of stores the number of accepted inputs in the result. A target that rejects all of many inputs tests nothing, so
// that is an error.
func (a acceptance) of(r *result) error {
	number, err := os.ReadFile(string(a))
	if err != nil {
		return err
	}
	// Executions that a finding or the time limit interrupted are not counted, but may have been accepted.
	r.accepted = min(int64(binary.NativeEndian.Uint64(number)), r.executions)
	if r.accepted == 0 && r.executions >= few {
		return fmt.Errorf("none of %d inputs was accepted: the target refuses all, or does not call fuzzed.Accept",
			r.executions)
	}
	return nil
}

func (a acceptance) remove() { os.Remove(string(a)) }
