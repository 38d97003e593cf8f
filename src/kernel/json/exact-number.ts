/** Compares JSON numbers of any size by their digits. */

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/u;

/** Whether a text is a number as JSON spells it. */
export function isJsonNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u.test(text);
}

/** A decimal number without rounding: `0.d1d2d3… × 10^scale`. */
interface Decimal {
  readonly sign: -1 | 0 | 1;
  /** Without zeros at either end. */
  readonly digits: string;
  readonly scale: number;
}

/**
 * Compares two numbers as they are spelled, without rounding them: 1.10 equals 1.1, and
 * 12345678901234567890 is less than 12345678901234567891.
 *
 * @returns less than 0, 0, or more than 0
 */
export function compareNumbers(one: string, other: string): number {
  const [a, b] = [decimalOf(one), decimalOf(other)];
  if (a.sign !== b.sign) return a.sign - b.sign;
  if (a.scale !== b.scale) return a.scale < b.scale ? -a.sign : a.sign;
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -a.sign : a.sign;
}

function decimalOf(text: string): Decimal {
  const [, minus, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const all = whole + fraction;
  const digits = all.replace(/^0+/u, '');
  if (digits === '') return { sign: 0, digits: '', scale: 0 };
  return {
    sign: minus === '-' ? -1 : 1,
    digits: digits.replace(/0+$/u, ''),
    scale: whole.length - (all.length - digits.length) + Number(exponent),
  };
}
