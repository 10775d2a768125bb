package ranking_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/ranking"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// rings returns two classes, one surrounding the other.
func rings() (*mat.Dense, []int) {
	x, y := mat.NewDense(60, 2, nil), make([]int, 60)
	for i := range y {
		a, r := 0.7*float64(i), 1+float64(i%2)
		x.SetRow(i, []float64{r * math.Cos(a), r * math.Sin(a)})
		y[i] = i % 2
	}
	return x, y
}

// The RBF kernel with a huge γ distinguishes every row from every other. It has the best FSM, but because of its entropy it is
// ranked after the kernels in the band.
func ExampleForClassification() {
	x, y := rings()
	candidates := []kernels.Kernel{
		kernels.Linear{}, kernels.Polynomial{Degree: 2, Coef0: 1}, kernels.RBF{Gamma: 0.3}, kernels.RBF{Gamma: 1e6},
	}
	r, err := ranking.ForClassification(context.Background(), candidates, nil, x, y, &ranking.Options{By: ranking.FSM})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(r)
	// Output:
	// rank  kernel                                  KTA     centred KTA  CSM        FSM      FSMErr  entropy
	// 1     RBF(gamma=0.3)                          0.1333  0.2333       4.5543     0.0671   0.0045  0.4482
	// 2     Polynomial(degree=2, gamma=1, coef0=1)  0.1645  0.2362       4.2328     0.0753   0.0056  0.3903
	// 3     Linear                                  0.0005  0.0005       1419.5474  35.6564  0.9992  0.1692
	// 4     RBF(gamma=1e+06)                        0.1291  0.1302       30.0000    0.0000   0.0000  1.0000*
	// * entropy outside [0.1, 0.5]
}

func ExampleRanking() {
	x, y := rings()
	build := func(k kernels.Kernel) estimators.Classifier { return &lssvm.Classifier{Kernel: k} }
	candidates := []kernels.Kernel{kernels.Linear{}, kernels.Polynomial{Degree: 2, Coef0: 1}, kernels.RBF{Gamma: 0.3}}
	r, err := ranking.ForClassification(context.Background(), candidates, build, x, y, &ranking.Options{
		By: ranking.CrossValidation, CV: &validation.Options{Splitter: validation.StratifiedKFold{Folds: 5}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var best ranking.Entry = r.Entries[0]
	fmt.Printf("%v, %s %.2f\n", best.Kernel, r.Metric.Name, best.Score)

	// The same results can be sorted by another criterion.
	var by ranking.Criterion = ranking.FSM
	if r, err = r.SortedBy(by); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("best by", r.Criterion, "is", r.Entries[0].Kernel)
	// Output:
	// Polynomial(degree=2, gamma=1, coef0=1), Accuracy 1.00
	// best by FSM is RBF(gamma=0.3)
}
