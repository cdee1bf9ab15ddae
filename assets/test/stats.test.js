import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duration, times, work } from '../js/model/stats.js';

const tiny = { requests: 1, launches: 1, bytes_in: 96, bytes_out: 32, copy_in_ns: 4100, kernel_ns: 6200, copy_out_ns: 5000 };

test('what a device did is said in the words of the terminal', () => {
  assert.equal(work(tiny), '1 product, 1 launch, 96 bytes in, 32 bytes out; copy in 4.1 µs, kernel 6.2 µs, copy out 5.0 µs');
  assert.equal(work({ requests: 3, launches: 2, bytes_in: 1, bytes_out: 1 }), '3 products, 2 launches, 1 byte in, 1 byte out');
  assert.equal(work({ ...tiny, copy_in_ns: 0, copy_out_ns: 0, kernel_ns: 999 }), '1 product, 1 launch, 96 bytes in, 32 bytes out; kernel 999 ns');
});

test('the CPU counts nothing, and nothing is said of it', () => {
  for (const stats of [undefined, null, {}, { requests: 0, launches: 0, bytes_in: 0, bytes_out: 0, copy_in_ns: 0, kernel_ns: 0, copy_out_ns: 0 }]) {
    assert.equal(work(stats), '');
    assert.equal(times(stats), '');
  }
});

test('a duration has two or three digits that matter', () => {
  for (const [ns, want] of [
    [0, '0 ns'], [999, '999 ns'], [1000, '1.0 µs'], [4149, '4.1 µs'], [4150, '4.2 µs'], [4250, '4.3 µs'], [123500, '124 µs'], [99949, '99.9 µs'], [99950, '100 µs'], [999499, '999 µs'],
    [999500, '1.0 ms'], [45e6, '45.0 ms'], [360e6, '360 ms'], [999.5e6, '1.0 s'], [61e9, '61.0 s'], [3.6e12, '3600 s'],
  ]) assert.equal(duration(ns), want);
});
