package session

// What tests see of an image.
var (
	ParametersOf = parametersOf
	HasVariables = hasVariables
)
