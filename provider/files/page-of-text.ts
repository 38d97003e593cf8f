/** The content of a file: a title and lines. An empty line is a blank line. */
export interface PageOfText {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Formats a line such as `Vencimento: 31/03/2026`; none for null. */
export function labelled(label: string, value: string | number | null): string[] {
  return value === null ? [] : [`${label}: ${String(value)}`];
}

/** Formats an amount in reais, as in `R$ 104,13`. */
export function reaisText(amount: number | null): string | null {
  return amount === null ? null : `R$ ${amount.toFixed(2).replace('.', ',')}`;
}

/** Formats the day of `YYYY-MM-DD` or of an instant, as in `31/03/2026`. */
export function dayText(day: string | null): string | null {
  return day === null ? null : day.slice(0, 'YYYY-MM-DD'.length).split('-').reverse().join('/');
}
