import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bits, encode, parse, short, show, spell } from '../js/model/number.js';

test('show writes the shortest decimal and keeps the sign of zero', () => {
  for (const [x, want] of [
    [0.1, '0.1'], [5.668398842431571, '5.668398842431571'], [0, '0'], [-0, '-0'], [-2.5, '-2.5'], [1e21, '1e+21'],
    [-1e-7, '-1e-7'], [1e6, '1000000'], ['NaN', 'NaN'], ['-Infinity', '-Infinity'], [null, ''], [undefined, ''],
  ]) {
    assert.equal(show(x), want);
  }
});

test('spell writes what the server writes', () => {
  // Made with Go's strconv.FormatFloat(x, 'g', -1, 64).
  const cases = [
    [1, '1'], [1e6, '1e+06'], [123456, '123456'], [1234567, '1.234567e+06'], [100000, '100000'],
    [999999.5, '999999.5'], [1e20, '1e+20'], [1e21, '1e+21'], [1.5e21, '1.5e+21'], [1e-4, '0.0001'],
    [1.5e-4, '0.00015'], [1e-5, '1e-05'], [0.1, '0.1'], [5.668398842431571, '5.668398842431571'],
    [-0.03864548774942185, '-0.03864548774942185'], [5e-324, '5e-324'],
    [Number.MAX_VALUE, '1.7976931348623157e+308'], [-0, '-0'], [123456789.125, '1.23456789125e+08'],
    [1e100, '1e+100'], [-1e-7, '-1e-07'], [0, '0'], ['NaN', 'NaN'], ['-Infinity', '-Infinity'],
  ];
  for (const [x, want] of cases) assert.equal(spell(x), want);
});

test('spell names the same bits', () => {
  let state = 39n;
  for (let i = 0; i < 2000; i++) {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    const x = new Float64Array(new BigUint64Array([state]).buffer)[0];
    if (Number.isFinite(x)) assert.equal(bits(Number(spell(x))), bits(x));
  }
});

test('short leaves digits out only where that saves room, and says so', () => {
  assert.deepEqual(short(64, 6), { text: '64', exact: true });
  assert.deepEqual(short(0.123456, 6), { text: '0.123456', exact: true });
  assert.deepEqual(short(-0.03864548774942185, 6), { text: '-0.0386455', exact: false });
  assert.deepEqual(short(123456789, 6), { text: '123456789', exact: true });
  assert.deepEqual(short('NaN', 6), { text: 'NaN', exact: true });
  assert.deepEqual(short(-0, 6), { text: '-0', exact: true });
});

test('bits writes sixteen hex digits', () => {
  assert.equal(bits(5.668398842431571), '4016ac70bf03b620');
  assert.equal(bits(-0), '8000000000000000');
  assert.equal(bits(0), '0000000000000000');
  assert.equal(bits('Infinity'), '7ff0000000000000');
  assert.equal(bits('NaN'), '');
});

test('parse reads what people write and names what it cannot read', () => {
  assert.equal(parse(' 1.5 ').value, 1.5);
  assert.equal(parse('\u22122').value, -2);
  assert.equal(parse('.5').value, 0.5);
  assert.equal(parse('1e-3').value, 0.001);
  assert.ok(Object.is(parse('-0').value, -0));
  assert.match(parse('').error, /empty/);
  assert.match(parse('two').error, /“two” is not a number/);
  assert.match(parse('1,5').error, /has a comma: write 1\.5/);
  assert.equal(parse('nan').value, 'NaN');
  assert.equal(parse('-inf').value, '-Infinity');
  assert.match(parse('1e999').error, /larger than a float64/);
  assert.match(parse('0x10').error, /not a number/);
  assert.match(parse('1 2').error, /not a number/);
});

test('encode keeps what JSON.stringify loses', () => {
  assert.equal(encode({ a: [1, -0, 0.1], seed: '18446744073709551615', text: 'a"b', none: undefined, nil: null, yes: true }),
    '{"a":[1,-0,0.1],"seed":"18446744073709551615","text":"a\\"b","nil":null,"yes":true}');
  assert.equal(encode({ x: 1e6, y: 'NaN' }, spell), '{"x":1e+06,"y":"NaN"}');
  assert.throws(() => encode(NaN), /not a JSON number/);
});
