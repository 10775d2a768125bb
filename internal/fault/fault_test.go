package fault

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTextsAndSentinels(t *testing.T) {
	sentinels := []error{ErrParam, ErrShape, ErrNotFinite, ErrNotPSD, ErrNotFitted, ErrTooLarge, ErrBadModel}
	for _, c := range []struct {
		err  error
		is   error
		text string
	}{
		{Param("rvm: Regressor", "Tolerance", -1, ">= 0"), ErrParam, "rvm: Regressor: Tolerance = -1, want >= 0"},
		{Shape("y has", 3, "entries", "x has %d rows", 4), ErrShape, "y has 3 entries, x has 4 rows"},
		{Columns("x", 12, 13), ErrShape, "x has 12 columns, fitted on 13"},
		{&NotFiniteError{Name: "y", Row: 2, Col: -1}, ErrNotFinite, "y[2] is NaN"},
		{&NotPSDError{What: "K", Jitter: 1e-6}, ErrNotPSD, "K is not positive definite, even with 1e-06 of its mean diagonal added"},
		{NotFitted("t: T"), ErrNotFitted, "t: T: not fitted: call Fit first"},
		{&TooLargeError{What: "K", Bytes: 3 << 30, Limit: 1 << 29, Hint: "use landmarks"}, ErrTooLarge, "K needs 3.0 GiB, limit 0.5 GiB: use landmarks"},
		{BadModel("k", "%d bytes", 3), ErrBadModel, "k: bad model data: 3 bytes"},
	} {
		assert.EqualError(t, c.err, c.text)
		for _, s := range sentinels {
			assert.Equal(t, s == c.is, errors.Is(fmt.Errorf("wrapped: %w", c.err), s), "%v is %v", c.err, s)
		}
	}
}

// FromRow shifts the row of a NotFiniteError in a copy, and returns other errors unchanged.
func TestFromRow(t *testing.T) {
	was := &NotFiniteError{Name: "x", Row: 3, Col: 1, Value: math.NaN()}
	assert.EqualError(t, FromRow(was, 100), "x[103,1] is NaN (counted from 0): fill gaps with columnwise.Imputer")
	assert.Equal(t, 3, was.Row)
	other := Param("t", "f", 1, "2")
	assert.Same(t, other, FromRow(other, 5))
	assert.NoError(t, FromRow(nil, 5))
}
