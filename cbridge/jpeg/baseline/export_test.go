package baseline

// NewScalar is an engine without kernels of a machine.
func NewScalar() *Engine { return &Engine{scalar: true} }
