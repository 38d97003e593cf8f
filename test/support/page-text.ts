/** Text of a page without markup, on one line. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]+>/gu, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}
