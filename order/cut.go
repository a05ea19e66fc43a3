package order

// cut is n things in m runs, one after the other, whose lengths differ by one at most: the first ones are the
// longer ones.
type cut struct{ n, m int }

// first is where run k begins; first(m) is n.
func (c cut) first(k int) int { return k*(c.n/c.m) + min(k, c.n%c.m) }

// size is the length of run k.
func (c cut) size(k int) int { return c.first(k+1) - c.first(k) }

// find is the run that i lies in.
func (c cut) find(i int) int {
	size, longer := c.n/c.m, c.n%c.m
	if i < longer*(size+1) {
		return i / (size + 1)
	}
	return longer + (i-longer*(size+1))/size
}
