import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PortariaError } from '../../kernel/errors.ts';
import { createRegistry } from './registry.ts';
import type { Handler } from '../define/handler.ts';
import { loadHandlers } from './load-handlers.ts';

let folder: string;

// Outside the package, so that no node_modules folder above it is found.
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portaria-handlers-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

const noForwarding = { forward: null };

async function names(
  files: Readonly<Record<string, string>>,
  config = noForwarding,
): Promise<readonly string[]> {
  await write(files);
  return (await loadHandlers({ folder, config })).definitions.map(({ name }) => name);
}

/** Returns `<file>: <message>` for each problem, with paths relative to the folder. */
async function problems(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await write(files);
  try {
    await loadHandlers({ folder, config: noForwarding });
  } catch (error) {
    if (!PortariaError.is(error, 'handler-invalid')) throw error;
    expect(error.message).toContain(`the handlers in ${folder} cannot be loaded`);
    for (const { message } of error.problems) expect(error.message).toContain(message);
    return error.problems.map(({ where, message }) => `${where}: ${message}`.replaceAll(`${folder}/`, ''));
  }
  return [];
}

const handler = (name: string, on = 'company.*'): string =>
  `defineHandler({ name: '${name}', on: '${on}', handle: () => '${name} ran' })`;
const importing = `import { defineHandler, defineMachine, fromConfig } from 'portaria';\n`;

