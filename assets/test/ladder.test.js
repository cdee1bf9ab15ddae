/* A ladder's rows: what the workbench measured, with its digits and its place on the scale. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digits, gpus, legend, rows, title } from '../js/model/ladder.js';

const ladder = {
  precision: 'float32', size: 256, operations: 33554432, memory: 2000, device: 'NVIDIA T39', runs: 5,
  rungs: [
    { name: 'naive', speed: 250, spread: 12, ratio: 0.125, bytes: 1064960, allowed: 1000 },
    { name: 'blocked', speed: 800.25, ratio: 1.5 },
    { name: 'cuBLAS', speed: 500 },
  ],
};

test('a row says what was measured, and nothing of its own', () => {
  assert.deepEqual(rows(ladder), [
    { rung: 'naive', name: 'naive', speed: '250', spread: 'spread 12', ratio: '12.5\u00a0%', bytes: '0.00106\u00a0GB', allowed: '1000', bar: 250, mark: 1000 },
    // The ratio is the workbench's, whatever the speeds are.
    { rung: 'blocked', name: '4 × 4 cells a thread', speed: '800', spread: '', ratio: '150.0\u00a0%', bytes: '–', allowed: '–', bar: 800.3, mark: null },
    { rung: 'cuBLAS', name: 'cuBLAS', speed: '500', spread: '', ratio: '–', bytes: '–', allowed: '–', bar: 500, mark: null },
  ]);
});

test('digits are those of the page that comes from the server', () => {
  for (const [x, want] of [[48956.1, '48956'], [924.199, '924'], [0.0234579, '0.0235'], [1000, '1000'], [999.96, '1000'], [0, '0'], [2.5, '2.5']]) assert.equal(digits(x), want);
});

test('a table says where, when and what', () => {
  assert.equal(title(ladder, 'cuda:0', 'today'), 'Measured here, on NVIDIA T39 (cuda:0), today: two 256 × 256 matrices in float32, medians of 5 runs');
  assert.equal(legend({ ...ladder, missing: 'not found' }), 'Without cuBLAS: not found. An addition of two long arrays moved 2000 GB/s. All versions had the same bits.');
});

test('a GPU is listed once, however it can be used', () => {
  const specs = ['cpu', 'cuda:0', 'cuda:0,fused', 'emulator', 'cuda:12', 'cuda:12,library'].map((spec) => ({ spec }));
  assert.deepEqual(gpus(specs).map(({ spec }) => spec), ['cuda:0', 'cuda:12']);
});
