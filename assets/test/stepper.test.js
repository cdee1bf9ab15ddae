import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyCommand, Stepper } from '../js/model/stepper.js';

/** A clock that stands still until told. */
function fakeClock() {
  let now = 0;
  let id = 0;
  const timers = new Map();
  return {
    setTimeout(f, ms) {
      timers.set(++id, { at: now + ms, f });
      return id;
    },
    clearTimeout: (timer) => timers.delete(timer),
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const due = [...timers].filter(([, t]) => t.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
        if (!due) break;
        timers.delete(due[0]);
        now = due[1].at;
        due[1].f();
      }
      now = end;
    },
    get waiting() {
      return timers.size;
    },
  };
}

function make(count) {
  const clock = fakeClock();
  const log = [];
  const stepper = new Stepper({ count, clock, onChange: (cause) => log.push(`${cause} ${stepper.index}`) });
  return { clock, log, stepper };
}

test('it moves among the steps that exist', () => {
  const { stepper, log } = make(3);
  stepper.previous();
  assert.equal(stepper.index, 0);
  stepper.next();
  stepper.go(99);
  stepper.next();
  assert.equal(stepper.index, 2);
  assert.ok(stepper.atLast);
  stepper.go(-5, 'slide');
  stepper.go(NaN);
  assert.equal(stepper.index, 0);
  assert.deepEqual(log, ['jump 1', 'jump 2', 'slide 0']);
});

test('a run without steps cannot move', () => {
  for (const count of [0, 1]) {
    const { stepper, log } = make(count);
    stepper.next();
    stepper.play();
    assert.equal(stepper.index, 0);
    assert.ok(stepper.atFirst && stepper.atLast && !stepper.playing);
    assert.deepEqual(log, []);
  }
});

test('it plays at the chosen speed and stops at the end', () => {
  const { stepper, clock, log } = make(4);
  stepper.play();
  clock.advance(999);
  assert.equal(stepper.index, 0);
  clock.advance(1);
  assert.equal(stepper.index, 1);
  stepper.setSpeed(4);
  clock.advance(500);
  assert.equal(stepper.index, 3);
  assert.equal(stepper.playing, false);
  assert.equal(clock.waiting, 0);
  assert.deepEqual(log, ['state 0', 'play 1', 'state 1', 'play 2', 'play 3', 'state 3']);
});

test('at the end, play begins again', () => {
  const { stepper, clock } = make(3);
  stepper.go(2);
  stepper.play();
  assert.equal(stepper.index, 0);
  clock.advance(2000);
  assert.equal(stepper.index, 2);
});

test('a hand on the wheel stops the clock', () => {
  for (const hand of [(s) => s.next(), (s) => s.go(1, 'slide'), (s) => s.go(0, 'restore'), (s) => s.toggle(), (s) => s.setCount(2), (s) => s.stop()]) {
    const { stepper, clock } = make(5);
    stepper.play();
    hand(stepper);
    assert.equal(stepper.playing, false);
    assert.equal(clock.waiting, 0);
  }
});

test('another run keeps the position where it can', () => {
  const { stepper } = make(10);
  stepper.go(7);
  stepper.setCount(12);
  assert.equal(stepper.index, 7);
  stepper.setCount(3);
  assert.equal(stepper.index, 2);
});

test('keys', () => {
  const command = (key, more = {}) => keyCommand({ key, ...more });
  assert.equal(command('ArrowRight'), 'next');
  assert.equal(command('j'), 'next');
  assert.equal(command('k'), 'previous');
  assert.equal(command('Home'), 'first');
  assert.equal(command('End'), 'last');
  assert.equal(command(' '), 'toggle');
  assert.equal(command('?'), 'help');
  assert.equal(command('x'), null);
  assert.equal(command('ArrowLeft', { altKey: true }), null, 'Alt and left is the browser’s Back');
  assert.equal(command('End', { ctrlKey: true }), null);
});
