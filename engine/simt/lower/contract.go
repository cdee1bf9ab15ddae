package lower

func (w *writer) contract() {}
