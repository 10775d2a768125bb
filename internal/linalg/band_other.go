//go:build !(amd64 || arm64) || purego

package linalg

const hasVectors = false

func timesColumns(int, *float64, int, *float64, *float64) { panic("linalg: no vectors") }

func timesRows(int, *float64, int, *float64, *float64) { panic("linalg: no vectors") }

func subtractTwo(int, *float64, int, *float64, *float64) { panic("linalg: no vectors") }

func symmetricTimes(*float64, int, *float64, *float64) { panic("linalg: no vectors") }

func subtractSymmetric(*float64, int, *float64, *float64) { panic("linalg: no vectors") }

func quadColumns(int, *float64, int, *float64, *float64) { panic("linalg: no vectors") }
