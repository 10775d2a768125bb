package main

import "github.com/kernelearn/kernelearn/examples/internal/dataset"

func (s settings) tables(r *results, sets []*dataset.Set) string { return "" }
