/**
 * Walking through a table of cells by keys.
 * @module
 */

/** @typedef {{row: number, column: number}} Cell */

/**
 * Where a key leads from a cell, within the table; null if it is no key for walking.
 * @param {{key: string, ctrlKey: boolean}} event
 * @param {Cell} from
 * @param {{rows: number, columns: number, page?: number}} table page: the rows of PageUp and PageDown; without it they do not walk
 * @returns {Cell | null}
 */
export function walk({ key, ctrlKey }, { row, column }, { rows, columns, page }) {
  switch (key) {
    case 'ArrowUp': row--; break;
    case 'ArrowDown': row++; break;
    case 'ArrowLeft': column--; break;
    case 'ArrowRight': column++; break;
    case 'PageUp':
    case 'PageDown':
      if (!page) return null;
      row += key === 'PageUp' ? -page : page;
      break;
    case 'Home':
      column = 0;
      if (ctrlKey) row = 0;
      break;
    case 'End':
      column = columns - 1;
      if (ctrlKey) row = rows - 1;
      break;
    default: return null;
  }
  return { row: Math.min(Math.max(0, row), rows - 1), column: Math.min(Math.max(0, column), columns - 1) };
}
