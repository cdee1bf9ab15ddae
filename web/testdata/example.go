package example

// region:flat
func flat(b, i, j int) int {
	return (b*M+i)*N + j
}

// endregion:flat
