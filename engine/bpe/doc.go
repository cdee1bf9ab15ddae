// Package bpe is a byte-level byte-pair tokenizer.
//
// A token is a number. Two of them mark a document, 256 are the bytes, and each
// merge makes one more out of two tokens that exist already:
//
//	0        begin of a document
//	1        end of a document
//	b + 2    byte b
//	258 + r  the merge of rank r
//
// Every byte is a token, so any input, valid UTF-8 or not, can be encoded and
// decodes to the same bytes.
//
// Encoding starts from the bytes and applies the merges in order of rank, the
// lowest first; each replaces all occurrences of its pair from left to right.
// With the merges t+h and th+e (ranks 0 and 1):
//
//	bytes            t  h  e  ␣  t  h  e  n
//	after rank 0     th    e  ␣  th    e  n
//	after rank 1     the      ␣  the      n
//
// An occurrence never overlaps the one before it: in "aaa" the pair a+a occurs
// once, at the start, and leaves an "a". Training counts pairs the same way, so
// that a pair's count is the number of tokens its merge saves.
//
// The text is one sequence. There is no splitting into words first, as GPT-2's
// tokenizer does: a merge may reach across a space. A text that spells
// "<begin>" is seven bytes like any other, never the mark.
package bpe