describe('a folder of handlers', () => {
  it('may hold empty files, which are ignored and named', async () => {
    await write({ 'patch.ts': '', 'paid.mjs': `${importing} export default ${handler('paid')};` });
    const { definitions, emptyFiles } = await loadHandlers({ folder, config: noForwarding });
    expect(definitions.map(({ name }) => name)).toEqual(['paid']);
    expect(emptyFiles).toEqual([join(await realpath(folder), 'patch.ts')]);
  });

  it('is loaded in the order of its file names: TypeScript, CommonJS and ES modules', async () => {
    const loaded = await names({
      'c.mjs': `${importing} export default ${handler('third')};`,
      'a.ts': `${importing}
        import type { Handler } from 'portaria';
        enum Greeting { Hello = 'first' }
        const made: Handler = defineHandler({ name: Greeting.Hello as string, on: 'company.*', handle: (): void => {} });
        export default made satisfies Handler;`,
      'b.js': `${importing} export default ${handler('second')};`,
      'd.js': `const { defineHandler } = require('portaria'); module.exports = ${handler('fourth')};`,
    });
    expect(loaded).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('returns handlers and machines that run', async () => {
    await write({
      'a.ts': `${importing}
        export default ${handler('a')};
        export const machine = defineMachine({
          name: 'machine', on: 'charge.*', initial: { count: 0 }, evolve: ({ count }) => ({ count: count + 1 }),
        });`,
    });
    const registry = createRegistry((await loadHandlers({ folder, config: noForwarding })).definitions);
    expect(registry.deliveryNames).toEqual(['a', 'machine', 'machine/effects']);
    expect((registry.definitions[0] as Handler).handle({} as never, {} as never)).toBe('a ran');
  });

  it('may export definitions by default, by name, in lists, and twice', async () => {
    const loaded = await names({
      'a.ts': `${importing}
        export const one = ${handler('one')};
        export const made = fromConfig(() => ${handler('three')});
        export const again = made;
        export const list = [${handler('two')}];
        export const limits = ['not', 'a', 'handler'];
        export function factory() { throw new Error('is not called'); }
        export default one;`,
    });
    expect([...loaded].sort()).toEqual(['one', 'three', 'two']);
  });

  it('skips type declarations, tests, hidden files, other files and subfolders', async () => {
    const broken = 'this is not code';
    expect(
      await names({
        'a.ts': `${importing} import { name } from './lib/shared.ts'; export default defineHandler({ name, on: '*', handle() {} });`,
        'lib/shared.ts': `export const name: string = 'shared';`,
        'a.test.ts': broken,
        'a.spec.js': broken,
        'a.d.ts': broken,
        '.hidden.ts': broken,
        'notes.md': broken,
        'data.json': broken,
        'folder.ts/index.ts': broken,
      }),
    ).toEqual(['shared']);
  });

  it('evaluates a file that several files import once', async () => {
    await write({
      'lib/count.ts': `export const seen: string[] = [];`,
      'a.ts': `${importing} import { seen } from './lib/count'; seen.push('a'); export default ${handler('a')};`,
      'b.ts': `${importing} import { seen } from './lib/count.js'; seen.push('b');
        export default defineHandler({ name: 'b', on: '*', handle: () => seen });`,
    });
    const [, second] = (await loadHandlers({ folder, config: noForwarding })).definitions;
    expect((second as Handler).handle({} as never, {} as never)).toEqual(['a', 'b']);
  });

  it.each(['', '../'])('may import by the paths of %stsconfig.json', async (above) => {
    const handlers = above === '' ? '' : 'handlers/';
    await write({
      'tsconfig.json': `{
        // Comments and commas at the end are allowed.
        "compilerOptions": { "paths": { "@lib/*": ["./lib/*"], "names": ["./lib/names.ts"], "portaria": ["./lib/none.ts"] } },
      }`,
      'lib/names.ts': `import { of } from '@lib/of.js'; export const name: string = of('paid');`,
      'lib/of.ts': `export const of = (name: string) => name + '-slips';`,
      'lib/none.ts': `export const none = 1;`,
      [`${handlers}paid.ts`]: `${importing} import { name } from 'names'; import { join } from 'node:path';
        export default defineHandler({ name: join(name), on: 'charge.*', handle: () => undefined });`,
    });
    const { definitions } = await loadHandlers({ folder: join(folder, handlers), config: noForwarding });
    expect(definitions.map(({ name }) => name)).toEqual(['paid-slips']);
  });

  it('may be empty', async () => {
    expect(await names({})).toEqual([]);
  });

  it('may be a symbolic link', async () => {
    await write({ 'real/a.ts': `${importing} export default ${handler('linked')};` });
    await symlink(join(folder, 'real'), join(folder, 'link'));
    const loaded = (await loadHandlers({ folder: join(folder, 'link'), config: noForwarding })).definitions;
    expect(loaded.map(({ name }) => name)).toEqual(['linked']);
  });

  it('may import the shipped machines by name and add effects to them', async () => {
    await write({
      'logins.ts': `
        import { loginAttempt } from 'portaria/handlers/login-attempt';
        export default loginAttempt({ onFailed: ({ event }) => event.data.error });`,
      'slips.ts': `export { default } from 'portaria/handlers/payment-slip';`,
      'with-testing.ts': `${importing} import { testEvent } from 'portaria/testing';
        export default defineHandler({ name: testEvent('charge.created').kind.replace('.', '-'), on: '*', handle() {} });`,
    });
    const loaded = (await loadHandlers({ folder, config: noForwarding })).definitions;
    expect(loaded.map(({ name }) => name)).toEqual(['login-attempt', 'payment-slip', 'charge-created']);
    expect(loaded[0]).toMatchObject({ type: 'machine', effects: [{ name: 'onFailed' }] });
  });
});

it('portaria/client is resolved by name, also from a file that a handlers file imports', async () => {
  const loaded = await names({
    'lib/name.ts': `import { ClientError } from 'portaria/client';
      export const name = ClientError.is(new Error('other')) ? 'wrong' : 'right';`,
    'a.ts': `${importing} import { name } from './lib/name.ts';
      export default defineHandler({ name, on: '*', handle() {} });`,
  });
  expect(loaded).toEqual(['right']);
});

describe('the shipped folder', () => {
  const shipped = fileURLToPath(new URL('../../../handlers/', import.meta.url));

  it('is loaded like any other, with forward when a target is configured', async () => {
    const machines = ['indication-document', 'login-attempt', 'payment-slip'];
    const withoutTarget = (await loadHandlers({ folder: shipped, config: noForwarding })).definitions;
    expect(withoutTarget.map(({ name }) => name)).toEqual(machines);
    const forwarding = {
      forward: { url: 'http://127.0.0.1:1/', secret: null, timeoutMs: 42, giveUp: [400] },
    };
    const withTarget = (await loadHandlers({ folder: shipped, config: forwarding })).definitions;
    expect(withTarget.map(({ name }) => name)).toEqual(['forward', ...machines]);
    expect(withTarget[0]).toMatchObject({ on: ['*'], timeoutMs: 42 });
  });
});

describe('fromConfig', () => {
  it('receives the configuration, and may return no definition', async () => {
    const files = {
      'a.ts': `${importing}
        export default fromConfig(({ forward }) =>
          forward === null ? undefined : defineHandler({ name: 'to-' + new URL(forward.url).hostname, on: '*', handle() {} }));`,
    };
    expect(await names(files)).toEqual([]);
    const config = { forward: { url: 'http://app/', secret: null, timeoutMs: 1, giveUp: [] } };
    expect((await loadHandlers({ folder, config })).definitions).toMatchObject([{ name: 'to-app' }]);
  });
});

describe('an invalid handlers file', () => {
  it('is listed with its reason, together with all others', async () => {
    const found = await problems({
      'a-syntax.ts': 'export default {{',
      'b-missing.ts': `import './nowhere.ts'; export default 1;`,
      'c-package.ts': `import 'no-such-package'; export default 1;`,
      'd-throws.js': `throw new Error('no database\\n  at secret stack');`,
      'e-text.mjs': `throw 'just text';`,
      'f-rejects.ts': `await Promise.reject(new Error('later')); export {};`,
      'g-none.ts': `export const limit = 5; export default () => 1;`,
      'h-nothing.ts': `// nothing`,
      'i-invalid.ts': `${importing} export default defineHandler({ name: 'i', on: [], handle: 1 });`,
      'j-mixed.ts': `${importing} export default [${handler('j')}, 'k'];`,
      'k-config.ts': `${importing} export default fromConfig(() => { throw new Error('no address'); });`,
      'l-config.ts': `${importing} export default fromConfig(() => 'text');`,
      'm-good.ts': `${importing} export default ${handler('m')};`,
      'n-unknown.ts': `import { defineHandlr } from 'portaria'; export default defineHandlr({});`,
    });
    expect(found).toEqual([
      expect.stringMatching(/^a-syntax\.ts: .*Unexpected token/),
      expect.stringMatching(/^b-missing\.ts: Cannot find module '\.\/nowhere\.ts', at line 1$/),
      expect.stringMatching(/^c-package\.ts: Cannot find module 'no-such-package', at line 1$/),
      'd-throws.js: no database, at line 1',
      'e-text.mjs: just text',
      'f-rejects.ts: later, at line 1',
      expect.stringMatching(/^g-none\.ts: exports no handler: export the result of defineHandler/),
      expect.stringMatching(/^h-nothing\.ts: exports no handler/),
      expect.stringMatching(
        /^i-invalid\.ts: handler "i" is not valid: on: is an empty list: .*; handle: is 1: it must be a function, at line 2$/,
      ),
      'j-mixed.ts: default[1] is not the result of defineHandler or defineMachine',
      'k-config.ts: no address, at line 2',
      'l-config.ts: the result of fromConfig in default is not the result of defineHandler or defineMachine',
      expect.stringMatching(/^n-unknown\.ts: .*defineHandlr.* is not a function/),
    ]);
  });

  it('is one that imports by a path of a tsconfig.json that cannot be read', async () => {
    const found = await problems({
      'tsconfig.json':
        '{ "extends": "@tsconfig/none", "compilerOptions": { "paths": { "@lib/*": ["./lib/*"] } } }',
      'a.mjs': `${importing} export default ${handler('a')};`,
      'b.mjs': `import '@lib/of.js';`,
    });
    expect(found).toEqual([
      expect.stringMatching(
        /^b\.mjs: Cannot find module '@lib\/of\.js'.*; tsconfig\.json, whose paths may name it, cannot be read: .*@tsconfig\/none.* not found/,
      ),
    ]);
  });

  it('is listed with line and column for a syntax error, its own or in a file it imports', async () => {
    const found = await problems({
      'a.ts': 'const fine = 1;\nconst a: number = ;\n',
      'b.mjs': 'export default {\n  a b };\n',
      'c.js': "import './a.ts';\n",
    });
    expect(found).toEqual([
      expect.stringMatching(/^a\.ts: ParseError: Unexpected token, at line 2, column 19$/),
      expect.stringMatching(/^b\.mjs: ParseError: .*, at line 2, column 5$/),
      expect.stringMatching(/^c\.js: ParseError: .*, at line 2, column 19 of .*a\.ts$/),
    ]);
  });

  it('is one that uses a name twice, or a name of another file', async () => {
    expect(
      await problems({
        'a.ts': `${importing} export default ${handler('same')};`,
        'b.ts': `${importing} export default [${handler('same')}, ${handler('own')}, ${handler('own')}];`,
      }),
    ).toEqual([
      'b.ts: the name "same" is also used in a.ts: rename one',
      'b.ts: the name "own" is used twice in this file: rename one',
    ]);
  });

  it('is one whose import never ends: it is named after a time limit, together with all others', async () => {
    await write({
      'a.ts': `${importing} await new Promise(() => {}); export default ${handler('a')};`,
      'b.ts': `await new Promise(() => {});`,
      'c.ts': 'export default 1;',
      'd.ts': `${importing} await Promise.resolve(); export default ${handler('d')};`,
    });
    const error: unknown = await loadHandlers({ folder, config: noForwarding, timeoutMs: 25 }).catch(
      (reason: unknown) => reason,
    );
    if (!PortariaError.is(error, 'handler-invalid')) throw error;
    expect(error.problems.map(({ where, message }) => `${where}: ${message}`)).toEqual([
      expect.stringMatching(
        /\/a\.ts: its import has not ended within 25 ms: .*PORTARIA_HANDLERS_TIMEOUT_MS$/,
      ),
      expect.stringMatching(/\/b\.ts: its import has not ended within 25 ms/),
      expect.stringMatching(/\/c\.ts: exports no handler/),
    ]);
  });

  it('may be the folder itself', async () => {
    const missing = join(folder, 'missing');
    await expect(loadHandlers({ folder: missing, config: noForwarding })).rejects.toThrow(
      /missing: ENOENT.*set PORTARIA_HANDLERS to a readable folder/,
    );
    await write({ 'file.ts': '' });
    await expect(loadHandlers({ folder: join(folder, 'file.ts'), config: noForwarding })).rejects.toThrow(
      /ENOTDIR/,
    );
  });
});
