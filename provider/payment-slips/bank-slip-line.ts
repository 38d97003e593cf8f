/** What a bank slip says to whoever scans or types it. */
export interface BankSlip {
  /** In reais; null leaves it to the payer. */
  readonly amount: number | null;
  /** `YYYY-MM-DD` */
  readonly dueDate: string;
  /** The issuer's number of the slip, up to 25 digits. */
  readonly number: number;
}

/** Belongs to no bank, so that nobody can pay what a stand-in issues. */
const BANK = '999';
const REAIS = '9';

/**
 * The typed line of a bank slip, 47 digits, by FEBRABAN's rules: three blocks of
 * the free field, each with a check digit modulo 10, the check digit modulo 11
 * of the whole code, and due date and amount.
 */
export function bankSlipLine({ amount, dueDate, number }: BankSlip): string {
  const head = `${BANK}${REAIS}`;
  const tail = `${dueFactor(dueDate)}${String(Math.round((amount ?? 0) * 100)).padStart(10, '0')}`;
  const free = String(number).padStart(25, '0');
  const blocks = [`${head}${free.slice(0, 5)}`, free.slice(5, 15), free.slice(15)];
  const typed = blocks.map((block) => `${block}${String(modulo10(block))}`).join('');
  return `${typed}${String(modulo11(`${head}${tail}${free}`))}${tail}`;
}

const DAY_MS = 86_400_000;

/**
 * The day in four digits: days since 1997-10-07, which ran out after 9999 on
 * 2025-02-21 and went on with 1000.
 */
function dueFactor(day: string): string {
  const days = (Date.parse(`${day}T00:00:00Z`) - Date.UTC(1997, 9, 7)) / DAY_MS;
  return String(((days - 1000) % 9000) + 1000);
}

/** Weights 2 and 1 from the right; of a product of two digits the digits count. */
function modulo10(digits: string): number {
  let sum = 0;
  for (const [index, digit] of fromTheRight(digits).entries()) {
    const product = Number(digit) * (index % 2 === 0 ? 2 : 1);
    sum += product > 9 ? product - 9 : product;
  }
  return (10 - (sum % 10)) % 10;
}

/** Weights 2 to 9 from the right, over and over; 1 where the rule has no digit. */
function modulo11(digits: string): number {
  let sum = 0;
  for (const [index, digit] of fromTheRight(digits).entries()) sum += Number(digit) * (2 + (index % 8));
  const digit = 11 - (sum % 11);
  return digit > 9 ? 1 : digit;
}

function fromTheRight(digits: string): string[] {
  return digits.split('').reverse();
}
