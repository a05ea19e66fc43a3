// Package archtest checks the architecture of the source tree. Its tests read every file of the module, and check these
// rules:
//
//   - A package imports only what the table in table_test.go allows. A new package needs an entry there.
//   - C is called only in cbridge and capi.
//   - A file is not too long.
//   - A package has documentation.
//   - Every function that docs/ARCHITECTURE.md names exists.
package archtest
