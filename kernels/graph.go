package kernels

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// Grapher is the capability of a third-party kernel to return its values as a graph of primitive operators (package graph), so that
// models with the kernel can be exported. The kernels of this package are supported without these methods.
type Grapher interface {
	// Graph returns k(x[i], z[j]) with a column for each row of z.
	Graph(x graph.Value, z *mat.Dense) (graph.Value, error)
	// GraphDiag returns k(x[i], x[i]) as one column.
	GraphDiag(x graph.Value) (graph.Value, error)
}

// Graph returns k(x[i], z[j]) as a graph with a column for each row of z. If the kernel has no graph, the error wraps
// errors.ErrUnsupported.
func Graph(k Kernel, x graph.Value, z *mat.Dense) (graph.Value, error) {
	if err := graph.Columns(x, z.RawMatrix().Cols); err != nil {
		return graph.Value{}, err
	}
	shift := blocks.MeanRow(z)
	moved := mat.DenseCopyOf(z)
	for i := range moved.RawMatrix().Rows {
		for j, s := range shift {
			moved.RawRowView(i)[j] -= s
		}
	}
	return graphed{x: x, moved: x.Sub(x.Row(shift)), z: z, movedZ: moved}.kernel(k)
}

// GraphDiag returns k(x[i], x[i]) as a graph with one column.
func GraphDiag(k Kernel, x graph.Value) (graph.Value, error) {
	squares := func() graph.Value { return x.Square().Sum() }
	switch k := k.(type) {
	case RBF, Laplacian, Matern, RationalQuadratic, Periodic:
		return x.Number(1), nil
	case Linear:
		return squares(), nil
	case Polynomial:
		return squares().Times(k.gamma()).Plus(k.Coef0).Power(k.degree()), nil
	case Tanh:
		return squares().Times(k.gamma()).Plus(k.Coef0).Tanh(), nil
	case ELM:
		s := squares()
		return s.Plus(1).Div(s.Plus(k.arcsine().Offset)).Min(s.Number(1)).Asin().Times(2 / math.Pi), nil
	case Sum:
		return foldGraph(k, graph.Value.Add, func(k Kernel) (graph.Value, error) { return GraphDiag(k, x) })
	case Product:
		return foldGraph(k, graph.Value.Mul, func(k Kernel) (graph.Value, error) { return GraphDiag(k, x) })
	case Scaled:
		v, err := GraphDiag(k.Kernel, x)
		return times(v, k.factor(), err)
	case Normalized:
		v, err := GraphDiag(k.Kernel, x)
		if err != nil {
			return v, err
		}
		return v.Greater(v.Number(0)).Indicator(), nil
	case ARD:
		return GraphDiag(k.Kernel, x.Mul(x.Row(k.lengths().Inverse(nil))))
	case Columns:
		return GraphDiag(k.Kernel, x.Select(k.Of...))
	case Additive:
		v, err := GraphDiag(k.Kernel, x.Select(0)) // for a kernel of the distance this is a number
		return times(v, vecmath.Sum(k.variances()), err)
	}
	if g, ok := embedding.As[Grapher](k); ok {
		return g.GraphDiag(x)
	}
	return graph.Value{}, noGraph(k)
}

func noGraph(k Kernel) error {
	return graph.Unsupported(k, "its kernel has no methods Graph and GraphDiag")
}

func times(v graph.Value, n float64, err error) (graph.Value, error) {
	if err != nil {
		return v, err
	}
	return v.Times(n), nil
}

func foldGraph(ks []Kernel, join func(a, b graph.Value) graph.Value, of func(Kernel) (graph.Value, error)) (out graph.Value, err error) {
	for i, k := range ks {
		v, err := of(k)
		if err != nil {
			return v, err
		}
		if i == 0 {
			out = v
		} else {
			out = join(out, v)
		}
	}
	return out, nil
}

// graphed holds both sides of a kernel, unchanged and with a common shift. Kernels that depend only on differences use the shifted
// sides, because an offset would cost digits.
type graphed struct {
	x, moved  graph.Value
	z, movedZ *mat.Dense
	// If apart is not nil, it returns the sum of powers of the distances in the columns of categories. Both sides are 0 in these
	// columns.
	apart func(power float64) graph.Value
}

// view returns both sides after a linear map of rows.
func (g graphed) view(x func(graph.Value) graph.Value, z func(*mat.Dense) *mat.Dense) graphed {
	return graphed{x: x(g.x), moved: x(g.moved), z: z(g.z), movedZ: z(g.movedZ)}
}

// squared returns squared distances. The rounding error of SquaredDistances is one of the square, which does not matter for a
// kernel that is smooth at 0.
func (g graphed) squared() graph.Value { return g.withApart(g.moved.SquaredDistances(g.movedZ), 2) }

func (g graphed) dots() graph.Value { return g.x.MatMul(g.x.Constant(g.z.T())) }

