package rowblocks

import (
	"context"
	"encoding"
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/internal/codec"
)

// Summary holds sums over rows. Summaries can be merged in any order.
type Summary interface {
	// Add adds the rows of a block. If it returns an error, the sums are unchanged.
	Add(ctx context.Context, b *Block) error
	Absorb(o Summary) error
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Census counts the rows of a pass. It is collected together with the statistics of the rows, and can be merged in any order.
type Census struct {
	Rows   int64
	Hash   uint64    // sum of the hashes of the rows; a later pass compares it with its own
	Bad    int64     // rows that were left out
	Limit  int       // largest length of Left
	Left   []Finding // the first bad rows, in order
	Fault  *Finding  // the first finding that ends the pass
	Shards []Written // files of predictions
}

// Written names a file of predictions, with the place of its first row.
type Written struct {
	Path, File string
	At         int64
}

// merge adds the counts and findings of o.
func (c *Census) merge(o *Census) {
	c.Rows, c.Hash, c.Bad = c.Rows+o.Rows, c.Hash+o.Hash, c.Bad+o.Bad
	c.Limit = max(c.Limit, o.Limit)
	for _, f := range o.Left {
		c.keepFirst(f)
	}
	if o.Fault != nil && (c.Fault == nil || o.Fault.compare(*c.Fault) < 0) {
		c.Fault = o.Fault
	}
	c.Shards = append(c.Shards, o.Shards...)
}

// keepFirst inserts f into Left, in order, if it is one of the first Limit findings.
func (c *Census) keepFirst(f Finding) {
	i, _ := slices.BinarySearchFunc(c.Left, f, Finding.compare)
	if i < c.Limit {
		c.Left = slices.Insert(c.Left, i, f)
		c.Left = c.Left[:min(len(c.Left), c.Limit)]
	}
}

const censusKind = "kernelbeam.census"

// storedCensus is a Census without its methods, so that an encoder stores its fields.
type storedCensus Census

// MarshalBinary implements Summary.
func (c *Census) MarshalBinary() ([]byte, error) {
	return codec.Marshal(censusKind, 1, storedCensus(*c))
}

// UnmarshalBinary implements Summary.
func (c *Census) UnmarshalBinary(data []byte) error {
	var in storedCensus
	if _, err := codec.Unmarshal(data, censusKind, 1, &in); err != nil {
		return err
	}
	*c = Census(in)
	return nil
}

// Absorb implements Summary.
func (c *Census) Absorb(o Summary) error {
	other, ok := o.(*Census)
	if !ok {
		return fmt.Errorf("kernelbeam: %T and %T cannot be merged", c, o)
	}
	c.merge(other)
	return nil
}

// Add implements Summary. It does nothing, because the collector counts the rows.
func (c *Census) Add(context.Context, *Block) error { return nil }
