package transfer

// Prefer exports prefer, so that tests can query its effect.
var Prefer = prefer
