package columns

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

type storedChoice struct {
	Width int
	Gaps  bool
	Parts []storedPart

	Names      []string `cbor:",omitempty"`
	Categories []int    `cbor:",omitempty"`
}

type storedPart struct {
	Columns []int
	Of      *estimators.NestedModel // nil: unchanged
}

// Marshal encodes the fitted transformers, their columns and their types.
func (f *Fitted) Marshal() ([]byte, error) {
	out := storedChoice{Width: f.width, Gaps: f.gaps, Names: f.names, Categories: f.categories}
	for i, p := range f.parts {
		part := storedPart{Columns: p.Columns}
		if p.Of != nil {
			nested, err := estimators.NestModel(partName(i, p), p.Of)
			if err != nil {
				return nil, err
			}
			part.Of = &nested
		}
		out.Parts = append(out.Parts, part)
	}
	return codec.Marshal(kind, version, out)
}

// Unmarshal decodes the output of Marshal into clones of the transformers.
func (c Choice) Unmarshal(data []byte) (*Fitted, error) {
	var s storedChoice
	if _, err := codec.Unmarshal(data, kind, version, &s); err != nil {
		return nil, err
	}
	most := 0 // limit on Width: unless DropRest is set, each column is in a part
	for _, p := range s.Parts {
		most += len(p.Columns)
	}
	if s.Width < 1 || !c.DropRest && s.Width > most {
		return nil, fault.BadModel(kind, "%d columns, but the parts have %d", s.Width, most)
	}
	c.Names, c.Categories = s.Names, s.Categories
	f, err := c.unfitted(s.Width)
	switch {
	case (s.Names != nil || s.Categories != nil) && errors.Is(err, fault.ErrParam):
		return nil, fault.BadModel(kind, "%v", err)
	case errors.Is(err, fault.ErrShape):
		return nil, fault.BadModel(kind, "%v", err)
	case err != nil:
		return nil, err
	case len(s.Parts) != len(f.parts):
		return nil, fault.BadModel(kind, "the data holds %d parts, configured are %d for %d columns", len(s.Parts), len(f.parts), s.Width)
	}
	f.gaps = s.Gaps
	for i, p := range f.parts {
		stored := s.Parts[i]
		if !slices.Equal(stored.Columns, p.Columns) || (stored.Of == nil) != (p.Of == nil) {
			return nil, fault.BadModel(kind, "part %d was of columns %v, this value has %v", i, stored.Columns, p.Columns)
		}
		if p.Of == nil {
			continue
		}
		if err := stored.Of.UnmarshalInto(kind, fmt.Sprintf("part %d", i), p.Of); err != nil {
			return nil, err
		}
	}
	return f, nil
}
