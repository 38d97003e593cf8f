import { expect } from 'vitest';

/** Extracts the text of a PDF of the provider, after checking that each entry of its table points at its object. */
export function textOfPdf(bytes: Uint8Array): string {
  const pdf = Buffer.from(bytes).toString('latin1');
  expect(pdf).toMatch(/^%PDF-1\.4\n/);
  expect(pdf).toMatch(/%%EOF\n$/);
  const start = Number(/startxref\n(\d+)/.exec(pdf)?.[1]);
  const [, , ...entries] = pdf.slice(start, pdf.indexOf('trailer')).trimEnd().split('\n');
  for (const [index, entry] of entries.slice(1).entries()) {
    expect(entry).toMatch(/^\d{10} 00000 n ?$/);
    const id = String(index + 1);
    expect(pdf.slice(Number(entry.slice(0, 10)))).toMatch(new RegExp(`^${id} 0 obj\n`));
  }
  for (const [, length, stream] of pdf.matchAll(/\/Length (\d+) >>\nstream\n(.*?)\nendstream/gsu))
    expect(stream).toHaveLength(Number(length));
  return [...pdf.matchAll(/<([0-9a-f]*)> Tj/gu)]
    .map(([, text = '']) => Buffer.from(text, 'hex').toString('latin1'))
    .join('\n');
}
