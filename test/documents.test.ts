/** Compares generated parts of the documents with the code. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPayments } from '../examples/node-server/payments.mjs';
import { clientOperations } from '../scripts/client-operations.mjs';
import { settingsTable } from '../scripts/settings-table.mjs';
import { problemKinds } from '../src/attention/problem.ts';
import { commandTable } from '../src/cli/command-table.ts';
import { createSession } from '../src/cli/session.ts';
import { createPortaria } from '../src/compose.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { defineHandler } from '../src/handle/define/handler.ts';
import { stateDiagram } from '../src/handle/define/transition-table.ts';
import { loadRegistry, shippedMachines } from '../src/load-registry.ts';
import { handlerOutcome } from '../src/testing/handler-outcome.ts';
import { testContext } from '../src/testing/test-context.ts';
import { testEvent } from '../src/testing/test-event.ts';
import { systemClock } from '../src/kernel/time/clock.ts';
import { capturedTerminal } from './cli/kit/captured-terminal.ts';
import { namedEndpoints } from './client/named-endpoints.ts';

/** Each command and each group, with the flags that it takes. */
const commands = new Map<string, ReadonlySet<string>>();
const session = createSession(capturedTerminal({ env: {}, cwd: '.', clock: systemClock }), () => ({}));
for (const { commands: loads } of commandTable)
  for (const load of Object.values(loads)) {
    const program = new Command();
    (await load())(program, session);
    for (const command of visible(program)) addCommand(command);
  }
const isGroup = (name: string) => [...commands.keys()].some((other) => other.startsWith(`${name} `));
const usersPages = readdirSync(new URL('../docs', import.meta.url))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);

const document = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

test('docs/configuration.md lists the settings; `node scripts/settings-table.mjs` updates it', () => {
  expect(between(document('docs/configuration.md'), 'settings')).toBe(settingsTable());
});

describe('docs/command-line.md', () => {
  const [beforeExamples = ''] = document('docs/command-line.md').split('```');
  const rows = beforeExamples
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|')[1]?.trim() ?? '');

  test('has one table of commands, and no row twice', () => {
    expect(rows.filter((row) => row === 'command')).toHaveLength(1);
    expect(new Set(rows).size).toBe(rows.length);
  });

  test('names every command once for its subcommands', () => {
    const named = rows.slice(2).flatMap((row) => namesOf(row));
    const isNamed = (name: string) => named.some((each) => each === name || name.startsWith(`${each} `));
    expect([...commands.keys()].filter((name) => !isGroup(name) && !isNamed(name))).toEqual([]);
    expect(named.filter((name, at) => named.indexOf(name) !== at)).toEqual([]);
  });
});

test.each(['README.md', 'README.pt-BR.md', ...usersPages])(
  '%s calls commands that exist, with flags that they have',
  (name) => {
    const code = document(name).matchAll(/`((?:npx )?portaria [^`\n]+)`|^(?:\$ )?((?:npx )?portaria .+)$/gmu);
    const wrong = [...code].flatMap(([, inline, line = '']) => {
      const words = (inline ?? line.replace(/ +#.*$/u, '')).replace(/^npx /u, '').split(/\s+/u).slice(1);
      const length = [3, 2, 1].find((some) => commands.has(words.slice(0, some).join(' '))) ?? 0;
      const [name, next = ''] = [words.slice(0, length).join(' '), words[length]];
      const flags = words.flatMap((word) => /^--[a-z-]+/u.exec(word)?.[0] ?? []);
      const isRight =
        commands.has(name) &&
        !(isGroup(name) && /^[a-z]/u.test(next)) &&
        flags.every((flag) => commands.get(name)?.has(flag));
      return isRight || /^[<-]/u.test(words[0] ?? '') ? [] : [words.join(' ')];
    });
    expect(wrong).toEqual([]);
  },
);

describe('a tired person reads each page once', () => {
  const english = usersPages.filter((name) => !name.includes('.pt-BR.'));
  const wordsOf = (text: string) => text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

  test('all have at most 22,000 words', () => {
    expect(english.reduce((sum, name) => sum + wordsOf(document(name)), 0)).toBeLessThanOrEqual(22_000);
  });

  test.each(english)('%s takes ten minutes, without long paragraphs and sentences in tables', (name) => {
    const prose = document(name).replaceAll(/^```[^]*?^```/gmu, '');
    const cells = prose.match(/^\|.*$/gmu)?.flatMap((line) => line.split(/(?<!\\)\|/u)) ?? [];

    expect(wordsOf(document(name))).toBeLessThanOrEqual(2_200);
    expect(prose.split(/\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) )/u).filter((one) => wordsOf(one) > 110)).toEqual([]);
    expect(cells.filter((cell) => wordsOf(cell) > 25 || /[.?!] [A-Z`]/u.test(cell))).toEqual([]);
  });
});

