package text_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/transformers/text"
)

func ExampleTFIDF() {
	documents := []string{"the cat sat on the mat", "the dog sat on the mat", "Dogs and cats!"}
	v := &text.TFIDF{}
	x, err := v.FitTransform(context.Background(), documents)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.FeatureNames())
	fmt.Printf("%.2f\n", mat.Formatted(x))
	fmt.Println(x.Entries(), "entries")
	// Output:
	// [and cat cats dog dogs mat on sat the]
	// ⎡0.00  0.45  0.00  0.00  0.00  0.34  0.34  0.34  0.68⎤
	// ⎢0.00  0.00  0.00  0.45  0.00  0.34  0.34  0.34  0.68⎥
	// ⎣0.58  0.00  0.58  0.00  0.58  0.00  0.00  0.00  0.00⎦
	// 13 entries
}

// Sequences of characters match words that differ only in their endings.
func ExampleTerms() {
	var unit text.Unit = text.CharactersOfWords
	var norm text.Norm = text.L2
	v := &text.TFIDF{Terms: text.Terms{Unit: unit, Shortest: 3}, Norm: norm}
	x, err := v.FitTransform(context.Background(), []string{"row", "rows", "crow"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", v.FeatureNames())
	var cosines mat.Dense
	cosines.Mul(x, x.T())
	fmt.Printf("%.2f\n", mat.Formatted(&cosines))
	// Output:
	// [" cr" " ro" "cro" "ow " "ows" "row" "ws "]
	// ⎡1.00  0.44  0.44⎤
	// ⎢0.44  1.00  0.12⎥
	// ⎣0.44  0.12  1.00⎦
}

func ExampleHashing() {
	h := &text.Hashing{Columns: 1 << 10}
	x, err := h.Transform(context.Background(), []string{"the cat sat on the mat", "no vocabulary is learned"})
	if err != nil {
		log.Fatal(err)
	}
	n, d := x.Dims()
	fmt.Println(n, "rows of", d, "columns,", x.Entries(), "entries")
	// Output:
	// 2 rows of 1024 columns, 9 entries
}
