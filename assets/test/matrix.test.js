import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTensor, fromInput, parseShape, parseTensor } from '../js/model/matrix.js';

const six = { shape: [2, 3], values: [1, 2, 3, 4, 5, 6] };

test('rows, in every form that gets pasted', () => {
  for (const text of [
    '1 2 3\n4 5 6', '1\t2\t3\r\n4\t5\t6\r\n', '1,2,3\n4,5,6', '1, 2, 3,\n4, 5, 6,', '1 2 3; 4 5 6',
    '[[1, 2, 3], [4, 5, 6]]', '[[1 2 3]\n [4 5 6]]', '\n\n  1   2 3\n4 5 6\n\n', '[[1,2,3,],[4,5,6],]',
  ]) {
    assert.deepEqual(parseTensor(text), six, text);
  }
});

test('other ranks', () => {
  assert.deepEqual(parseTensor('7'), { shape: [1, 1], values: [7] });
  assert.deepEqual(parseTensor('[1, 2, 3]'), { shape: [3], values: [1, 2, 3] });
  assert.deepEqual(parseTensor('1 2\n3 4\n\n5 6\n7 8'), { shape: [2, 2, 2], values: [1, 2, 3, 4, 5, 6, 7, 8] });
  assert.deepEqual(parseTensor('[[[1],[2]]]'), { shape: [1, 2, 1], values: [1, 2] });
  assert.deepEqual(parseTensor('[[], []]'), { shape: [2, 0], values: [] });
  assert.deepEqual(parseTensor('[]'), { shape: [0], values: [] });
});

test('an explicit shape', () => {
  assert.deepEqual(parseTensor('1 2 3 4 5 6', '2 × 3'), six);
  assert.deepEqual(parseTensor('7', 'scalar'), { shape: [], values: [7] });
  assert.match(parseTensor('1 2 3 4 5', '2x3').error, /\[2, 3\] holds 6 values and there are 5/);
  assert.match(parseTensor('1 2', '2 by 3').error, /shape “2 by 3” cannot be read/);
  assert.deepEqual(parseShape('[2, 3]').shape, [2, 3]);
  assert.deepEqual(parseShape('2 3').shape, [2, 3]);
  assert.equal(parseShape(' ').shape, null);
  assert.match(parseShape('-1').error, /cannot be read/);
  assert.match(parseShape('1000000000 × 1000000000').error, /too many/);
});

test('a mistake is named at its place', () => {
  for (const [text, want] of [
    ['1 2 3\n4 x 6', /^row 1, column 1: “x” is not a number/],
    ['1 2 3\n4 5', /^row 1 has 2 values and row 0 has 3/],
    ['1\t2,5\n3\t4', /^row 0, column 1: “2,5” has a comma: write 2\.5/],
    ['1,5 2 3', /^row 0, column 0: “1,5” has a comma: write 1\.5/],
    ['1, 2 3', /^row 0, column 1: “2 3” is not a number/],
    ['1,,3', /^row 0, column 1: is empty/],
    ['', /no numbers/],
    ['1 2\n3 4\n\n5 6', /^matrix 1 has 1 rows and matrix 0 has 2/],
    ['[[1, 2], [3]]', /^row 1: has 1 value and the first has 2/],
    ['[[1, 2], [3, x]]', /^row 1, column 1: “x” is not a number/],
    ['[[1, 2], 3]', /^row 1: a list and a number/],
    ['[[1, 2], [[3], [4]]]', /^row 1: numbers are expected here/],
    ['[[[1], [2]], [3, 4]]', /^row 1, column 0: a list is expected here/],
    ['['.repeat(100000), /more than 8 deep/],
    ['[[1, 2], [3, 4]', /not closed/],
    ['[1, 2] 3', /“3” stands after/],
    ['1 2 none', /^row 0, column 2: “none” is not a number/],
  ]) {
    assert.match(parseTensor(text).error ?? 'no error', want, text);
  }
});

test('numbers that JSON cannot hold go by their names', () => {
  const values = ['NaN', 'Infinity', '-Infinity', 1];
  assert.deepEqual(parseTensor('nan inf\n-Infinity 1'), { shape: [2, 2], values });
  assert.deepEqual(parseTensor('[[NaN, ∞], [−∞, 1]]'), { shape: [2, 2], values });
  assert.deepEqual(parseTensor(formatTensor([2, 2], values).text), { shape: [2, 2], values });
});

test('every text that formatTensor writes reads back', () => {
  for (const shape of [[], [1], [3], [0], [1, 1], [2, 3], [3, 1], [2, 0], [1, 2, 2], [2, 2, 2], [2, 1, 2, 2]]) {
    const values = Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => (i % 2 ? -0.1 : 10) * i);
    const { text, shape: shapeText } = formatTensor(shape, values);
    assert.deepEqual(parseTensor(text, shapeText), { shape, values }, `${shape}: ${text}`);
  }
  assert.equal(formatTensor([2, 2], [1, 20, -300, 4]).text, '   1 20\n-300  4');
});

test('the tensors of an input, in both forms', () => {
  assert.deepEqual(fromInput([[1, 2], [3, 4]]), { shape: [2, 2], values: [1, 2, 3, 4] });
  assert.deepEqual(fromInput({ shape: [2, 0], values: [] }), { shape: [2, 0], values: [] });
  assert.deepEqual(fromInput([[], []]), { shape: [2, 0], values: [] });
  assert.deepEqual(fromInput(5), { shape: [], values: [5] });
});
