/**
 * Keeps what a page shows of the exercises true while it is open: when the learner's
 * folder changes, the page of all exercises is looked at again, and what is other
 * on it takes the place of what this page has.
 * @module
 */
import './copy.js';
import { el, say } from './dom.js';
import { morph } from './morph.js';
import { live } from './page.js';

/** Milliseconds without news until they are told: a save and its check follow each other. */
const quiet = 700;

/** Begins to follow. */
export function followExercises() {
  const meta = document.querySelector('meta[name="wb-exercises"]');
  let shown = meta?.getAttribute('content') ?? '';
  let wanted = shown;
  let looking = false;
  const told = el('p', { class: 'unseen', role: 'status' });
  document.body.append(told);
  const tell = teller(told);

  const hear = () => {
    wanted = live.exercises?.[meta?.getAttribute('data-chapter') ?? ''] ?? shown;
    if (!looking) look();
  };
  live.addEventListener('exercises', hear);
  hear(); // what came before this module did

  /** Looks until what is shown is what is wanted. */
  async function look() {
    looking = true;
    while (shown !== wanted) {
      const version = wanted;
      try {
        tell(show(await load('/exercises')));
      } catch (error) {
        // The next news or the next connection brings another look.
        console.info('the exercises could not be looked at', error);
        break;
      }
      shown = version;
    }
    looking = false;
  }
}

/**
 * Another look at a page of this workbench, as the browser itself reads pages: what
 * is in it is what a reload would show, and no script in it runs.
 * @returns {Promise<Document>}
 */
function load(address) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', address);
    request.responseType = 'document';
    request.addEventListener('load', () => {
      if (request.status === 200 && request.responseXML) resolve(request.responseXML);
      else reject(new Error(`status ${request.status}`));
    });
    request.addEventListener('error', () => reject(new Error('no answer')));
    request.send();
  });
}

/**
 * Takes over what is other.
 * @param {Document} page
 * @returns {[string, string][]} of which part there is what to say
 */
function show(page) {
  const news = [];
  const stay = steady();
  for (const part of parts(document)) {
    const other = page.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
    if (!other) continue;
    const { say: sentence = '' } = /** @type {HTMLElement} */ (other).dataset;
    if (sentence && sentence !== part.dataset.say) news.push([part.dataset.part, sentence]);
    morph(part, other);
  }
  stay();
  return news;
}

function parts(of) {
  return /** @type {HTMLElement[]} */ ([...of.querySelectorAll('[data-part]')]);
}

/**
 * Remembers where the reader is: what has the focus and is to be seen, or else the
 * first that is. Browsers keep the place by themselves only where little changes.
 * @returns {() => void} goes back there
 */
function steady() {
  const inView = (one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };
  const focused = document.activeElement?.closest('main') && document.activeElement;
  const anchor = focused && inView(focused) ? focused : [...document.querySelectorAll('.prose > *, .exercise > *, .chapter-list > *')].find(inView);
  const top = anchor?.getBoundingClientRect().top ?? 0;
  return () => {
    if (anchor?.isConnected) scrollBy({ top: anchor.getBoundingClientRect().top - top, behavior: 'instant' });
  };
}

/** Says what is new once it is quiet: of each part the last only, exercises before counts. */
function teller(place) {
  /** @type {Map<string, string>} */
  const waiting = new Map();
  let timer = 0;
  return (news) => {
    for (const [part, sentence] of news) waiting.set(part, sentence);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const ofExercise = ([part]) => part.startsWith('exercise-');
      const all = [...waiting];
      say(place, [...all.filter(ofExercise), ...all.filter((one) => !ofExercise(one))].map(([, sentence]) => sentence).join(' '));
      waiting.clear();
    }, quiet);
  };
}
