/** A walk through every page of the console, and the words that it shows beside names and code. */
import type { Visit } from './console-browser.ts';

/** Pages of one shape that are visited, such as those of events. */
const OF_A_SHAPE = 5;

/** Follows every link from the given pages on. Returns the pages that answered, by their addresses. */
export async function walkPages(
  visit: Visit,
  from: readonly string[],
  headers: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  const waiting = [...from];
  const met = new Set(from);
  const shapes = new Map<string, number>();
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const shape = shapeOf(path);
    const before = shapes.get(shape) ?? 0;
    if (before >= OF_A_SHAPE) continue;
    shapes.set(shape, before + 1);
    const { html, headers: answered, location } = await visit.open(path, headers);
    if (answered.get('content-type')?.startsWith('text/html') === true) pages.set(path, html);
    for (const link of location === null ? linksOf(html) : [location])
      if (!met.has(link)) {
        met.add(link);
        waiting.push(link);
      }
  }
  return pages;
}

/** The addresses of the console that a page links to. */
function linksOf(html: string): readonly string[] {
  return [...html.matchAll(/<a [^>]*href="(\/[^"#]*)/gu)].map(([, href]) =>
    (href ?? '').replaceAll('&amp;', '&'),
  );
}

/** An address with its ids and the values of its filters left out. */
function shapeOf(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://console');
  const names = [...new Set(searchParams.keys())].toSorted().join('&');
  return `${pathname.split('/').slice(0, 2).join('/')}/${String(pathname.split('/').length)}?${names}`;
}

/** Elements whose text is a name, a state of the contract, a payload, a command or quoted. */
const CODE = /<(code|pre|kbd|script|style|textarea|samp|q)\b[^>]*>.*?<\/\1>/gsu;
const MONO = /<(td|span|dd|dt|h1|p|a|tspan|text) [^>]*class="[^"]*\bmono\b[^"]*"[^>]*>.*?<\/\1>/gsu;

/** The words of a page, apart from names and code: each text node, and what is read aloud or shown on hover. */
export function proseOf(html: string): readonly string[] {
  const plain = html.replaceAll(CODE, '<x>').replaceAll(MONO, '<x>');
  const named = [...plain.matchAll(/ (?:aria-label|title|placeholder|data-head|alt)="([^"]*)"/gu)];
  const texts = plain.replaceAll(/<[^>]*>/gu, '\n').split('\n');
  return [...new Set([...texts, ...named.map(([, text]) => text ?? '')].map((text) => text.trim()))].filter(
    (text) => text !== '',
  );
}
