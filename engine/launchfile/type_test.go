package launchfile

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTypesHaveTheirTable(t *testing.T) {
	for i := F16; i <= U64; i++ {
		if got, reason := parseType(i.String()); got != i || reason != "" {
			t.Errorf("%s reads back as %s: %s", i, got, reason)
		}
		if n := len(i.put(nil, math.MaxUint64)); n != i.Size() {
			t.Errorf("%s has %d bytes, and %d were written", i, i.Size(), n)
		}
		if i.String() != strings.ToLower(i.String()) || i.C() == "" {
			t.Errorf("%s is %q in C", i, i.C())
		}
	}
	for name, of := range elsewhere {
		if _, reason := parseType(name); !strings.Contains(reason, `write "`+of.String()+`"`) {
			t.Errorf("%s: %s", name, reason)
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		of   Type
		text string
		want uint64 // the pattern
	}{
		{F32, "0.1", 0x3dcccccd},
		{F32, "-0", 0x80000000},
		{F32, "1.00000005960464477540", 0x3f800001}, // just above the middle; as a float64 it is the middle
		{F32, "1e99", 0x7f800000},
		{F32, "NaN", 0x7fc00000},
		{F32, "-inf", 0xff800000},
		{F64, "0.1", 0x3fb999999999999a},
		{F64, "5e-324", 1},
		{F16, "65504", 0x7bff},
		{F16, "65519.999999999999999999999999", 0x7bff}, // just below the middle of 65504 and 65536
		{F16, "65520", 0x7c00},
		{F16, "1.00048828125", 0x3c00},                // the middle of 1 and the next: to the even one
		{F16, "1.00048828125000000000000001", 0x3c01}, // a float64 does not tell it from the middle
		{F16, "1.00146484374999999999999999", 0x3c01}, // nor this, whose even neighbour is above
		{F16, "1.00146484375", 0x3c02},
		{F16, "-1.00048828125000000000000001", 0xbc01},
		{F16, "0.0000000298023223876953125", 0},                     // half the smallest
		{F16, "0.000000029802322387695312500000000000000001", 1},    // and more than that
		{F16, "-0.000000029802322387695312499999999999999", 0x8000}, // and less
		{BF16, "1.00390625", 0x3f80},
		{BF16, "1.003906250000000000000000001", 0x3f81},
		{BF16, "3.4e38", 0x7f80},
		{I8, "-128", 0x80},
		{I8, "127", 0x7f},
		{U8, "2.55e2", 255},
		{I16, "-3.0", 0xfffd},
		{U16, "65535", 65535},
		{I32, "-2147483648", 0x80000000},
		{U32, "4294967295", 4294967295},
		{I64, "-9223372036854775808", 1 << 63},
		{I64, "9007199254740993", 9007199254740993}, // no float64
		{U64, "18446744073709551615", math.MaxUint64},
		{U64, "1.8446744073709551615E+19", math.MaxUint64},
		{U64, "0e99999999999", 0},
	} {
		got, reason := c.of.read(nil, c.text)
		if reason != "" || c.of.word(got) != c.want {
			t.Errorf("%s as %s is %x %s, want %x", c.text, c.of, got, reason, c.want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct {
		of         Type
		text, says string
	}{
		{I8, "128", "does not fit i8: -128 to 127"},
		{U8, "-1", "does not fit u8: 0 to 255"},
		{U8, "256", "0 to 255"},
		{I64, "9223372036854775808", "-9223372036854775808 to 9223372036854775807"},
		{U64, "18446744073709551616", "0 to 18446744073709551615"},
		{U64, "1e400", "0 to 18446744073709551615"},
		{U64, "1e99999999999", "0 to"},
		{I32, "0.5", "not a whole number"},
		{I32, "1e-99999999999", "not a whole number"},
		{I32, "NaN", "write a whole number"},
		{F32, "one", "write a decimal"},
		{F32, "", "write a decimal"},
		{F32, "0x1p3", "write a decimal"},
		{F32, "1_000", "write a decimal"},
		{F32, " 1", "write a decimal"},
		{F32, "01", "write a decimal"},
		{F32, "1.", "write a decimal"},
		{F32, ".5", "write a decimal"},
		{F32, "1e", "write a decimal"},
		{F32, "1e+", "write a decimal"},
		{F32, "1e5x", "write a decimal"},
		{F32, "--1", "write a decimal"},
	} {
		if got, reason := c.of.read(nil, c.text); !strings.Contains(reason, c.says) || len(got) > 0 {
			t.Errorf("%q as %s is %x: %q, want %q", c.text, c.of, got, reason, c.says)
		}
	}
}

// Against arbitrary precision: the value that is read is the nearest of the
// type, as exact distances to its neighbours say.
func TestReadIsNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, of := range []Type{F16, BF16} {
		for range 20000 {
			// Around the middle of a value and the next.
			pattern := uint64(random.Uint32N(0x7b00))
			low, _ := of.Float(of.put(nil, pattern))
			high, _ := of.Float(of.put(nil, pattern+1))
			middle := (low + high) / 2
			exact := new(big.Float).SetPrec(2000).SetFloat64(middle)
			offset := new(big.Float).SetPrec(2000).SetFloat64((high - low) * 0x1p-80)
			side := random.IntN(3) - 1
			switch side {
			case 1:
				exact.Add(exact, offset)
			case -1:
				exact.Sub(exact, offset)
			}
			want := pattern + pattern&1 // the even one
			if side == 1 {
				want = pattern + 1
			} else if side == -1 {
				want = pattern
			}
			text := exact.Text('e', 400)
			got, reason := of.read(nil, text)
			if reason != "" || of.word(got) != want {
				t.Fatalf("%s: the middle of %x and the next, side %d: %x %s, want %x", of, pattern, side, got, reason, want)
			}
		}
	}
}

// Every value of 16 bits, and many of the others, is written so that it reads
// back to the same bits.
func TestFormatReadsBack(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for of := F16; of <= U64; of++ {
		for n := range 1 << 16 {
			pattern := uint64(n)
			if of.Size() > 2 {
				pattern = random.Uint64()
			}
			data := of.put(nil, pattern)
			text := of.Format(data)
			got, reason := of.read(nil, text)
			if reason != "" {
				t.Fatalf("%s %x is written %s: %s", of, data, text, reason)
			}
			if x, _ := of.Float(data); string(got) != string(data) && !math.IsNaN(x) {
				t.Fatalf("%s %x is written %s, which reads as %x", of, data, text, got)
			}
		}
	}
}

func TestAppendJSON(t *testing.T) {
	var data []byte
	for _, x := range []float32{1, -0.5, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1e-9, float32(math.Copysign(0, -1)), 0.1} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	if got, want := string(F32.AppendJSON(nil, data)), `[1,-0.5,"NaN","Infinity","-Infinity",1e-09,-0,0.1]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := string(I8.AppendJSON([]byte("x: "), []byte{0, 255, 128})), `x: [0,-1,-128]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := string(U64.AppendJSON(nil, nil)); got != "[]" {
		t.Errorf("%s", got)
	}
}
