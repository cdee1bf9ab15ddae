import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Contracts, differences } from '../js/model/contracts.js';

const entry = (flat, reference, candidate, referenceBits, candidateBits, ulp) => ({
  group: 'C', coordinate: [flat, 0], flat, reference, candidate, reference_bits: referenceBits, candidate_bits: candidateBits, ulp,
});
/** Values and distances that fit to nothing: what is shown was sent. */
const fused = { count: 9, differing: 1, entries: [entry(0, 5, 6, 'a0', 'a1', '4711'), entry(1, 7, 7, 'b0', 'b0', '0')] };
const nan = { count: 2, differing: 2, entries: [entry(0, 5, 'NaN', 'a0', 'ff', ''), entry(1, 7, 8, 'b0', 'c1', '3')] };

test('each value stands under its device, with what differs marked', () => {
  const c = new Contracts({ devices: ['cpu', 'cpu,fused', 'cuda:0', 'cuda:0,library'], reports: [null, fused, null, nan] });
  assert.deepEqual(c.rows(), [
    { name: 'C[0, 0]', values: [
      { value: 5, bits: [{ text: 'a0', differs: false }], ulp: '', same: true },
      { value: 6, bits: [{ text: 'a', differs: false }, { text: '1', differs: true }], ulp: '4711', same: false },
      null,
      { value: 'NaN', bits: [{ text: 'ff', differs: true }], ulp: '', same: false },
    ] },
    { name: 'C[1, 0]', values: [
      { value: 7, bits: [{ text: 'b0', differs: false }], ulp: '', same: true },
      { value: 7, bits: [{ text: 'b0', differs: false }], ulp: '', same: true },
      null,
      { value: 8, bits: [{ text: 'c1', differs: true }], ulp: '3', same: false },
    ] },
  ]);
});

test('the sentence counts what the reports counted', () => {
  const of = (devices, reports) => new Contracts({ devices, reports }).summary();
  assert.equal(of(['cpu', 'cpu,fused', 'cuda:0'], [null, fused, nan]), 'cpu,fused has other bits than cpu in 1 of 9 values; cuda:0 has other bits than cpu in 2 of 2 values.');
  const same = { ...fused, differing: 0 };
  assert.equal(of(['cpu', 'cpu,fused', 'cuda:0'], [null, same, same]), 'cpu,fused, cuda:0 and cpu have the same bits in every value.');
  assert.equal(of(['cpu', 'cpu,fused'], [null, same]), 'cpu,fused and cpu have the same bits in every value.');
  assert.equal(of(['cpu', 'cuda:0'], [same, null]), 'Only cpu has been asked.');
});

test('without any report there is nothing to show, and a sentence says so', () => {
  assert.throws(() => new Contracts({ devices: ['cpu', 'cuda:0'], reports: [] }), /no values in it: reload the page/);
});

test('texts are cut where they differ', () => {
  assert.deepEqual(differences('3fe28f5c', '3fe28f5d'), [{ text: '3fe28f5', differs: false }, { text: 'c', differs: true }]);
  assert.deepEqual(differences('0a0b', '1a1b'), [
    { text: '0', differs: true }, { text: 'a', differs: false }, { text: '0', differs: true }, { text: 'b', differs: false }]);
  assert.deepEqual(differences('', ''), []);
});
