package stats

import "fmt"

// Kind is how a stage takes items from other stages, and passes results on to others.
type Kind uint8

// The kinds.
const (
	Plain    Kind = iota // at most one stage before it, and at most one after it
	Route                // passes each item on to one of several stages
	Join                 // joins the paths of a Route, in the order in which the Route passed items on
	Tee                  // passes each item on to several stages
	Merge                // takes from several stages in turn, by their weights
	MergeAny             // takes from several stages what comes first, with a worker for each
)

var kinds = [...]string{"plain", "route", "join", "tee", "merge", "merge any"}

// String returns the kind's name.
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kinds[k]
}
