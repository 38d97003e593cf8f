/** The typed line of a bank slip, from its amount, due date and number. */
import { DAY_MS } from '../../src/kernel/time/durations.ts';

/** The data that a bank slip encodes. */
export interface BankSlip {
  /** In reais; null lets the payer choose. */
  readonly amount: number | null;
  /** `YYYY-MM-DD` */
  readonly dueDate: string;
  /** Number that the issuer gives the slip, up to 25 digits. */
  readonly number: number;
}

/** Code of no existing bank, so that a slip cannot be paid. */
const BANK = '999';
/** Currency code of the real. */
const REAIS = '9';

/**
 * Formats the typed line of a bank slip by FEBRABAN's rules: 47 digits. Three
 * blocks of the free field, each with a check digit modulo 10, then the check
 * digit modulo 11 of the whole code, the due date and the amount.
 */
export function bankSlipLine({ amount, dueDate, number }: BankSlip): string {
  const head = `${BANK}${REAIS}`;
  const tail = `${dueFactor(dueDate)}${String(Math.round((amount ?? 0) * 100)).padStart(10, '0')}`;
  const free = String(number).padStart(25, '0');
  const blocks = [`${head}${free.slice(0, 5)}`, free.slice(5, 15), free.slice(15)];
  const typed = blocks.map((block) => `${block}${String(modulo10(block))}`).join('');
  return `${typed}${String(modulo11(`${head}${tail}${free}`))}${tail}`;
}

/**
 * Encodes a day as four digits: days since 1997-10-07. The counter restarts at
 * 1000 after 9999, which was 2025-02-21.
 */
function dueFactor(day: string): string {
  const days = (Date.parse(`${day}T00:00:00Z`) - Date.UTC(1997, 9, 7)) / DAY_MS;
  return String(((days - 1000) % 9000) + 1000);
}

/** Weights 2 and 1 from the right. A product of two digits counts as the sum of its digits. */
function modulo10(digits: string): number {
  let sum = 0;
  for (const [index, digit] of fromTheRight(digits).entries()) {
    const product = Number(digit) * (index % 2 === 0 ? 2 : 1);
    sum += product > 9 ? product - 9 : product;
  }
  return (10 - (sum % 10)) % 10;
}

/** Weights 2 to 9 from the right, repeated. The digit is 1 when the remainder gives none. */
function modulo11(digits: string): number {
  let sum = 0;
  for (const [index, digit] of fromTheRight(digits).entries()) sum += Number(digit) * (2 + (index % 8));
  const digit = 11 - (sum % 11);
  return digit > 9 ? 1 : digit;
}

function fromTheRight(digits: string): string[] {
  return digits.split('').reverse();
}
