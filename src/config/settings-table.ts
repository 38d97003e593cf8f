import { settings } from './settings.ts';

/** README's table of all settings, in Markdown. A test holds README to it. */
export function settingsTable(): string {
  const rows = Object.entries(settings).map(([name, { fallback, description }]) => {
    const shown = fallback === null ? '' : `\`${fallback}\``;
    return `| \`${name}\` | ${shown} | ${description.replaceAll('|', '\\|')} |`;
  });
  return ['| setting | default | what it is |', '| --- | --- | --- |', ...rows].join('\n');
}
