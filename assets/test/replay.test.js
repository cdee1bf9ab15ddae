import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Replay } from '../js/model/replay.js';
import { Timeline, timeText } from '../js/model/timeline.js';

const state = (t, chapter, more = {}) => ({ t, news: { kind: 'state', epoch: 1, seq: t, state: { mode: 'locked', chapter, at: {}, lease: 3, driver: 'x', here: false, recall: 2, ended: true, lesson: '/y', ...more } } });
const widget = (t, chapter, name, step, n = 0) => ({
  t, news: { kind: 'widget', epoch: 1, seq: t, widget: { chapter, widget: name, view: { place: { step }, texts: null, ran: n ? { n, texts: null, device: n === 4 ? 'cpu cpu4' : `cpu${n}` } : null, running: false, last: 9 }, from: 'p' } },
});
const poll = (t, n, more = {}) => ({ t, news: { kind: 'poll', epoch: 1, seq: t, ...(n ? { poll: { n, question: `q${n}`, state: 'open', ...more } } : {}) } });
const pointer = (t) => ({ t, news: { kind: 'pointer', epoch: 1, seq: t, pointer: { chapter: 'a', path: [], x: 0, y: 0 } } });

const events = [
  state(0, 'a'), widget(1000, 'a', 'w', 1), widget(1050, 'a', 'w', 2, 1), widget(2000, 'a', 'v', 5),
  poll(3000, 1), poll(3200, 1, { total: 1 }), poll(3500, 1, { state: 'revealed' }), poll(4000, 0),
  // A server that was started anew counts its news anew.
  state(20000, 'b'), state(20500, 'b', { here: true }), widget(21000, 'b', 'w', 7, 4), pointer(21200), widget(22000, 'b', 'w', 8, 4), state(23000, 'a'), widget(24000, 'a', 'w', 3, 2),
];
const timeline = () => new Timeline({ events, duration: 40000 });

/** The steps of widgets that are known at a moment. */
const steps = (line, t) => Object.fromEntries(line.at(t).widgets.map(({ chapter, widget, view }) => [`${chapter}.${widget}`, view.place.step]));

test('the state of a moment is the latest of each subject until then, whichever way one comes', () => {
  const line = timeline();
  const truth = (t) => {
    const known = { chapter: '', poll: null, steps: {} };
    for (const { t: when, news } of events) {
      if (when > t) break;
      if (news.state) known.chapter = news.state.chapter;
      if (news.kind === 'poll') known.poll = news.poll?.n ?? null;
      if (news.widget) known.steps[`${news.widget.chapter}.${news.widget.widget}`] = news.widget.view.place.step;
    }
    return known;
  };
  for (const t of [-1, 0, 999, 1000, 1050, 2500, 3999, 4000, 19999, 21500, 24000, 40000, 3000, 1000, 0]) {
    const at = line.at(t);
    assert.deepEqual({ chapter: at.state?.chapter ?? '', poll: at.poll?.n ?? null, steps: steps(line, t) }, truth(t), `at ${t}`);
  }
});

test('a run is asked for as it was answered when the lesson began to show it', () => {
  // The same was run again: the second answer may have come at any time from 200 on.
  const line = new Timeline({ events: [state(0, 'a'), widget(100, 'a', 'w', 1, 1), widget(200, 'a', 'w', 2, 1), widget(300, 'a', 'w', 2, 2), widget(400, 'a', 'w', 3, 2), widget(450, 'a', 'v', 0, 2), widget(500, 'a', 'w', 3, 1), widget(600, 'a', 'w', 3)], duration: 700 });
  const since = (t) => line.at(t).widgets.find((one) => one.widget === 'w').view.ran?.at;
  assert.deepEqual([100, 250, 300, 450, 599, 600].map(since), [100, 100, 300, 300, 500, undefined]);
  assert.deepEqual(line.between(150, 420).map(({ widget: one }) => [one.view.place.step, one.view.ran.at]), [[3, 300]], 'also where it is told as it goes on');
});

test('marks are the chapters, the runs and the polls, once each', () => {
  const line = timeline();
  assert.deepEqual(line.marks.map(({ t, kind, text }) => [t, kind, text]), [
    [0, 'chapter', 'a'], [1050, 'run', 'cpu1'], [3000, 'poll', 'q1'], [20000, 'chapter', 'b'], [21000, 'run', 'cpu and cpu4'], [23000, 'chapter', 'a'], [24000, 'run', 'cpu2'],
  ]);
  assert.deepEqual(line.devices, ['cpu1', 'cpu', 'cpu4', 'cpu2']);
});

test('stops are where something has happened, and what happens together is one', () => {
  const line = timeline();
  const forwards = [];
  for (let t = 0; t < 40000; forwards.push(t)) t = line.next(t);
  assert.deepEqual(forwards, [1050, 2000, 3000, 3500, 4000, 20000, 21000, 22000, 23000, 24000, 40000]);
  const backwards = [];
  for (let t = 40000; t > 0; backwards.push(t)) t = line.previous(t);
  assert.deepEqual(backwards, [...forwards.slice(0, -1).reverse(), 0]);
});

