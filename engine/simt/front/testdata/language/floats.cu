// Floating point: types of expressions, conversions, comparisons.
extern "C" __global__ void k(int* out) {
	int n = 0;
	float a = 0.1f, b = 0.2f, c;
	double d = 0.1, e = 0.2;
	out[n++] = __float_as_int(a + b);
	out[n++] = __float_as_int(a * b + 1.0f);
	out[n++] = __float_as_int((float)(d + e));
	out[n++] = (int)__double_as_longlong(d + e);
	out[n++] = (int)__double_as_longlong(a + e); // the float becomes a double
	out[n++] = (a + b == 0.3f); out[n++] = (d + e == 0.3); out[n++] = 0.1f == 0.1; out[n++] = 0.5f == 0.5;
	c = d; out[n++] = c == a;
	c = 16777217; out[n++] = (int)c;
	c = 3.99f; out[n++] = (int)c; out[n++] = (int)-3.99f; out[n++] = (unsigned)3.5; out[n++] = (int)1e9f; out[n++] = (unsigned char)200.7f;
	out[n++] = (int)(7 / 2 * 2.0); out[n++] = (int)(7 / 2.0 * 2); out[n++] = 1 / 2 == 0.5;
	out[n++] = sizeof(1.0f) + 10 * sizeof(1.0) + 100 * sizeof(a * 1) + 1000 * sizeof(a * d) + 10000 * sizeof('a' * 1.f);
	float zero = 0.0f, nan = zero / zero, inf = 1.0f / zero;
	out[n++] = nan == nan; out[n++] = nan != nan; out[n++] = nan < 1; out[n++] = !(nan >= 1); out[n++] = inf > 1e38f; out[n++] = -inf < inf;
	out[n++] = nan ? 1 : 2; out[n++] = -0.0f == 0.0f; out[n++] = __float_as_int(-zero); out[n++] = __float_as_int(0.0f - zero);
	out[n++] = __float_as_int(1e-45f); out[n++] = __float_as_int(1.17549435e-38f / 2);
	out[n++] = __float_as_int(0x1.8p3f); out[n++] = __float_as_int(.5f); out[n++] = __float_as_int(5.f); out[n++] = __float_as_int(1e3f); out[n++] = __float_as_int(1.5E-3f);
	out[n++] = __float_as_int((float)123456789); out[n++] = __float_as_int((float)4294967295u); out[n++] = __float_as_int((float)(1LL << 62)); out[n++] = __float_as_int((float)-1);
	out[n++] = __float_as_int((float)9223372586610589697ULL); out[n++] = __float_as_int((float)4611686293305294849LL);
	float f = 1; f += 0.1; out[n++] = __float_as_int(f); f -= 1; out[n++] = __float_as_int(f); f *= 3; out[n++] = __float_as_int(f); f /= 7; out[n++] = __float_as_int(f);
	int i = 10; i *= 1.55; out[n++] = i; i += 0.9f; out[n++] = i; i -= 0.5; out[n++] = i;
	f = 2.5f; f++; out[n++] = (int)(f * 10); --f; out[n++] = (int)(f-- * 10); out[n++] = (int)(f * 10);
	unsigned u = 3000000000u; out[n++] = __float_as_int(u); out[n++] = __float_as_int(u * 1.0f); double du = u; out[n++] = du == 3e9;
	out[n++] = float(3) / 2 == 1.5f; out[n++] = int(2.9) + int(2.9); out[n++] = bool(0.1) + bool(0.0);
	out[n++] = (int)(true ? 1 : 2.5); out[n++] = (int)(10 * (false ? 1 : 2.5f));
	out[n++] = (int)(1e10 > 1e9f); const float pi = 3.14159265f; out[n++] = (int)(pi * 1000);
	long double wide = 0.5L; out[n++] = (int)(wide * 8); const double tenth = 0.1L; out[n++] = tenth == 0.1;
}