/** The commands of a cell: `events list`, `show` is `events list` and `events show`. */
function namesOf(cell: string): readonly string[] {
  const [first = '', ...others] = [...cell.matchAll(/`([^`]+)`/gu)].map(([, name = '']) =>
    name.replaceAll(/ [[<].*$/gu, ''),
  );
  const group = first.split(' ').slice(0, -1).join(' ');
  return [
    first,
    ...others.map((name) => (name.startsWith(group) || group === '' ? name : `${group} ${name}`)),
  ];
}

/** Adds a command or a group, with its subcommands. */
function addCommand(command: Command, group = ''): void {
  const name = `${group}${command.name()}`;
  commands.set(name, new Set([...command.options.map(({ long }) => long ?? ''), '--help']));
  for (const each of visible(command)) addCommand(each, `${name} `);
}

/** The subcommands that `--help` lists. */
function visible(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');
}

test.each(namedEndpoints.map(([name, { method, path }]) => [name, method, path] as const))(
  '`node scripts/client-operations.mjs` prints %s',
  (name, method, path) => {
    const row = clientOperations()
      .split('\n')
      .find((line) => line.startsWith(`| \`${name}\``));
    expect(row).toContain(`\`${method.toUpperCase()} ${path}\``);
  },
);

describe('the runbook', () => {
  const [english, portuguese] = ['', '.pt-BR'].map((end) =>
    document(`docs/when-something-is-wrong${end}.md`),
  );

  test.each(problemKinds)('says what to do about %s', (kind) => {
    expect(english).toContain(`\`${kind}\``);
  });

  test('names the same problems and commands in both languages', () => {
    const named = (text = '') => codeIn(text).map((code) => code.replaceAll(/<[^>]+>|'[^']+'| +#.*$/gu, ''));
    expect(named(portuguese)).toEqual(named(english));
  });
});

/** What a text has as code: inline, and each line of a block. */
function codeIn(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```\w*\n([^]*?)^```/gmu)].flatMap(([, code = '']) =>
    code.trim().split('\n'),
  );
  const inline = text.replaceAll(/^```[^]*?^```/gmu, '').matchAll(/`([^`\n]+)`/gu);
  return [...blocks.filter((line) => !line.startsWith('#')), ...[...inline].map(([, code = '']) => code)];
}

describe('docs/internals/shipped-machines.md draws the transition tables of the machines', async () => {
  const { definitions } = await loadRegistry({ handlersFolder: null, forward: null });
  const machines = definitions.filter((definition) => definition.type === 'machine');

  test('the shipped machines have tables', () => {
    expect(machines.map(({ name }) => name)).toEqual(shippedMachines);
  });

  test.each(machines)('$name', ({ name, table }) => {
    if (table === null) throw new Error(`${name} has no table`);
    const diagram = `\`\`\`mermaid\n${stateDiagram(table)}\n\`\`\``;
    expect(between(document('docs/internals/shipped-machines.md'), name)).toBe(diagram);
  });
});

