/** Prints the measurements of a test in one line. */
export function printFigures(what: string, figures: Readonly<Record<string, number | string>>): void {
  const text = Object.entries(figures).map(([name, value]) => `${name}=${String(value)}`);
  process.stdout.write(`  ${what}: ${text.join(' ')}\n`);
}

/** Formats bytes in MiB. */
export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)}MiB`;
}
