package protocol

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// own is a set with missing values, texts and a row without a target.
const own = `size,kind,price
1,a,10
2,b,12
,a,13.125
4,b,
5,c,16
6,,18
7,a,20
8,b,21
100,a,0.1
`

func ownFolder(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "own.csv"), []byte(own), 0o600))
	return dir
}
