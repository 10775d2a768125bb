// Package modelfile writes fitted models to files that say what they hold, and reads them without an equally configured value:
//
//	err := modelfile.Save("model.keln", model)                                // any fitted model
//	model, err := modelfile.Load[*lssvm.Regressor]("model.keln")              // settings included
//	model, err := modelfile.Load[estimators.Regressor]("model.keln")          // whatever regressor it is
//	info, err := modelfile.Describe(data)                                     // what it is, without reading the model
//
// A file holds what the MarshalBinary of the model gives, and besides: its type, its settings, the kernel that it uses, the number
// of columns and their names where they are given, the classes, the version of the library that wrote it, and a checksum of all.
// The command kernelearn describe prints that of a file.
//
// # Types
//
// A type is known by its name, lssvm.Regressor, which its package registers when it is imported: to read a model of any
// kind, import the package, if only for that, as image formats are. The error of a type that is not known names the import. Types
// of one's own are made known by [Register]; the settings are their exported fields then.
//
// # Settings
//
// What is about the rows of one Fit is not stored: Groups, and the Resume of a search.
//
// Numbers, words, constants, slices, maps, matrices, kernels, transformers and estimators within each other are stored, and a
// value that was read is configured as the one that was written. Functions are not, nor what holds one: Observe, a Metric, the
// Space of a search with functions that build estimators. What was left out is listed by Describe and is zero in what is read; [ReadInto]
// takes it from a value that has it. A search whose Space was left out predicts, and says before its next Fit that it
// wants one. A model that predicts by such a function, as a conformal.Regressor by its Group, is only read by ReadInto.
//
// # Versions
//
// A file of a newer format, or of a model of a newer one, is an error that names both versions and the library that wrote it. Files of
// older versions are read. Reading never panics and does not allocate more than a small multiple of the file's size,
// whatever the bytes are. A checksum is no signature: a file is not evidence of who wrote it.
package modelfile
