// Promotions, the usual arithmetic conversions, and how integers wrap.
extern "C" __global__ void k(int* out) {
	int n = 0;
	unsigned char uc = 250;
	signed char sc = -100;
	char c = -1;
	short s = 32767;
	unsigned short us = 65535;
	uc += 10; out[n++] = uc;
	sc -= 100; out[n++] = sc;
	s++; out[n++] = s;
	us++; out[n++] = us;
	out[n++] = c < 0;
	out[n++] = (unsigned char)c;
	out[n++] = uc * sc;
	out[n++] = (unsigned char)(uc * sc);
	int i = -7;
	unsigned u = 3;
	out[n++] = i / 2; out[n++] = i % 2; out[n++] = i >> 1; out[n++] = (unsigned)i >> 28;
	out[n++] = i < u; // compared as unsigned
	out[n++] = (long long)i < (long long)u;
	out[n++] = (int)(i * u);
	out[n++] = -1 < 1u ? 1 : 2;
	long long big = 1LL << 40;
	out[n++] = (int)(big >> 38); out[n++] = (int)(big + 5); out[n++] = big > 0x7fffffff;
	out[n++] = (int)((unsigned long long)-1 >> 60);
	out[n++] = sizeof(1) + 10 * sizeof(1L) + 100 * sizeof(1u) + 1000 * sizeof('a') + 10000 * sizeof(true);
	out[n++] = sizeof(2147483648) + 10 * sizeof(0x80000000) + 100 * sizeof(0xffffffffffffffff);
	out[n++] = 0x80000000 > 0; out[n++] = 0b1011; out[n++] = 0777; out[n++] = 1'000'000;
	out[n++] = ~0; out[n++] = ~0u >> 31; out[n++] = !5; out[n++] = !!5; out[n++] = -(-5);
	out[n++] = (5 & 3) | (5 ^ 3) << 4; out[n++] = 1 << 3 + 1; out[n++] = 7 & 3 == 3;
	bool b = 5; out[n++] = b; b = 0.5f; out[n++] = b; out[n++] = b + b; out[n++] = true + true;
	b |= 0; out[n++] = b;
	int q = 5; q <<= 2; out[n++] = q; q %= 7; out[n++] = q; q ^= 3; out[n++] = q; q |= 16; out[n++] = q; q &= ~1; out[n++] = q; q >>= 1; out[n++] = q; q *= -3; out[n++] = q; q /= 4; out[n++] = q;
	unsigned char w = 1; w <<= 7; out[n++] = w; w <<= 1; out[n++] = w; w--; out[n++] = w; out[n++] = w++; out[n++] = w; out[n++] = --w;
	out[n++] = (char)200; out[n++] = (short)70000; out[n++] = (int)3000000000u; out[n++] = (unsigned short)-1;
	out[n++] = 'A' + 1; out[n++] = '\n'; out[n++] = '\x41'; out[n++] = '\101'; out[n++] = '\0';
	long l = -1; unsigned long ul = l; out[n++] = ul == 0xffffffffffffffff; out[n++] = (int)(ul % 10);
	out[n++] = (int)((-9223372036854775807LL - 1) / 1000000007LL); out[n++] = (int)(18446744073709551615ULL / 1000000007ULL);
	int64_t x64 = INT64_C(-5000000000); uint8_t x8 = x64; out[n++] = x8; out[n++] = (int32_t)(x64 / 1000);
	out[n++] = 5 > 3 > 1; out[n++] = (3, 4); out[n++] = 1 ? 2 : 3; out[n++] = 0 ? 1 : 0 ? 2 : 3;
	size_t sz = 3; out[n++] = (int)(sz - 4 > 0); out[n++] = (int)(ptrdiff_t)(sz - 4);
}