func (g graphed) kernel(k Kernel) (graph.Value, error) {
	switch k := k.(type) {
	case RBF:
		return g.squared().Times(-k.gamma()).Exp(), nil
	case Laplacian:
		return g.withApart(g.moved.OverDifferences(g.movedZ, graph.Value.Abs), 1).Times(-k.gamma()).Exp(), nil
	case Matern:
		return g.matern(k.withDefaults()), nil
	case RationalQuadratic:
		k = k.withDefaults()
		return g.squared().Div(g.x.Number(k.Length)).Div(g.x.Number(k.Length)).Times(1 / (2 * k.Alpha)).Log1p().Times(-k.Alpha).Exp(), nil
	case Periodic:
		return g.periodic(k), nil
	case Linear:
		return g.dots(), nil
	case Polynomial:
		return g.dots().Times(k.gamma()).Plus(k.Coef0).Power(k.degree()), nil
	case Tanh:
		return g.dots().Times(k.gamma()).Plus(k.Coef0).Tanh(), nil
	case ELM:
		return g.elm(k), nil
	case Sum:
		return foldGraph(k, graph.Value.Add, g.kernel)
	case Product:
		return foldGraph(k, graph.Value.Mul, g.kernel)
	case Scaled:
		v, err := g.kernel(k.Kernel)
		return times(v, k.factor(), err)
	case Normalized:
		return g.normalized(k)
	case ARD:
		inverse := k.lengths().Inverse(nil)
		scaled := g.view(func(x graph.Value) graph.Value { return x.Mul(x.Row(inverse)) }, k.lengths().Scale())
		if len(k.Categories) > 0 {
			scaled.apart = func(power float64) graph.Value { return g.apartIn(k.Categories, k.lengths().Rates(), power) }
		}
		return scaled.kernel(k.Kernel)
	case Columns:
		return g.columns(k.Of).kernel(k.Kernel)
	case Additive:
		return g.additive(k)
	}
	if w, ok := embedding.As[Grapher](k); ok {
		return w.Graph(g.x, g.z)
	}
	return graph.Value{}, noGraph(k)
}

// matern computes the distance for ν = 1/2 from differences, because the square root of a number near 0 loses half the digits.
func (g graphed) matern(k Matern) graph.Value {
	squared := g.squared
	if k.Nu == 0.5 {
		squared = func() graph.Value { return g.withApart(g.moved.OverDifferences(g.movedZ, graph.Value.Square), 2) }
	}
	s := squared().Times(2 * k.Nu).Sqrt().Div(g.x.Number(k.Length)).Min(g.x.Number(1e150))
	e := s.Neg().Exp()
	switch k.Nu {
	case 0.5:
		return e
	case 2.5:
		return s.Horner(1, 1, 1.0/3).Mul(e)
	}
	return s.Plus(1).Mul(e)
}

// periodic computes an RBF of the rows as points on circles, as in compile.
func (g graphed) periodic(k Periodic) graph.Value {
	d := g.moved.Cols()
	rates, radii := make([]float64, d), make([]float64, d)
	for j := range d {
		rates[j], radii[j] = 2*math.Pi/blocks.ColumnValue(k.Periods, j), 1/blocks.ColumnValue(k.Lengths, j)
	}
	angles := g.moved.Mul(g.moved.Row(rates))
	points := graph.Concat(angles.Cos().Mul(angles.Row(radii)), angles.Sin().Mul(angles.Row(radii)))
	rows, _ := g.movedZ.Dims()
	z := mat.NewDense(rows, 2*d, nil)
	for i := range rows {
		for j, v := range g.movedZ.RawRowView(i) {
			s, c := math.Sincos(v * rates[j])
			z.Set(i, j, c*radii[j])
			z.Set(i, d+j, s*radii[j])
		}
	}
	return points.SquaredDistances(z).Times(-0.5).Exp()
}

func (g graphed) elm(k ELM) graph.Value {
	a, roots := k.arcsine(), blocks.SquaredNorms(g.z)
	for j, s := range roots {
		roots[j] = a.Root(s)
	}
	one := g.x.Number(1)
	of := g.x.Square().Sum().Plus(a.Offset).Sqrt()
	return g.dots().Plus(1).Div(of).Mul(g.x.Row(roots)).Min(one).Max(one.Neg()).Asin().Times(2 / math.Pi)
}

func (g graphed) normalized(k Normalized) (graph.Value, error) {
	inner, power := k.split()
	v, err := g.kernel(inner)
	if err != nil {
		return v, err
	}
	diag, err := GraphDiag(inner, g.x)
	if err != nil {
		return v, err
	}
	rows, _ := g.z.Dims()
	roots := make([]float64, rows)
	Diag(roots, inner, g.z)
	for j, s := range roots {
		roots[j] = blocks.InverseRoot(s)
	}
	zero, one := diag.Number(0), diag.Number(1)
	direction := diag.Greater(zero)
	root := direction.Where(one.Div(direction.Where(diag, one).Sqrt()), zero)
	return v.Mul(root).Mul(diag.Row(roots)).Power(power), nil
}

// apartIn returns the sum of powers of the distances over columns of categories. It uses the unshifted columns, because a shift may
// make codes equal.
func (g graphed) apartIn(columns []int, rates []float64, power float64) (out graph.Value) {
	rows, _ := g.z.Dims()
	codes := make([]float64, rows)
	for i, j := range columns {
		mat.Col(codes, j, g.z)
		x := g.x.Select(j)
		v := x.Equal(x.Row(codes)).Not().Indicator().Times(math.Pow(rates[i], power))
		if i == 0 {
			out = v
		} else {
			out = out.Add(v)
		}
	}
	return out
}

// withApart adds the distances in the columns of categories.
func (g graphed) withApart(v graph.Value, power float64) graph.Value {
	if g.apart == nil {
		return v
	}
	return v.Add(g.apart(power))
}

func (g graphed) columns(of []int) graphed {
	return g.view(func(x graph.Value) graph.Value { return x.Select(of...) }, blocks.SelectColumns(of))
}

func (g graphed) additive(k Additive) (out graph.Value, err error) {
	for j, l := range k.Lengths {
		column := ARD{Kernel: k.Kernel, Lengths: []float64{l}}
		v, err := g.columns([]int{j}).kernel(column)
		if err != nil {
			return v, err
		}
		if v = v.Times(k.variance(j)); j == 0 {
			out = v
		} else {
			out = out.Add(v)
		}
	}
	return out, nil
}
