#!/usr/bin/env node
/**
 * Writes the settings in docs/configuration.md from src/config/settings.ts, by how often one needs them.
 * A test fails when the two differ; then run `node scripts/settings-table.mjs`.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { settings } from '../src/config/settings.ts';
import { root } from './bootstrap/paths.mjs';

/**
 * A setting is in the first group whose pattern its name matches, without `PORTARIA_`.
 *
 * @type {[title: string, pattern: RegExp][]}
 */
const groups = [
  ['On the first day', /^(HOST|PORT|DATABASE|VERIFY|SECRETS|HANDLERS|FORWARD_URL)$/],
  [
    'Before production',
    /^(FORWARD_SECRET|API_.*|OPS_(HOST|PORT|(VIEW_)?TOKEN)|KEEP_.*|BACKUP_DIR|ALERT_.*|RECONCILE)$/,
  ],
  ['Senders', /^(VERIFY_.*|MESSAGE_ID_HEADER|TRUST_.*|SOURCES|MAX_.*|BODY_.*|ON_.*)$/],
  ['Handlers and forward', /^(HANDLERS|CONCURRENCY|FORWARD)/],
  ['Operators', /^(OPS|SAMPLES|EXPECT|RECONCILE|DISK|LOG)/],
  ['The process and its data', /^/],
];

/** All settings in groups, in Markdown. The name of a file with the value stands behind its setting. */
export function settingsTable() {
  const lines = Object.entries(settings)
    .filter(([name]) => !name.endsWith('_FILE'))
    .map(([name, { fallback, description }]) => {
      const names = `${name}_FILE` in settings ? `\`${name}\`, \`…_FILE\`` : `\`${name}\``;
      const shown = fallback === null ? '' : ` (\`${fallback}\`)`;
      return { name, text: `- ${names}${shown}: ${description}` };
    });
  const byGroup = Map.groupBy(lines, ({ name }) =>
    groups.find(([, pattern]) => pattern.test(name.replace('PORTARIA_', ''))),
  );
  return groups
    .map((group) => {
      const texts = (byGroup.get(group) ?? []).map(({ text }) => text);
      return `### ${group[0]}\n\n${texts.join('\n')}`;
    })
    .join('\n\n');
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
