package transfer

// Prefer lets tests see what became of the wish.
var Prefer = prefer