test('long pauses are cut short, and short ones are not', () => {
  const line = timeline();
  // From 4000 to 20000 nothing happens: 1.5 s of it and 1 s before its end are kept.
  assert.equal(line.advance(4000, 1000, true), 5000);
  assert.equal(line.advance(4000, 1500, true), 5500);
  assert.equal(line.advance(4000, 1600, true), 19100);
  assert.equal(line.advance(10000, 10, true), 19010, 'who begins in a pause waits for its end alone');
  assert.equal(line.advance(19500, 100, true), 19600);
  assert.equal(line.advance(4000, 1600, false), 5600);
  assert.equal(line.advance(1000, 1000, true), 2000);
  assert.equal(line.advance(0, 1e9, true), 40000, 'never beyond the end');
  let passed = 0;
  for (let t = 0; t < 40000; passed += 10) t = line.advance(t, 10, true);
  assert.ok(passed > 12000 && passed < 13500, `with its pauses cut the lesson takes ${passed} ms`);
});

test('a chapter is found at the moment, next, or first', () => {
  const line = timeline();
  assert.equal(line.visit('a', 500), 500);
  assert.equal(line.visit('a', 20500), 23000);
  assert.equal(line.visit('b', 30000), 20000);
  assert.equal(line.visit('c', 0), null);
});

/** A page that is told news as a room's is: what is older than what it knows it drops. */
function listener() {
  const page = { epoch: 0, seq: 0, state: null, widgets: {}, poll: null, told: 0 };
  const tell = (news) => {
    assert.ok(news.epoch > page.epoch || (news.epoch === page.epoch && news.seq > page.seq), 'news is newer than what was told');
    Object.assign(page, { epoch: news.epoch, seq: news.seq, told: page.told + 1 });
    if (news.kind === 'all') {
      Object.assign(page, { state: news.state, widgets: {}, poll: news.poll });
      for (const one of news.widgets) page.widgets[`${one.chapter}.${one.widget}`] = one.view.place.step;
    } else if (news.kind === 'widget') page.widgets[`${news.widget.chapter}.${news.widget.widget}`] = news.widget.view.place.step;
    else if (news.kind !== 'pointer') page[news.kind] = news[news.kind] ?? null;
  };
  return { page, tell };
}

test('a page is told the same on every way through the lesson', () => {
  const { page, tell } = listener();
  const line = timeline();
  const replay = new Replay({ timeline: line, tell, onChange() {} });
  const check = () => {
    const at = line.at(replay.t);
    assert.equal(page.state?.chapter, at.state?.chapter);
    assert.deepEqual(page.widgets, steps(line, replay.t));
    assert.equal(page.poll?.n, at.poll?.n);
  };
  replay.seek(0);
  check();
  for (let i = 0; i < 12; i++) {
    replay.next();
    check();
  }
  assert.equal(replay.t, 40000);
  // Back over two changes of chapter.
  for (let i = 0; i < 12; i++) {
    replay.previous();
    check();
  }
  assert.equal(replay.t, 0);
  replay.play();
  for (let i = 0; i < 500 && replay.playing; i++) {
    replay.pass(100);
    check();
  }
  assert.ok(replay.atEnd && !replay.playing, 'it stops at the end');
  replay.seek(2500);
  check();
  replay.play();
  replay.pass(10);
  assert.equal(replay.t, 2510, 'it plays on from where it was');
});

test('playing tells what is new alone, and is as fast as one says', () => {
  const { page, tell } = listener();
  const replay = new Replay({ timeline: timeline(), tell, onChange() {} });
  replay.seek(0);
  replay.play();
  const told = page.told;
  replay.setSpeed(4);
  replay.setSpeed(3); // which is none
  for (let i = 0; i < 10; i++) replay.pass(20);
  assert.deepEqual([replay.t, page.told], [800, told]);
  replay.pass(100);
  assert.deepEqual([replay.t, page.told, page.widgets['a.w']], [1200, told + 1, 2], 'of two views of a widget the last is told');
  replay.play();
  replay.seek(40000);
  replay.play();
  assert.equal(replay.t, 0, 'from the end it begins anew');
});

test('who looks alone is not held, called back or told that it is over', () => {
  const { page, tell } = listener();
  new Replay({ timeline: timeline(), tell, onChange() {} }).seek(100);
  const { mode, ended, recall, here, lesson, driver } = page.state;
  assert.deepEqual({ mode, ended, recall, here, lesson, driver }, { mode: 'follow', ended: false, recall: 0, here: true, lesson: '', driver: '' });
});

test('a chapter that is gone is known while the lesson is there', () => {
  const replay = new Replay({ timeline: timeline(), tell() {}, onChange() {}, gone: ['b'] });
  const missing = (t) => {
    replay.seek(t);
    return replay.missing;
  };
  assert.deepEqual([19999, 20000, 22999, 23000].map(missing), ['', 'b', 'b', '']);
});

test('a lesson in which nothing happens is one', () => {
  const { page, tell } = listener();
  const replay = new Replay({ timeline: new Timeline({ events: [], duration: 0 }), tell, onChange() {} });
  replay.seek(5);
  replay.next();
  replay.previous();
  replay.play();
  replay.pass(100);
  assert.deepEqual([replay.t, page.state, replay.playing], [0, null, false]);
});

test('times are written as a clock has them', () => {
  assert.deepEqual([0, 999, 61000, 3599999, 3600000, 36061000, -4].map(timeText), ['0:00', '0:00', '1:01', '59:59', '1:00:00', '10:01:01', '0:00']);
});
