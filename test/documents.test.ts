/** What the documents say of the code is held to the code. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { settingsTable } from '../src/config/settings.ts';
import { stateDiagram } from '../src/handle/define/transition-table.ts';
import { loadRegistry } from '../src/load-registry.ts';

const document = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

test("README's table of settings is the settings", () => {
  expect(cells(between(document('README.md'), 'settings'))).toEqual(cells(settingsTable()));
});

describe('the state diagrams of ARCHITECTURE.md are the tables that the machines run', async () => {
  const { definitions } = await loadRegistry({ handlersFolder: null, forward: null });
  const machines = definitions.filter((definition) => definition.type === 'machine');

  test('there are machines with tables', () => {
    expect(machines.map(({ name }) => name)).toEqual([
      'indication-document',
      'login-attempt',
      'payment-slip',
    ]);
  });

  test.each(machines)('$name', ({ name, table }) => {
    if (table === null) throw new Error(`${name} has no table`);
    const diagram = `\`\`\`mermaid\n${stateDiagram(table)}\n\`\`\``;
    expect(between(document('ARCHITECTURE.md'), name)).toBe(diagram);
  });
});

/** A table without what the formatter adds to line its columns up. */
function cells(table: string | undefined): string[][] | undefined {
  return table?.split('\n').map((row) => row.split('|').map((cell) => cell.trim().replace(/^-+$/, '---')));
}

/** What stands between `<!-- name … -->` and `<!-- /name -->`. */
function between(text: string, name: string): string | undefined {
  return new RegExp(`<!-- ${name}\\b[^>]*-->\\n([^]*?)\\n?<!-- /${name} -->`).exec(text)?.[1]?.trim();
}
