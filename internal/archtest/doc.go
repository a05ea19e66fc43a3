// Package archtest checks the architecture of the source tree. Its tests read every file of the module. They fail when
//
//   - a package imports what the table in table_test.go does not allow,
//   - C is called outside cbridge and capi,
//   - a file is too long,
//   - a package lacks its documentation,
//   - docs/ARCHITECTURE.md names a function that does not exist.
//
// A new package needs an entry in the table.
package archtest
