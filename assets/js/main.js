// The entry of every page.
