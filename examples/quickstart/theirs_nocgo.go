//go:build !cgo

package main

import (
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"
)

const theirName = "golearn ID3 tree"

// theirs returns a golearn classifier that builds without a C compiler.
func theirs() base.Classifier { return trees.NewID3DecisionTree(0.6) }

// forest returns nothing, because golearn's forest needs a C compiler.
func forest() []model { return nil }
