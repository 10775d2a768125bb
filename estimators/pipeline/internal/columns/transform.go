package columns

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/pipeline/internal/stream"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
)

// TransformTo sets dst to the results of the parts, joined side by side. If few is set, it reuses buffers.
func (f *Fitted) TransformTo(dst *mat.Dense, x mat.Matrix, few bool) error {
	in, err := f.dense(x)
	if err != nil {
		return fault.AddPlace(name, err)
	}
	var b *buffers
	if few {
		b = f.buffers.Get().(*buffers)
		defer f.buffers.Put(b)
	} else {
		b = &buffers{make([]mat.Dense, len(f.parts)), make([]mat.Dense, len(f.parts))}
	}
	for i, p := range f.parts {
		pick(&b.in[i], in, p.Columns)
		if p.Of == nil {
			continue
		}
		b.out[i].Reset()
		if few {
			err = stream.TransformTo(p.Of, &b.out[i], &b.in[i])
		} else {
			var z *mat.Dense
			if z, err = p.Of.Transform(&b.in[i]); err == nil {
				b.out[i] = *z
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", partName(i, p), placed(err, p, window(&b.in[i], 0)))
		}
	}
	return f.join(dst, b)
}

// join sets dst to the results of the parts, joined side by side.
func (f *Fitted) join(dst *mat.Dense, b *buffers) error {
	results := make([]*mat.Dense, 0, 8) // up to eight parts need no allocation
	width := 0
	for i, p := range f.parts {
		from := &b.out[i]
		if p.Of == nil {
			from = &b.in[i]
		}
		results = append(results, from)
		width += from.RawMatrix().Cols
	}
	n := results[0].RawMatrix().Rows
	if err := stream.Resize(dst, n, width); err != nil {
		return err
	}
	for r := range n {
		to := dst.RawRowView(r)
		for _, from := range results {
			to = to[copy(to, from.RawRowView(r)):]
		}
	}
	return nil
}

// FeatureNames returns the names of the results of the parts, one part after the other.
func (f *Fitted) FeatureNames(in []string) ([]string, error) {
	if in == nil {
		in = f.names
	}
	in, err := stream.InputNames(name, in, f.width)
	if err != nil {
		return nil, err
	}
	var out []string
	for i, p := range f.parts {
		some := make([]string, len(p.Columns))
		for k, j := range p.Columns {
			some[k] = in[j]
		}
		if p.Of != nil {
			if some, err = transformers.NamesOf(p.Of, some); err != nil {
				return nil, fmt.Errorf("%s: %w", partName(i, p), err)
			}
		}
		out = append(out, some...)
	}
	return out, nil
}

// FittedParts returns the parts. Rest is the last part.
func (f *Fitted) FittedParts() []Part { return slices.Clone(f.parts) }

// Names returns the names of the columns, or nil if they are not known.
func (f *Fitted) Names() []string { return f.names }

// Width returns the number of columns of the input rows.
func (f *Fitted) Width() int { return f.width }

// Graph returns the Graph of the ColumnTransformer.
func (f *Fitted) Graph(x graph.Value) (out graph.Outputs, err error) {
	if err := graph.Columns(x, f.width); err != nil {
		return out, err
	}
	var parts []graph.Value
	for i, p := range f.parts {
		z := x.Select(p.Columns...)
		if p.Of != nil {
			of, err := graph.Build(p.Of, z)
			if err != nil {
				return of, fmt.Errorf("%s: %w", partName(i, p), err)
			}
			if z = of.Rows; z.IsZero() {
				return of, fmt.Errorf("%s: %w", partName(i, p), graph.Unsupported(p.Of, "its Outputs have no Rows"))
			}
		}
		parts = append(parts, z)
	}
	return graph.Outputs{Rows: graph.Concat(parts...)}, nil
}
