/**
 * The course as a presenter's desk knows it: which examples a chapter has, what their
 * steps are called, and which notes belong to a place.
 * @module
 */

/**
 * @typedef {import('./room.js').View} View
 * @typedef {{widget?: string, block?: number, heading?: string, section?: string, from?: number, to?: number, line?: number,
 *   phase?: number, minutes?: number, ask?: string, kind?: string, choices?: string[], answer?: string, cell?: number[]}} Note
 * @typedef {{title: string, cell?: number[]}} Step
 * @typedef {{id: string, kind: string, title: string, block?: number, step?: number, last?: number, cell?: number[], steps?: Step[]}} Example
 * @typedef {{slug: string, number?: number, title: string, widgets: Example[], notes: Note[]}} Chapter
 * @typedef {{widget?: string, block?: number, step?: number, phase?: string}} Spot a place of a chapter
 */

/** Examples whose chosen element stays from step to step: that of others belongs to its step. */
const keepsCell = ['view', 'kernel'];

export class Course {
  /** @param {{chapters: Chapter[]}} data */
  constructor({ chapters }) {
    this.chapters = chapters;
  }

  /** @returns {Chapter | null} */
  chapter(slug) {
    return this.chapters.find((c) => c.slug === slug) ?? null;
  }

  /** @returns {Example | null} */
  example(slug, id) {
    return this.chapter(slug)?.widgets.find((w) => w.id === id) ?? null;
  }

  /**
   * The example before or after another in its chapter; the first or the last where none is in front.
   * @param {string} slug
   * @param {string} id "" for none
   * @param {1 | -1} way
   * @returns {Example | null}
   */
  beside(slug, id, way) {
    const all = this.chapter(slug)?.widgets ?? [];
    const at = all.findIndex((w) => w.id === id);
    if (at < 0) return id ? null : all.at(way > 0 ? 0 : -1) ?? null;
    return all[at + way] ?? null;
  }

  /**
   * The example below a place of the text, or above it; the first of the chapter where no place is in front.
   * @param {string} slug
   * @param {number | undefined} block
   * @param {1 | -1} way
   * @returns {Example | null}
   */
  near(slug, block, way) {
    const all = this.chapter(slug)?.widgets ?? [];
    const from = block ?? 0;
    return (way > 0 ? all.find((w) => (w.block ?? 0) >= from) : all.findLast((w) => (w.block ?? 0) < from)) ?? null;
  }

  /** What a chapter is called, with its number. */
  titleOf(slug) {
    const c = this.chapter(slug);
    if (!c) return slug;
    return c.number ? `${c.number}. ${c.title}` : c.title;
  }

  /**
   * What a step of an example is called, "" where that is not known: another run than the page's has other steps.
   * @param {string} slug
   * @param {string} id
   * @param {number} step
   * @param {View | null} view
   */
  stepTitle(slug, id, step, view) {
    if (view?.ran) return '';
    return this.example(slug, id)?.steps?.[step]?.title ?? '';
  }
}

/**
 * The view of an example that nobody has touched: the chapter's own.
 * @param {Example | null} example
 * @returns {View}
 */
export function untouched(example) {
  const { step = 0, cell } = example ?? {};
  return { place: { step, ...(cell && { cell: cell.join(',') }) }, texts: null, ran: null, running: false, last: example?.last ?? 0 };
}

/**
 * Which step a view is at. Tiles stand at a phase, or at all of them first.
 * @param {View} view
 * @param {string} kind
 */
export function stepOf(view, kind) {
  if (kind !== 'tiles') return view.place?.step ?? 0;
  const phase = view.place?.phase ?? '';
  return /^\d{1,6}$/.test(phase) ? Number(phase) + 1 : 0;
}

/**
 * The same view at another step; null where there is no such step, or no other.
 * @param {View} view
 * @param {string} kind
 * @param {number} step
 * @returns {View | null}
 */
export function atStep(view, kind, step) {
  const to = Math.max(0, Math.min(step, view.last ?? 0));
  if (to === stepOf(view, kind)) return null;
  const place = { ...view.place };
  if (kind === 'tiles') {
    place.phase = to === 0 ? 'all' : String(to - 1);
  } else {
    place.step = to;
    if (!keepsCell.includes(kind)) delete place.cell;
  }
  return { ...view, place };
}

/**
 * Which notes belong to a place: those of the step, and those of all of what is in front
 * with those of the text before it in the same section. The block of a widget is where it stands.
 * @param {Note[]} notes in the order of the chapter's text
 * @param {Spot} spot
 * @returns {{step: number[], around: number[]}} places in notes
 */
export function notesAt(notes, spot) {
  const found = { step: /** @type {number[]} */ ([]), around: /** @type {number[]} */ ([]) };
  // What has no notes of its own, as a ladder, has those of the text that it stands in.
  if (spot.widget && (spot.block === undefined || notes.some((n) => n.widget === spot.widget))) {
    const own = notes.findIndex((n) => n.widget === spot.widget);
    notes.forEach((n, at) => {
      if (n.widget === spot.widget) {
        if (!ofSteps(n)) found.around.push(at);
        else if (covers(n, spot)) found.step.push(at);
      } else if (!n.widget && own >= 0 && at < own && n.section === notes[own].section) {
        found.around.push(at);
      }
    });
    return found;
  }
  // The text's last note before the block, if it is of the block's own section.
  const before = notes.reduce((best, n, at) => ((n.block ?? 0) <= (spot.block ?? 0) ? at : best), -1);
  if (before < 0) return found;
  const { section } = notes[before];
  notes.forEach((n, at) => {
    if (at <= before && !n.widget && n.section === section) found.around.push(at);
  });
  return found;
}

/** Whether a note is about some steps, and not about the whole. */
function ofSteps(note) {
  return note.from !== undefined || note.phase !== undefined;
}

function covers(note, { step = 0, phase }) {
  if (note.from !== undefined) return note.from <= step && step <= (note.to ?? note.from);
  return phase !== undefined && String(note.phase) === phase;
}

/**
 * Minutes that a chapter's notes plan: of all of it, and up to and with some of them.
 * @param {Note[]} notes
 * @param {number[]} here places in notes
 */
export function planned(notes, here) {
  const last = Math.max(-1, ...here);
  let [all, sofar] = [0, 0];
  notes.forEach(({ minutes = 0 }, at) => {
    all += minutes;
    if (at <= last) sofar += minutes;
  });
  return { all, sofar };
}

/**
 * The cell of a product that is in front, [batch, row, column]; null where there is none.
 * @param {Example | null} example
 * @param {View | null} view
 * @returns {number[] | null}
 */
export function cellInFront(example, view) {
  if (example?.kind !== 'product' || !view) return null;
  const named = /^(\d{1,9}),(\d{1,9}),(\d{1,9})$/.exec(view.place?.cell ?? '');
  if (named) return named.slice(1).map(Number);
  if (view.ran) return null;
  return example.steps?.[stepOf(view, example.kind)]?.cell ?? null;
}

/**
 * What a cell is called: of a product of single matrices without the batch.
 * @param {number[]} cell
 * @param {Example | null} example
 */
export function cellName(cell, example) {
  const batched = cell[0] > 0 || (example?.steps ?? []).some((s) => (s.cell?.[0] ?? 0) > 0);
  return `C[${(batched ? cell : cell.slice(1)).join(',')}]`;
}
