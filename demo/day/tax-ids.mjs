import { keyedRandom } from './keyed-random.mjs';

/**
 * A CPF with check digits.
 *
 * @param {number} seed
 * @param {string} key identifies the holder
 */
export function cpfOf(seed, key) {
  return withCheckDigits(digits(seed, key, 9), Infinity);
}

/**
 * The CNPJ of a head office (`0001`), with check digits.
 *
 * @param {number} seed
 * @param {string} key identifies the holder
 */
export function cnpjOf(seed, key) {
  return withCheckDigits(`${digits(seed, key, 8)}0001`, 9);
}

/**
 * @param {number} seed
 * @param {string} key
 * @param {number} count
 */
function digits(seed, key, count) {
  return String(Math.floor(keyedRandom(seed, `tax id of ${key}`) * 10 ** count)).padStart(count, '0');
}

/**
 * @param {string} base
 * @param {number} heaviest weights restart after it
 */
function withCheckDigits(base, heaviest) {
  const first = base + checkDigit(base, heaviest);
  return first + checkDigit(first, heaviest);
}

/**
 * @param {string} text
 * @param {number} heaviest
 */
function checkDigit(text, heaviest) {
  let sum = 0;
  let weight = 2;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    sum += Number(text[at]) * weight;
    weight = weight === heaviest ? 2 : weight + 1;
  }
  const rest = sum % 11;
  return rest < 2 ? '0' : String(11 - rest);
}
