/** Writes pages of text as PDF files. */
import type { PageOfText } from './page-of-text.ts';

const LINES_PER_PAGE = 44;
const CHARACTERS_PER_LINE = 84;

/**
 * Writes a PDF 1.4 document of A4 pages in the standard fonts. Characters beyond
 * Latin-1 become question marks.
 */
export function pdfDocument({ title, lines }: PageOfText): Uint8Array {
  const pages = pagesOf(lines.flatMap(wrapped));
  const ids = pages.map((_, page) => 5 + 2 * page);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${String(ids.length)} /Kids [${ids.map((id) => `${String(id)} 0 R`).join(' ')}] >>`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    ...pages.flatMap((page, index) => {
      const drawn = drawing(title, page);
      return [
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] ' +
          `/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${String((ids[index] ?? 0) + 1)} 0 R >>`,
        `<< /Length ${String(drawn.length)} >>\nstream\n${drawn}\nendstream`,
      ];
    }),
  ];
  // All ASCII, so string lengths are byte lengths.
  return new TextEncoder().encode(assembled(objects));
}

function font(name: string): string {
  return `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
}

function drawing(title: string, lines: readonly string[]): string {
  const written = lines.map((line) => `${hex(line)} Tj T*`);
  return `BT /F2 15 Tf 56 776 Td ${hex(title)} Tj /F1 11 Tf 0 -32 Td 16 TL\n${written.join('\n')}\nET`;
}

function hex(text: string): string {
  const printable = text.replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/gu, '?');
  return `<${Buffer.from(printable, 'latin1').toString('hex')}>`;
}

function pagesOf(lines: readonly string[]): string[][] {
  const count = Math.max(1, Math.ceil(lines.length / LINES_PER_PAGE));
  return Array.from({ length: count }, (_, page) =>
    lines.slice(page * LINES_PER_PAGE, (page + 1) * LINES_PER_PAGE),
  );
}

/** Wraps a line, between words where possible. Payment codes have no spaces. */
function wrapped(line: string): string[] {
  const broken: string[] = [];
  let rest = line;
  while (rest.length > CHARACTERS_PER_LINE) {
    const space = rest.lastIndexOf(' ', CHARACTERS_PER_LINE);
    const end = space > 0 ? space : CHARACTERS_PER_LINE;
    broken.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...broken, rest];
}

/** Joins the objects, numbered from 1, and the table of their offsets. */
function assembled(objects: readonly string[]): string {
  let text = '%PDF-1.4\n';
  let table = '0000000000 65535 f \n';
  for (const [index, object] of objects.entries()) {
    table += `${String(text.length).padStart(10, '0')} 00000 n \n`;
    text += `${String(index + 1)} 0 obj\n${object}\nendobj\n`;
  }
  const size = String(objects.length + 1);
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${String(text.length)}\n%%EOF\n`;
  return `${text}xref\n0 ${size}\n${table}${trailer}`;
}
