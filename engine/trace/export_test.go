package trace

// DecoderValues is for the test that it is a bound.
var DecoderValues = decoderValues
