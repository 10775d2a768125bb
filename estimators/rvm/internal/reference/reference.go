// Package reference reads the results of other implementations of relevance vector machines, for the tests of the subpackages of
// rvm. The results are in testdata of package rvm, for given precisions and for the best optimum that was found.
package reference

import (
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// Model is a model of another implementation.
type Model struct {
	Active    []int // columns; index n is the column of ones
	Alpha     []float64
	Beta      float64
	Evidence  float64 `json:"log_evidence"`
	Weights   []float64
	CovDiag   []float64 `json:"cov_diag"`
	Gradient  []float64 `json:"true_gradient_log_alpha"` // for classification
	Relevance []int     // Active of an optimum
	Intercept float64
}

// Case is a data set with two models.
type Case struct {
	Kernel  string
	Param   float64
	Bias    string // free for a flat prior, ard, or none
	X       [][]float64
	Y       []float64
	Fixed   Model `json:"fixed_point"`
	Optimum Model
	Predict struct {
		X     [][]float64
		Mean  []float64
		Var   []float64 `json:"var_with_noise"`
		Proba []float64 `json:"proba_moderated"` // for classification
	}
}

// Regressions lists the files of regressions. Classes is the file of a classification.
var (
	Regressions = []string{"reg_sinc60_free.json", "reg_sinc60_none.json", "reg_3d80_free.json", "reg_3d80_npoly_ard.json"}
	Classes     = "cls_ripley100.json"
)

// Load reads the file name of testdata in dir, the path of package rvm relative to the package under test.
func Load(t *testing.T, dir, name string) Case {
	var c Case
	golden.Load(t, "../"+dir+"/testdata/"+name, &c)
	return c
}

// Function returns the kernel of the case.
func (c Case) Function() kernels.Kernel {
	if c.Kernel == "npoly" {
		return kernels.Polynomial{Degree: int(c.Param), Gamma: 0.5, Coef0: 0.5} // normalised: the rows have unit length
	}
	return kernels.RBF{Gamma: c.Param}
}
