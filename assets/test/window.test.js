import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from '../js/model/window.js';

test('a box is scrolled no further than it takes to show a stretch', () => {
  assert.equal(nearest(0, 100, 20, 60), 0, 'it is in sight');
  assert.equal(nearest(0, 100, 80, 130), 30, 'it ends behind the right edge');
  assert.equal(nearest(50, 100, 20, 60), 20, 'it begins before the left edge');
  assert.equal(nearest(30, 100, 30, 130), 30, 'it fills the box');
  assert.equal(nearest(0, 100, 40, 200), 40, 'it is longer than the box: its beginning counts');
});