describe('a handler in a document that calls fetch looks at the response', () => {
  const names = ['README.md', 'docs/handlers.md', 'docs/library.md', 'docs/sidecar.md'];
  const blocks = names.flatMap((name) =>
    [...document(name).matchAll(/^```(?:ts|js)\n([^]*?)^```/gm)].map(([, code = '']) => ({ name, code })),
  );
  const calls = blocks.filter(({ code }) => code.includes('await fetch('));

  test('there are such handlers', () => {
    expect(calls.length).toBeGreaterThan(1);
  });

  test.each(calls)('$name', ({ code }) => {
    expect(code).toMatch(/if \(!\w+\.ok\)/);
  });
});

describe('what a page shows as a file of handlers loads', () => {
  const files = ['README.md', ...usersPages].flatMap((name) =>
    [...document(name).matchAll(/^```ts\n(import [^]*?^export default [^]*?)^```/gmu)].map(
      ([, code = '']) => ({
        name,
        title: /^export default (.*)$/mu.exec(code)?.[1],
        code,
      }),
    ),
  );

  test('there are such files', () => {
    expect(files.length).toBeGreaterThan(7);
  });

  test.each(files)('$name: $title', async ({ code }) => {
    const folder = mkdtempSync(join(tmpdir(), 'portaria-documents-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    writeFileSync(join(folder, 'shown.ts'), code);

    await expect(loadRegistry({ handlersFolder: folder, forward: null })).resolves.toBeDefined();
  });
});

test.each([
  ['docs/machines.md', 'ts', 'examples/custom-machine/handlers/antt-penalty.ts'],
  ['docs/at-least-once.md', 'js', 'examples/node-server/payments.mjs'],
  ['docs/library.md', 'js', 'examples/node-server/server.mjs'],
])('%s shows, as %s, the code of %s, which test/examples runs', (page, language, file) => {
  expect(document(page)).toContain(`\`\`\`${language}\n${document(file)}\`\`\``);
});

describe('the snippets of docs/library.md and docs/at-least-once.md', () => {
  test('a whole receiver of a test, in memory', async () => {
    const handled: unknown[] = [];
    const handler = defineHandler({ name: 'seen', on: '*', handle: ({ data }) => handled.push(data) });
    const scope = { createPortaria, loadConfig, handler, process };
    const response = await runSnippet('docs/library.md', '## Testing an application', scope, 'response');
    expect(response).toMatchObject({ status: 202 });
    expect(handled).toEqual([{ id: 7, type: 'fee', status: 'paid' }]);
  });

  test('a handler that runs twice acts once', async () => {
    const { handler, ...payments } = openPayments(':memory:');
    const scope = { handler, payments, testContext, testEvent, handlerOutcome, assert };
    await runSnippet('docs/at-least-once.md', '## To test it', scope, 'payments');
    expect(payments.all()).toHaveLength(1);
    payments.close();
  });
});

/** Runs the first code after a heading with these names, and returns the value of one. */
async function runSnippet(
  page: string,
  heading: string,
  scope: Readonly<Record<string, unknown>>,
  result: string,
): Promise<unknown> {
  const [, code = ''] = /```[jt]s\n([^]*?)```/.exec(document(page).split(heading)[1] ?? '') ?? [];
  // oxlint-disable-next-line typescript/no-implied-eval -- the code of our own documents
  const run = new Function(
    ...Object.keys(scope),
    `return (async () => { ${code}; return ${result}; })();`,
  ) as (...values: readonly unknown[]) => Promise<unknown>;
  return run(...Object.values(scope));
}

/** The text between `<!-- name … -->` and `<!-- /name -->`. */
function between(text: string, name: string): string | undefined {
  return new RegExp(`<!-- ${name}\\b[^>]*-->\\n([^]*?)\\n?<!-- /${name} -->`).exec(text)?.[1]?.trim();
}
