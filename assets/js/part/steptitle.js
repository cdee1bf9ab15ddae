/**
 * What a reader hears of the steps to which a lesson moves the page's examples.
 * @module
 */
import { announce } from './announce.js';
import { captionOf } from './front.js';

/** Where the lesson went, once for many steps. */
export function announceStep(widget) {
  clearTimeout(announceStep.timer);
  announceStep.timer = setTimeout(() => {
    // The tables that the server wrote have titles too, one for each step.
    const title = document.getElementById(widget)?.querySelector('.widget-live .step-title')?.textContent;
    if (title) announce('step', `${captionOf(widget)}: ${title}`);
  }, 300);
}
announceStep.timer = 0;

/** While the lesson moves the page, a widget's own title is silent: the page says it once. */
export function quietTitles(quiet) {
  for (const title of document.querySelectorAll('[role="status"].step-title')) {
    if (quiet) title.setAttribute('aria-live', 'off');
    else title.removeAttribute('aria-live');
  }
}
