//go:build race

package estimatortest_test

const raceEnabled = true
