//go:build !amd64 || purego

package simdblas

import "testing"

// everywhere runs a test on the only path that there is here.
func everywhere(t *testing.T, test func(t *testing.T)) { t.Run("gonum", test) }
