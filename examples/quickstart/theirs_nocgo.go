//go:build !cgo

package main

import (
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"
)

const theirName = "golearn ID3 tree"

// theirs is a classifier of golearn's that builds without a C compiler.
func theirs() base.Classifier { return trees.NewID3DecisionTree(0.6) }

// forest is nothing: golearn's needs a C compiler.
func forest() []model { return nil }
