// Package kernelbeam fits estimators on Apache Beam.
package kernelbeam
