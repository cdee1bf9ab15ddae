package live

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// letters are those of codes: none that is taken for another.
const letters = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"

const codeLength = 6

// newCode returns a room's code.
func newCode() string {
	code := make([]byte, 0, codeLength)
	var b [1]byte
	for len(code) < codeLength {
		_, _ = rand.Read(b[:]) // never fails
		// What is beyond a multiple of their number would make some likelier.
		if int(b[0]) < 256/len(letters)*len(letters) {
			code = append(code, letters[int(b[0])%len(letters)])
		}
	}
	return string(code)
}

// ParseCode returns a code as rooms have it from what somebody typed, or "".
func ParseCode(typed string) string {
	code := strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(typed))
	if len(code) != codeLength || strings.Trim(code, letters) != "" {
		return ""
	}
	return code
}

// NewSecret returns 256 bits that nobody guesses, for an address or a cookie.
func NewSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// newName returns a name that says nothing.
func newName() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// A digest is kept in a secret's place.
type digest [sha256.Size]byte

func digestOf(secret string) digest { return sha256.Sum256([]byte(secret)) }

func (d digest) is(other digest) bool { return subtle.ConstantTimeCompare(d[:], other[:]) == 1 }

func (d digest) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(d[:])), nil }

func (d *digest) UnmarshalText(text []byte) error {
	_, err := hex.Decode(d[:], text)
	return err
}
