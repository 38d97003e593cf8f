#!/usr/bin/env node
/**
 * Writes the table of settings in docs/configuration.md from src/config/settings.ts.
 * A test fails when the two differ; then run `node scripts/settings-table.mjs`.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { settings } from '../src/config/settings.ts';
import { root } from './bootstrap/paths.mjs';

/** The table of all settings, in Markdown. */
export function settingsTable() {
  const rows = Object.entries(settings).map(([name, { fallback, description }]) => {
    const shown = fallback === null ? '' : `\`${fallback}\``;
    return `| \`${name}\` | ${shown} | ${description.replaceAll('|', '\\|')} |`;
  });
  return ['| setting | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = join(root, 'docs', 'configuration.md');
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(
      /(?<=<!-- settings\b[^>]*-->\n)[^]*(?=<!-- [/]settings -->)/,
      () => `\n${settingsTable()}\n\n`,
    ),
  );
  const prettier = join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs');
  spawnSync(process.execPath, [prettier, '--write', '--log-level', 'warn', file], { stdio: 'inherit' });
}
