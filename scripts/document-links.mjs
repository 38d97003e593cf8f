/** Finds the links of Markdown documents that lead nowhere. */
import { posix } from 'node:path';

/**
 * Returns what is wrong with the relative links of a document.
 *
 * @param {string} document its path, with `/`
 * @param {{ files: ReadonlySet<string>, read: (path: string) => string }} place the files that links may name
 * @returns {string[]}
 */
export function brokenLinks(document, { files, read }) {
  return linksOf(read(document)).flatMap((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? document : posix.join(posix.dirname(document), path).replace(/[/]$/, '');
    if (!files.has(target))
      return [...files].some((file) => file.startsWith(`${target}/`))
        ? []
        : [`${document} links to ${target}, which is not there`];
    if (anchor === undefined || !target.endsWith('.md')) return [];
    return anchorsOf(read(target)).has(anchor)
      ? []
      : [`${document} links to ${target}#${anchor}, and there is no such heading`];
  });
}

/**
 * The relative links outside of code.
 *
 * @param {string} text
 */
function linksOf(text) {
  const prose = text.replaceAll(/^```[^]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
    .map(([, link, attribute]) => String(link ?? attribute))
    .filter((link) => !/^[a-z]+:/.test(link));
}

/**
 * The anchors that GitHub and npm give to headings.
 *
 * @param {string} text
 */
function anchorsOf(text) {
  const headings = text.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
