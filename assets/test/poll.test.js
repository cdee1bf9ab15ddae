import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, cellQuestion, openPoll, pollOfNote } from '../js/model/poll.js';

const form = { question: ' What is C[0,1]? ', kind: 'number', choices: '', answer: ' 64 ' };

test('a poll is what was typed, without the spaces around it', () => {
  assert.deepEqual(openPoll(form).body, { do: 'poll', act: 'open', question: 'What is C[0,1]?', kind: 'number', answer: '64' });
  const about = { chapter: '01-one', widget: 'first', step: 2 };
  assert.deepEqual(openPoll({ ...form, kind: 'choice', choices: '58\n\n 64 \n', answer: '64' }, about).body,
    { do: 'poll', act: 'open', question: 'What is C[0,1]?', kind: 'choice', choices: ['58', '64'], answer: '64', about });
  assert.equal('answer' in openPoll({ ...form, answer: ' ' }).body, false, 'a question may have no right answer');
  assert.ok(openPoll({ ...form, answer: '−0.5' }).body);
});

test('what the room would refuse is said beside its field', () => {
  const field = (change) => openPoll({ ...form, ...change }).field;
  assert.equal(field({ question: '  ' }), 'question');
  assert.equal(field({ question: '😀'.repeat(200) }), undefined, 'characters count, not units of UTF-16');
  assert.equal(field({ question: 'x'.repeat(201) }), 'question');
  assert.equal(field({ answer: 'sixty-four' }), 'answer');
  assert.equal(field({ kind: 'text', answer: 'x'.repeat(81) }), 'answer');
  assert.equal(field({ kind: 'choice', choices: '58' }), 'choices');
  assert.equal(field({ kind: 'choice', choices: '58\n58' }), 'choices');
  assert.equal(field({ kind: 'choice', choices: [...'123456789'].join('\n') }), 'choices');
  assert.equal(field({ kind: 'choice', choices: `58\n${'x'.repeat(81)}` }), 'choices');
  assert.equal(field({ kind: 'choice', choices: '58\n60' }), 'answer');
});

test('a note’s question is asked as it stands', () => {
  const note = { ask: 'Which?', kind: 'choice', choices: ['a', 'b'], answer: 'b', cell: [0, 0, 1] };
  assert.deepEqual(pollOfNote(note, { chapter: '01-one' }).body,
    { do: 'poll', act: 'open', question: 'Which?', kind: 'choice', choices: ['a', 'b'], answer: 'b', about: { chapter: '01-one', cell: '0,0,1' } });
});

test('the question of a cell has the answer that a note has, and no other', () => {
  const example = { id: 'first', kind: 'product', title: '' };
  const notes = [{ widget: 'other', cell: [0, 0, 1], answer: '7' }, { widget: 'first', cell: [0, 0, 1], answer: '64' }];
  assert.deepEqual(cellQuestion([0, 0, 1], example, notes), { question: 'What is C[0,1]?', answer: '64' });
  assert.deepEqual(cellQuestion([0, 1, 1], example, notes), { question: 'What is C[1,1]?', answer: '' });
});

test('answers are counted in words', () => {
  assert.equal(answered(1, 0), '1 answer');
  assert.equal(answered(12, 11), '12 answers', 'one who answered has left');
  assert.equal(answered(12, 30), '12 answers of 30');
});
