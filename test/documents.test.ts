/** Compares generated parts of the documents with the code. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { clientOperations } from '../scripts/client-operations.mjs';
import { settingsTable } from '../scripts/settings-table.mjs';
import { stateDiagram } from '../src/handle/define/transition-table.ts';
import { loadRegistry } from '../src/load-registry.ts';
import { namedEndpoints } from './client/named-endpoints.ts';

const document = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

test('docs/configuration.md lists the settings; `node scripts/settings-table.mjs` updates it', () => {
  expect(cells(between(document('docs/configuration.md'), 'settings'))).toEqual(cells(settingsTable()));
});

describe('docs/client.md', () => {
  const written = between(document('docs/client.md'), 'operations');

  test('lists the operations; `node scripts/client-operations.mjs` updates it', () => {
    expect(cells(written)).toEqual(cells(clientOperations()));
  });

  test.each(namedEndpoints.map(([name, { method, path }]) => [name, method, path] as const))(
    'lists %s',
    (name, method, path) => {
      const row = written?.split('\n').find((line) => line.startsWith(`| \`${name}\``));
      expect(row).toContain(`\`${method.toUpperCase()} ${path}\``);
    },
  );
});

describe('docs/handlers.md draws the transition tables of the machines', async () => {
  const { definitions } = await loadRegistry({ handlersFolder: null, forward: null });
  const machines = definitions.filter((definition) => definition.type === 'machine');

  test('the shipped machines have tables', () => {
    expect(machines.map(({ name }) => name)).toEqual([
      'indication-document',
      'login-attempt',
      'payment-slip',
    ]);
  });

  test.each(machines)('$name', ({ name, table }) => {
    if (table === null) throw new Error(`${name} has no table`);
    const diagram = `\`\`\`mermaid\n${stateDiagram(table)}\n\`\`\``;
    expect(between(document('docs/handlers.md'), name)).toBe(diagram);
  });
});

/** The cells of a table, without the padding that the formatter adds. */
function cells(table: string | undefined): string[][] | undefined {
  return table?.split('\n').map((row) => row.split('|').map((cell) => cell.trim().replace(/^-+$/, '---')));
}

/** The text between `<!-- name … -->` and `<!-- /name -->`. */
function between(text: string, name: string): string | undefined {
  return new RegExp(`<!-- ${name}\\b[^>]*-->\\n([^]*?)\\n?<!-- /${name} -->`).exec(text)?.[1]?.trim();
}
