package onnx_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/onnx"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/badtext"
)

// Write rejects texts that are not UTF-8, since texts in protocol buffers must be UTF-8.
func TestTextsAreUTF8(t *testing.T) {
	model := &lssvm.Regressor{}
	require.NoError(t, model.Fit(context.Background(), mat.NewDense(3, 1, []float64{1, 2, 3}), []float64{1, 2, 3}))
	opt := &onnx.Options{Columns: []string{"ä"}, Doc: "ö"}
	require.NoError(t, onnx.Write(&bytes.Buffer{}, model, 1, opt))
	n := badtext.ForEachField(opt, func(field string) {
		err := onnx.Write(&bytes.Buffer{}, model, 1, opt)
		require.ErrorIs(t, err, estimators.ErrParam, field)
		assert.ErrorContains(t, err, `"j\xe4", want UTF-8`)
	})
	assert.Equal(t, 2, n)
}
