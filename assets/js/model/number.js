/**
 * How a number is written and read. Nothing here computes: a number that came
 * in a trace leaves with the same bits, as the shortest decimal that names it.
 * @module
 */

/**
 * A number as a trace carries it: what JSON cannot hold comes as one of the
 * strings "NaN", "Infinity" and "-Infinity".
 * @typedef {number | string} TraceNumber
 */

/**
 * Writes the shortest decimal that reads back to the same bits, as the page's
 * own tables do.
 * @param {TraceNumber | null | undefined} x
 * @returns {string}
 */
export function show(x) {
  if (x === null || x === undefined) return '';
  // String(-0) is "0", which names another number.
  return Object.is(x, -0) ? '-0' : String(x);
}

/**
 * Writes a number in a sentence, with the signs that a step's title has.
 * @param {TraceNumber | null | undefined} x
 */
export function sign(x) {
  return show(x).replace(/^-/, '−').replace('Infinity', '∞');
}

/**
 * Writes a number in at most `digits` significant digits, for a narrow table.
 * @param {TraceNumber | null | undefined} x
 * @param {number} digits
 * @returns {{text: string, exact: boolean}} exact is false where digits were left out
 */
export function short(x, digits) {
  const whole = show(x);
  if (typeof x !== 'number' || !Number.isFinite(x)) return { text: whole, exact: true };
  if (whole.replace(/^-|\.|e.*$/g, '').length <= digits) return { text: whole, exact: true };
  const text = show(Number(x.toPrecision(digits)));
  return text.length < whole.length ? { text, exact: false } : { text: whole, exact: true };
}

/**
 * Writes a number as the server's JSON and CSV do, so that a file made in the
 * page has the same bytes: Go's strconv.FormatFloat(x, 'g', -1, 64).
 * @param {TraceNumber} x
 * @returns {string}
 */
export function spell(x) {
  if (typeof x !== 'number') return x;
  if (!Number.isFinite(x)) return String(x);
  if (x === 0) return show(x);
  const [mantissa, exponentText] = x.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 6) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  return plain(mantissa, exponent);
}

/** Writes mantissa·10^exponent without an exponent. */
function plain(mantissa, exponent) {
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const rest = digits.slice(exponent + 1);
  return sign + whole + (rest ? '.' + rest : '');
}

const scratch = new DataView(new ArrayBuffer(8));

/**
 * Writes the 64 bits of a number as 16 hex digits. A NaN that came by name has
 * lost its bits, and gives "".
 * @param {TraceNumber} x
 * @returns {string}
 */
export function bits(x) {
  const value = typeof x === 'number' ? x : { Infinity, '-Infinity': -Infinity }[x];
  if (value === undefined || Number.isNaN(value)) return '';
  scratch.setFloat64(0, value);
  return scratch.getBigUint64(0).toString(16).padStart(16, '0');
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Reads a number that a person wrote. What JSON cannot hold has the name that a
 * trace gives it: the course has examples of what becomes of a NaN.
 * @param {string} text
 * @returns {{value: TraceNumber, error?: undefined} | {value?: undefined, error: string}}
 */
export function parse(text) {
  // A word processor's minus is a different character from the keyboard's.
  const plainText = text.trim().replace(/^\u2212/, '-');
  if (plainText === '') return { error: 'is empty: write a number' };
  if (/^[+-]?nan$/i.test(plainText)) return { value: 'NaN' };
  if (/^[+-]?(inf|infinity|∞)$/i.test(plainText)) return { value: plainText.startsWith('-') ? '-Infinity' : 'Infinity' };
  if (/^[+-]?\d+,\d+$/.test(plainText)) {
    return { error: `“${text}” has a comma: write ${plainText.replace(',', '.')}` };
  }
  if (!decimal.test(plainText)) return { error: `“${text}” is not a number` };
  const value = Number(plainText);
  if (!Number.isFinite(value)) return { error: `“${text}” is larger than a float64 can hold` };
  return { value };
}

/**
 * Writes a value as JSON, exactly: a negative zero keeps its sign, which
 * JSON.stringify drops.
 * @param {unknown} value
 * @param {(x: number) => string} [number] how a number is written
 * @returns {string}
 */
export function encode(value, number = show) {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError(`${value} is not a JSON number`);
    return number(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => encode(item, number)).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => `${JSON.stringify(name)}:${encode(member, number)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}
