package conform

// The images are text with a final zero byte, as nvidia.Context.Load takes them.

// PTX returns the kernels that the package comment lists.
func PTX() []byte { return []byte(kernels + "\x00") }

// Broken returns PTX that no compiler takes.
func Broken() []byte {
	return []byte(".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry conform_broken(\n{\n\tret;\n\x00")
}

// Later returns PTX of a version that no driver knows yet.
func Later() []byte {
	return []byte(".version 99.9\n.target sm_70\n.address_size 64\n.visible .entry conform_later()\n{\n\tret;\n}\n\x00")
}

// Variables returns PTX with two variables: conform_count, whose eight bytes are 1
// to 8, and conform_weights in constant memory, of sixteen zeros.
func Variables() []byte {
	return []byte(`.version 7.8
.target sm_70
.address_size 64

.visible .global .align 8 .b8 conform_count[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.visible .const .align 8 .b8 conform_weights[16];
` + "\x00")
}

const kernels = `.version 7.8
.target sm_70
.address_size 64

.extern .func (.param .b32 characters) vprintf (.param .b64 format, .param .b64 values);

.global .align 1 .b8 conform_format[18] = {99, 111, 110, 102, 111, 114, 109, 95, 112, 114, 105, 110, 116, 32, 37, 117, 10, 0};
.extern .shared .align 4 .b8 conform_shared[];

.visible .entry conform_index(
	.param .u64 out,
	.param .u32 n
)
{
	.reg .pred %past;
	.reg .b32 %bx, %by, %bz, %tx, %ty, %tz, %size, %threads, %i, %n;
	.reg .b64 %out, %offset, %value, %part;

	mov.u32 %bx, %ctaid.x;
	mov.u32 %by, %ctaid.y;
	mov.u32 %bz, %ctaid.z;
	mov.u32 %tx, %tid.x;
	mov.u32 %ty, %tid.y;
	mov.u32 %tz, %tid.z;

	// i = ((bz*GY + by)*GX + bx)*threads + (tz*BY + ty)*BX + tx
	mov.u32 %size, %ntid.y;
	mad.lo.u32 %i, %tz, %size, %ty;
	mov.u32 %threads, %ntid.z;
	mul.lo.u32 %threads, %threads, %size;
	mov.u32 %size, %ntid.x;
	mad.lo.u32 %i, %i, %size, %tx;
	mul.lo.u32 %threads, %threads, %size;
	mov.u32 %size, %nctaid.y;
	mad.lo.u32 %n, %bz, %size, %by;
	mov.u32 %size, %nctaid.x;
	mad.lo.u32 %n, %n, %size, %bx;
	mad.lo.u32 %i, %n, %threads, %i;

	ld.param.u32 %n, [n];
	setp.ge.u32 %past, %i, %n;
	@%past bra done;

	cvt.u64.u32 %value, %bx;
	cvt.u64.u32 %part, %by;
	shl.b64 %part, %part, 10;
	add.u64 %value, %value, %part;
	cvt.u64.u32 %part, %bz;
	shl.b64 %part, %part, 20;
	add.u64 %value, %value, %part;
	cvt.u64.u32 %part, %tx;
	shl.b64 %part, %part, 30;
	add.u64 %value, %value, %part;
	cvt.u64.u32 %part, %ty;
	shl.b64 %part, %part, 40;
	add.u64 %value, %value, %part;
	cvt.u64.u32 %part, %tz;
	shl.b64 %part, %part, 50;
	add.u64 %value, %value, %part;

	ld.param.u64 %out, [out];
	cvta.to.global.u64 %out, %out;
	mul.wide.u32 %offset, %i, 8;
	add.u64 %out, %out, %offset;
	st.global.u64 [%out], %value;
done:
	ret;
}

.visible .entry conform_add(
	.param .u64 values,
	.param .u32 n,
	.param .u32 amount
)
{
	.reg .pred %past;
	.reg .b32 %i, %block, %size, %n, %value, %amount;
	.reg .b64 %values, %offset;

	mov.u32 %block, %ctaid.x;
	mov.u32 %size, %ntid.x;
	mov.u32 %i, %tid.x;
	mad.lo.u32 %i, %block, %size, %i;
	ld.param.u32 %n, [n];
	setp.ge.u32 %past, %i, %n;
	@%past bra done;

	ld.param.u64 %values, [values];
	cvta.to.global.u64 %values, %values;
	mul.wide.u32 %offset, %i, 4;
	add.u64 %values, %values, %offset;
	ld.param.u32 %amount, [amount];
	ld.global.u32 %value, [%values];
	add.u32 %value, %value, %amount;
	st.global.u32 [%values], %value;
done:
	ret;
}

.visible .entry conform_parameters(
	.param .u8 a,
	.param .f64 b,
	.param .u16 c,
	.param .s32 d,
	.param .f32 e,
	.param .u64 out,
	.param .align 8 .b8 s[112],
	.param .u8 z
)
{
	.reg .b32 %word;
	.reg .b64 %out, %value;

	ld.param.u64 %out, [out];
	cvta.to.global.u64 %out, %out;
	ld.param.u8 %value, [a];
	st.global.u64 [%out], %value;
	ld.param.b64 %value, [b];
	st.global.u64 [%out+8], %value;
	ld.param.u16 %value, [c];
	st.global.u64 [%out+16], %value;
	ld.param.b32 %word, [d];
	cvt.u64.u32 %value, %word;
	st.global.u64 [%out+24], %value;
	ld.param.b32 %word, [e];
	cvt.u64.u32 %value, %word;
	st.global.u64 [%out+32], %value;
	ld.param.u64 %value, [s];
	st.global.u64 [%out+40], %value;
	ld.param.u64 %value, [s+8];
	st.global.u64 [%out+48], %value;
	ld.param.u64 %value, [s+16];
	st.global.u64 [%out+56], %value;
	ld.param.u64 %value, [s+24];
	st.global.u64 [%out+64], %value;
	ld.param.u64 %value, [s+32];
	st.global.u64 [%out+72], %value;
	ld.param.u64 %value, [s+40];
	st.global.u64 [%out+80], %value;
	ld.param.u64 %value, [s+48];
	st.global.u64 [%out+88], %value;
	ld.param.u64 %value, [s+56];
	st.global.u64 [%out+96], %value;
	ld.param.u64 %value, [s+64];
	st.global.u64 [%out+104], %value;
	ld.param.u64 %value, [s+72];
	st.global.u64 [%out+112], %value;
	ld.param.u64 %value, [s+80];
	st.global.u64 [%out+120], %value;
	ld.param.u64 %value, [s+88];
	st.global.u64 [%out+128], %value;
	ld.param.u64 %value, [s+96];
	st.global.u64 [%out+136], %value;
	ld.param.u64 %value, [s+104];
	st.global.u64 [%out+144], %value;
	ld.param.u8 %value, [z];
	st.global.u64 [%out+152], %value;
	ret;
}

.visible .entry conform_reverse(
	.param .u64 out,
	.param .u64 in
)
{
	.reg .b32 %i, %size, %value, %shared, %at;
	.reg .b64 %in, %out, %offset;

	mov.u32 %i, %tid.x;
	mov.u32 %size, %ntid.x;
	mov.u32 %shared, conform_shared;

	ld.param.u64 %in, [in];
	cvta.to.global.u64 %in, %in;
	mul.wide.u32 %offset, %i, 4;
	add.u64 %in, %in, %offset;
	ld.global.u32 %value, [%in];
	mad.lo.u32 %at, %i, 4, %shared;
	st.shared.u32 [%at], %value;
	bar.sync 0;

	// Thread i writes cell i, and reads what the thread at the other end stored.
	sub.u32 %size, %size, 1;
	sub.u32 %size, %size, %i;
	mad.lo.u32 %at, %size, 4, %shared;
	ld.shared.u32 %value, [%at];
	ld.param.u64 %out, [out];
	cvta.to.global.u64 %out, %out;
	add.u64 %out, %out, %offset;
	st.global.u32 [%out], %value;
	ret;
}

.visible .entry conform_wait(
	.param .u64 out,
	.param .u32 microseconds
)
{
	.reg .pred %waiting;
	.reg .b32 %us, %value;
	.reg .b64 %start, %now, %ns, %out;

	ld.param.u32 %us, [microseconds];
	mul.wide.u32 %ns, %us, 1000;
	mov.u64 %start, %globaltimer;
again:
	mov.u64 %now, %globaltimer;
	sub.u64 %now, %now, %start;
	setp.lt.u64 %waiting, %now, %ns;
	@%waiting bra again;

	ld.param.u64 %out, [out];
	cvta.to.global.u64 %out, %out;
	ld.global.u32 %value, [%out];
	add.u32 %value, %value, 1;
	st.global.u32 [%out], %value;
	ret;
}

.visible .entry conform_print(
	.param .u32 n
)
{
	.local .align 8 .b8 arguments[8];
	.reg .b32 %n, %characters;
	.reg .b64 %arguments, %generic, %format;

	mov.u64 %arguments, arguments;
	cvta.local.u64 %generic, %arguments;
	ld.param.u32 %n, [n];
	st.local.u32 [%arguments], %n;
	mov.u64 %format, conform_format;
	cvta.global.u64 %format, %format;
	{
		.param .b64 format;
		.param .b64 values;
		.param .b32 characters;
		st.param.b64 [format], %format;
		st.param.b64 [values], %generic;
		call.uni (characters), vprintf, (format, values);
		ld.param.b32 %characters, [characters];
	}
	ret;
}

.visible .entry conform_store(
	.param .u64 p
)
{
	.reg .b32 %one;
	.reg .b64 %p;

	ld.param.u64 %p, [p];
	cvta.to.global.u64 %p, %p;
	mov.u32 %one, 1;
	st.global.u32 [%p], %one;
	ret;
}

.visible .entry conform_trap()
{
	trap;
	ret;
}
`
