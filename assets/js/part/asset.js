/**
 * The addresses of what a page loads beside its script.
 * @module
 */

/**
 * Whatever module asks, a page has it as part of js/main.js or js/desk.js, and that is
 * what the address is relative to.
 * @param {string} name a file of assets, as icons/controls.svg
 */
export const asset = (name) => new URL(`../${name}`, import.meta.url).href;
