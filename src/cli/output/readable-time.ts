/**
 * An ISO instant as people read it: `2026-11-21 04:01:07Z`. `--since` and
 * `--until` take it back.
 */
export function readableTime(iso: string | null): string {
  if (iso === null) return '';
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}Z`;
}
