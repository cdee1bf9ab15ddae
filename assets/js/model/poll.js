/**
 * A question to a class, as a presenter writes it and as the room takes it.
 * @module
 */
import { cellName } from './course.js';

/** Bounds of the room's, in characters. */
export const mostQuestion = 200;
export const mostAnswer = 80;
export const mostChoices = 8;

/**
 * @typedef {{question: string, kind: string, choices: string, answer: string}} Form choices: one a line
 * @typedef {{chapter: string, widget?: string, step?: number, cell?: string}} About
 */

/**
 * Makes a poll of what was typed.
 * @param {Form} form
 * @param {About | null} [about]
 * @returns {{body?: object, field?: keyof Form, fault?: string} & ({body: object} | {field: keyof Form, fault: string})}
 */
export function openPoll({ question, kind, choices, answer }, about = null) {
  const asked = question.trim();
  const fault = (field, text) => /** @type {any} */ ({ field, fault: text });
  if (asked === '') return fault('question', 'Write a question.');
  if (count(asked) > mostQuestion) return fault('question', `The question has ${count(asked)} characters, and ${mostQuestion} are the most.`);
  /** @type {Record<string, any>} */
  const body = { do: 'poll', act: 'open', question: asked, kind };
  const right = answer.trim();
  if (count(right) > mostAnswer) return fault('answer', `The right answer has ${count(right)} characters, and ${mostAnswer} are the most.`);
  if (kind === 'choice') {
    const all = choices.split('\n').map((line) => line.trim()).filter((line) => line !== '');
    if (all.length < 2) return fault('choices', 'Write two choices at least, one a line.');
    if (all.length > mostChoices) return fault('choices', `There are ${all.length} choices, and ${mostChoices} are the most.`);
    const long = all.find((line) => count(line) > mostAnswer);
    if (long) return fault('choices', `“${long.slice(0, 20)}…” has ${count(long)} characters, and ${mostAnswer} are the most.`);
    const twice = all.find((line, at) => all.indexOf(line) !== at);
    if (twice) return fault('choices', `“${twice}” is there twice.`);
    if (right && !all.includes(right)) return fault('answer', 'The right answer is none of the choices.');
    body.choices = all;
  }
  if (kind === 'number' && right && !Number.isFinite(Number(right.replace('−', '-')))) return fault('answer', `“${right}” is no number.`);
  if (right) body.answer = right;
  if (about) body.about = about;
  return { body };
}

/**
 * The question of a note, as it stands there.
 * @param {import('./course.js').Note} note
 * @param {About} about
 */
export function pollOfNote({ ask = '', kind = 'text', choices = [], answer = '', cell }, about) {
  return openPoll({ question: ask, kind, choices: choices.join('\n'), answer }, cell ? { ...about, cell: cell.join(',') } : about);
}

/**
 * The question what a cell is. Its answer is what a note says of the cell, if one does.
 * @param {number[]} cell
 * @param {import('./course.js').Example | null} example
 * @param {import('./course.js').Note[]} notes of the chapter
 * @returns {{question: string, answer: string}}
 */
export function cellQuestion(cell, example, notes) {
  const known = notes.find((n) => n.widget === example?.id && n.answer && n.cell?.join() === cell.join());
  return { question: `What is ${cellName(cell, example)}?`, answer: known?.answer ?? '' };
}

/** How many have answered, in words, of how many who are there. */
export function answered(total, here) {
  const people = `${total} ${total === 1 ? 'answer' : 'answers'}`;
  return here >= total && here > 0 ? `${people} of ${here}` : people;
}

/** How high a chart of so many answers is drawn: a row each, and its axis and legend. @param {number} answers */
export const chartHeight = (answers) => `${2.2 * answers + 3}rem`;

function count(text) {
  return [...text].length;
}
