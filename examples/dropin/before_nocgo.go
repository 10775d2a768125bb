//go:build !cgo

package main

import (
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"
)

const beforeName = "golearn's ID3 tree (its nearest neighbours need a C compiler)"

func before() base.Classifier { return trees.NewID3DecisionTree(0.6) }
