/** Which licence expressions are allowed. */

// @ts-expect-error It has no types of its own.
import parseExpression from 'spdx-expression-parse';

/**
 * A parsed SPDX licence expression.
 *
 * @typedef {{ license: string, plus?: true, exception?: string }} Licence
 * @typedef {Licence | { left: Expression, conjunction: 'and' | 'or', right: Expression }} Expression
 */

/** @type {(expression: string) => Expression} */
const parse = parseExpression;

/** Allowed for packages that ship. They require no more than their notice. */
const everywhere = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

/** Also allowed for packages that only build and test, which are not distributed. */
const inDevelopment = new Set(['CC-BY-3.0', 'CC-BY-4.0', 'MPL-2.0', 'PSF-2.0']);

/** Names that are no SPDX identifiers, of packages whose licence texts were read. htmx 4 has that of 0BSD. */
export const misnamed = new Map([['BSD-0-Clause', '0BSD']]);

/**
 * Whether a licence expression is allowed: one side of an OR, both sides of an AND.
 * A licence with an exception, or with "or later", counts as another licence.
 *
 * @param {string} expression
 * @param {{ isDevelopment: boolean }} use
 */
export function isAllowed(expression, { isDevelopment }) {
  try {
    return fits(parse(misnamed.get(expression) ?? expression));
  } catch {
    // `SEE LICENSE IN …`, `UNLICENSED`, and other strings that are no expression.
    return false;
  }

  /**
   * @param {Expression} node
   * @returns {boolean}
   */
  function fits(node) {
    if ('conjunction' in node) {
      const sides = [node.left, node.right];
      return node.conjunction === 'or' ? sides.some(fits) : sides.every(fits);
    }
    if (node.exception !== undefined || node.plus) return false;
    return everywhere.has(node.license) || (isDevelopment && inDevelopment.has(node.license));
  }
}
