package call

// Watch tells whether Leave called the setter off, and when the setter is through.
func Watch(c *Call) (calledOff *bool, set <-chan struct{}) {
	calledOff = new(bool)
	stop := c.stop
	c.stop = func() bool {
		*calledOff = stop()
		return *calledOff
	}
	return calledOff, c.set
}

// SetterHasBegun makes c look as if its setter were at work, too late to be called off.
func SetterHasBegun(c *Call) { c.stop = func() bool { return false } }
