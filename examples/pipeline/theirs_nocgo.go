//go:build !cgo

package main

import (
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"
)

const theirName = "golearn's ID3 tree"

func theirs() base.Classifier { return trees.NewID3DecisionTree(0.6) }
