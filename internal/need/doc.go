// Package need skips tests that need something outside the repository: media, commands, servers, devices.
//
// Such a test names what it needs and its category. If that is missing, the test is skipped with the message "needs
// CATEGORY: what is missing". If the environment variable SPOOL_REQUIRE lists the category, the test fails instead.
// python/tests/need.py does the same for the tests of the Python package.
//
// Skips for other reasons do not use this package: -short, another architecture, code that runs in a child process.
//
// This command fails without ../shared or without ffmpeg:
//
//	SPOOL_REQUIRE=shared,ffmpeg go test ./decode/image
package need
