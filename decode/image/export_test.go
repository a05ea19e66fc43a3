package image

// HelperTasks is helperTasks, for a helper that does what a malicious file might make it do.
var HelperTasks = helperTasks
