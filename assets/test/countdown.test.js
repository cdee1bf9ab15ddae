import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Countdown, clockText } from '../js/model/countdown.js';

const minute = 60_000;

test('a countdown runs, is stopped, goes on and is set back', () => {
  const c = new Countdown({ minutes: 5 });
  assert.equal(c.left(0), 5 * minute);
  assert.equal(c.begun, false);
  c.start(1000);
  assert.equal(c.left(1000 + 2 * minute), 3 * minute);
  c.start(1000 + 2 * minute); // pressed twice
  c.stop(1000 + 2 * minute);
  assert.equal(c.left(99 * minute), 3 * minute, 'it stands still');
  c.start(100 * minute);
  assert.equal(c.left(101 * minute), 2 * minute);
  assert.equal(c.over(103 * minute), true);
  assert.equal(c.left(104 * minute), -minute, 'it says since when it is over');
  c.stop(104 * minute);
  assert.equal(c.begun, false, 'what is over begins anew');
  c.start(0);
  c.reset();
  assert.equal(c.left(0), 5 * minute);
});

test('it outlives the page, running or stopped', () => {
  const c = new Countdown({ minutes: 5 });
  c.start(0);
  assert.equal(Countdown.read(c.write()).left(minute), 4 * minute);
  c.stop(2 * minute);
  const again = Countdown.read(c.write());
  assert.equal(again.runs, false);
  assert.equal(again.left(50 * minute), 3 * minute);
});

test('what was kept wrongly is a new one', () => {
  for (const text of [null, '', 'null', '7', '{"minutes":0}', '{"minutes":5.5}', '{"minutes":"5"}', '{"minutes":1e9}', '{']) {
    const c = Countdown.read(text);
    assert.equal(c.runs, false, String(text));
    assert.equal(c.left(0), 10 * minute, String(text));
  }
  const odd = Countdown.read('{"minutes":5,"ends":"soon","left":-1}');
  assert.equal(odd.left(0), 5 * minute);
  assert.equal(new Countdown().set(181), false);
  assert.equal(new Countdown().set(3), true);
});

test('durations read as on a clock', () => {
  assert.equal(clockText(0), '0:00');
  assert.equal(clockText(59_999), '0:59');
  assert.equal(clockText(59_999, 'down'), '1:00');
  assert.equal(clockText(1, 'down'), '0:01');
  assert.equal(clockText(3_723_000), '1:02:03');
  assert.equal(clockText(-5), '0:00');
});
