// Package modelfile writes fitted models to files that describe their contents. A file can be read without an equally configured
// value:
//
//	err := modelfile.Save("model.keln", model)                                // any fitted model
//	model, err := modelfile.Load[*lssvm.Regressor]("model.keln")              // with its settings
//	model, err := modelfile.Load[estimators.Regressor]("model.keln")          // any regressor
//	info, err := modelfile.Describe(data)                                     // a description, without reading the model
//
// A file contains the output of the model's MarshalBinary, its type, its settings and its kernel. It also contains the number of
// columns and their names if they are known, the classes, the version of the library that wrote it, and a checksum. The command
// kernelearn describe prints this information.
//
// # Types
//
// A type is identified by its name, such as lssvm.Regressor, which its package registers when it is imported. To read models of any
// kind, import their packages, for example with a blank import, as for image formats. If a type is unknown, the error names the
// import. [Register] registers third-party types. Their settings are the exported fields.
//
// # Settings
//
// Fields that refer to the rows of one Fit are not stored: Groups, and the Resume of a search.
//
// Numbers, strings, constants, slices, maps, matrices, kernels, transformers and nested estimators are stored, and a loaded value
// has the same settings as the saved one. Functions are not stored, nor are fields that contain them: Observe, a Metric, and the
// Space of a search with functions that build estimators. Describe lists the omitted fields, which are zero after loading.
// [ReadInto] keeps their values in an existing model. A search whose Space was omitted can still predict, but its next Fit returns
// an error that asks for a Space. A model that needs such a function to predict, such as a conformal.Regressor with a Group, can
// only be read by ReadInto.
//
// # Versions
//
// Reading a file with a newer format or a newer version of a model returns an error. The error names both versions, and the library
// version that wrote the file. Older files can be read. Reading never panics and allocates no more than a small multiple of the
// file's size, for any bytes. A checksum is not a signature. It does not prove who wrote a file.
package modelfile
