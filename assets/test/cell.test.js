import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf, rowsShown, saidBy, sentence, termCount, termNumber } from '../js/model/cell.js';
import { around, bring, hold, inside } from '../js/model/window.js';

const term = (left, right, product = 0, sum = 0) => ({ left, right, product, sum });

test('a cell reads as a person writes it', () => {
  assert.equal(sentence({ value: 58, right_indices: [0, 2, 4], terms: [term(1, 7), term(2, 9), term(3, 11)] }), '58 = 1·7 + 2·9 + 3·11');
  assert.equal(sentence({ value: 2, divisor: 3, right_indices: [], terms: [term(1, 1), term(-2, 1), term(7, 1)] }), '2 = (1 + (−2) + 7) / 3');
  assert.equal(sentence({ value: 0, terms: [] }), '0: a sum of no terms');
  assert.equal(sentence({ value: 'NaN', right_indices: [0], terms: [term('NaN', -0)] }), 'NaN = NaN·(−0)');
});

test('a long one is cut before its last term', () => {
  const terms = Array.from({ length: 258 }, (_, k) => term(k, 1));
  assert.equal(sentence({ value: 33153, right_indices: [], terms }), '33153 = 0 + 1 + 2 + 3 + 4 + 5 + … + 257 (258 terms)');
});

test('a doctored value is shown, not mended', () => {
  assert.equal(sentence({ value: 1234.5, right_indices: [0], terms: [term(2, 3, 99, 99)] }), '1234.5 = 2·3');
});

test('names', () => {
  assert.equal(nameOf({ name: 'C', shape: [2, 2] }, 1), 'C[0, 1]');
  assert.equal(nameOf({ name: 'loss', shape: [] }, 0), 'loss');
});

const cell = (count, omitted) => ({ terms: Array.from({ length: count }, (_, k) => term(k, 1)), omitted });

test('a long table shows both ends and says what lies between', () => {
  assert.deepEqual(rowsShown(cell(3), false), [0, 1, 2]);
  assert.deepEqual(rowsShown(cell(64), false), rowsShown(cell(64), true));
  const shown = rowsShown(cell(258), false);
  assert.equal(shown.length, 65);
  assert.deepEqual(shown.slice(54), [54, 55, { hidden: 194, omitted: 0 }, 250, 251, 252, 253, 254, 255, 256, 257]);
  assert.equal(rowsShown(cell(258), true).length, 258);
});

test('terms that were left out are counted, and those after them keep their numbers', () => {
  const long = cell(100, { first: 90, count: 900 });
  assert.equal(termCount(long), 1000);
  assert.deepEqual([0, 89, 90, 99].map((index) => termNumber(long, index)), [0, 89, 990, 999]);
  assert.deepEqual(rowsShown(long, false).slice(55, 58), [55, { hidden: 36, omitted: 900 }, 92]);
  assert.deepEqual(rowsShown(long, true).slice(89, 92), [89, { hidden: 0, omitted: 900 }, 90]);
  assert.equal(rowsShown(long, true).length, 101);
  assert.deepEqual(rowsShown(cell(3, { first: 2, count: 7 }), false), [0, 1, { hidden: 0, omitted: 7 }, 2]);
  assert.match(sentence({ ...long, value: 1, right_indices: [] }), /\+ … \+ 99 \(1000 terms\)$/);
  assert.equal(termCount(cell(3)), 3);
  assert.equal(termNumber(cell(3), 2), 2);
});

test('a window moves as little as it must and stays on its axis', () => {
  assert.equal(bring(0, 12, 258, 5), 0);
  assert.equal(bring(0, 12, 258, 12), 1);
  assert.equal(bring(100, 12, 258, 99), 99);
  assert.equal(bring(0, 12, 258, 257), 246);
  assert.equal(bring(0, 12, 3, 2), 0);
  assert.equal(inside(-4, 12, 258), 0);
  assert.equal(inside(300, 12, 258), 246);
  assert.equal(inside(5, 12, 0), 0);
  assert.equal(around(25, 2155, 1000), 988);
  assert.equal(around(25, 2155, 3), 0);
  assert.equal(around(25, 2155, 2154), 2130);
  assert.equal(hold(3, 10, 12, 258), 10);
  assert.equal(hold(40, 10, 12, 258), 21);
  assert.equal(hold(2, 0, 12, 2), 1);
});

test('a title that says the sentence spares it, one of another value does not', () => {
  const one = { value: '-Infinity', terms: [{ left: 1, right: '-Infinity', product: '-Infinity', sum: '-Infinity' }] };
  assert.equal(saidBy('C[0, 1] = 1·(−∞) = −∞', 'C[0, 1]', one), true);
  assert.equal(saidBy('C[0, 1] = 1·(−∞) = −∞', 'C[0, 0]', one), false);
  assert.equal(saidBy('C[0, 1] = 1·2 = 2', 'C[0, 1]', one), false);
  assert.equal(saidBy('C = A·B is a 2×2 matrix.', 'C[0, 1]', one), false);
  assert.equal(saidBy('C[0, 1] = 0', 'C[0, 1]', { value: 0, terms: [] }), false);
});
