package layers_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/declared"
)

// TestEveryModelHasAGoldenFile checks that each exported type that stores itself has a file in testdata, which proves that later
// versions can read it.
func TestEveryModelHasAGoldenFile(t *testing.T) {
	root := filepath.Join("..", "..")
	types := declared.Types(t, root, "MarshalBinary")
	assert.Greater(t, len(types), 20, "the search for types finds those that are there")
	for _, typ := range types {
		pkg, name, _ := strings.Cut(typ, ".")
		var files []string
		for _, dir := range []string{pkg, filepath.Join("*", pkg)} {
			found, err := filepath.Glob(filepath.Join(root, dir, "testdata", name+"-*v[0-9]*.keln"))
			require.NoError(t, err)
			files = append(files, found...)
		}
		assert.NotEmpty(t, files, "%s has a MarshalBinary and no golden file", typ)
	}
}
