// Package beamfiles reads and writes files in Beam's file systems, selected by the path's scheme: [List], [Open], [Size], [Read],
// [Write], [Rename], [RemoveAll]. [Scratch] is a directory for the temporary files of one fit.
package beamfiles
