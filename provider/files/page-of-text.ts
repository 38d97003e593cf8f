/** What a file says: a title, and lines below it; an empty one leaves room. */
export interface PageOfText {
  readonly title: string;
  readonly lines: readonly string[];
}

/** `Vencimento: 31/03/2026`, or nothing where there is no value. */
export function labelled(label: string, value: string | number | null): string[] {
  return value === null ? [] : [`${label}: ${String(value)}`];
}

/** `R$ 104,13` */
export function reaisText(amount: number | null): string | null {
  return amount === null ? null : `R$ ${amount.toFixed(2).replace('.', ',')}`;
}

/** `YYYY-MM-DD`, also at the beginning of an instant, as `31/03/2026`. */
export function dayText(day: string | null): string | null {
  return day === null ? null : day.slice(0, 'YYYY-MM-DD'.length).split('-').reverse().join('/');
}
