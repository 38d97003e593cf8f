import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PortariaError } from './kernel/errors.ts';
import { loadRegistry } from './load-registry.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';

/** The mistakes of a folder, by file. */
async function mistakesOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, name), `import { defineHandler, defineKind, z } from 'portaria';\n${text}`);
  const error = await loadRegistry({ handlersFolder: folder, forward: null }).catch(
    (cause: unknown) => cause,
  );
  if (!PortariaError.is(error, 'handler-invalid')) throw new Error('the folder was accepted');
  return error.problems.map(({ where, message }) => `${where.replace(`${folder}/`, '')}: ${message}`);
}

const schema = 'schema: z.object({ id: z.int() })';

test('the mistakes of all files are reported together', async () => {
  const mistakes = await mistakesOf({
    'a.mjs': "export default defineKind('one.made', { schema: 7 });",
    'b.mjs': `export default defineKind('two.made', { ${schema}, personal: ['ids'], example: { id: 'x' } });`,
    'c.mjs': `export default defineKind('three.made', { ${schema} });`,
    'd.mjs': `export default defineKind('three.made', { ${schema} });`,
  });
  expect(mistakes).toEqual([
    expect.stringMatching(/^a\.mjs: .*schema/s),
    expect.stringMatching(/^d\.mjs: kind "three\.made" is also defined in .*c\.mjs: keep one$/),
    expect.stringMatching(/^b\.mjs: kind "two\.made": personal has "ids".*did you mean "id"/),
    expect.stringMatching(/^b\.mjs: kind "two\.made": example does not match/),
  ]);
});

test('an error that a schema throws names its file, and hides no other', async () => {
  const mistakes = await mistakesOf({
    'a.mjs': `export default defineKind('one.made', {
      schema: z.object({ id: z.int().refine(() => { throw new Error('no database'); }) }), example: { id: 1 } });`,
    'b.mjs': `export default defineKind('charge.updated', { schema: z.object({ constructor: z.int().nullish() }) });`,
  });
  expect(mistakes).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^a\.mjs: kind "one\.made"/),
      expect.stringMatching(/^b\.mjs: kind "charge\.updated" declares "constructor".*leave it out/),
    ]),
  );
});

test.each([
  ['comapny.craeted', 'there is no kind "comapny.craeted"; did you mean "company.created"?'],
  ['own.maed', 'there is no kind "own.maed"; did you mean "own.made"?'],
  ['x', 'there is no kind "x"; `portaria handlers list --kind \'*\'` shows all kinds'],
  ['traffic-violaton.*', '"traffic-violaton.*" matches no kind; did you mean "traffic-violation.*"?'],
  ['owm.*', '"owm.*" matches no kind; did you mean "own.*"?'],
  ['user.login.failed', 'without its payload; "user.login.*" matches it, as an unrecognized event'],
  ['company.sync.*', 'without its payload; "company.*" matches it, as an unrecognized event'],
])('%s is no kind of any file', async (on, message) => {
  const mistakes = await mistakesOf({
    'a.mjs': `export default defineHandler({ name: 'one', on: ['${on}', 'charge.*'], handle() {} });`,
    'b.mjs': `export default defineKind('own.made', { ${schema} });`,
  });
  expect(mistakes).toEqual([expect.stringContaining(message)]);
});

test('a handler and a machine may name a kind that another file defines', async () => {
  const folder = temporaryFolder();
  const files = {
    'a.mjs': `export default defineHandler({ name: 'one', on: 'own.made', handle() {} });`,
    'b.mjs': `export default defineMachine({ name: 'two', on: ['own.*'], initial: 0, evolve: (state) => state });`,
    'c.mjs': `export default defineKind('own.made', { ${schema} });`,
  };
  for (const [name, text] of Object.entries(files))
    writeFileSync(
      join(folder, name),
      `import { defineHandler, defineKind, defineMachine, z } from 'portaria';\n${text}`,
    );
  const { routesFor } = await loadRegistry({ handlersFolder: folder, forward: null });
  const handlers = routesFor({ kind: 'own.made', recognized: true }, 'default').map(({ handler }) => handler);
  expect(handlers).toEqual(['one', 'two']);
});

test('names the shipped machines that a folder replaces, unless it exports them', async () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'own.mjs'),
    `import { defineMachine } from 'portaria';
     export default defineMachine({ name: 'payment-slip', on: 'charge.*', initial: {}, evolve: (state) => state });`,
  );
  const { replacedMachines } = await loadRegistry({ handlersFolder: folder, forward: null });
  expect(replacedMachines).toEqual(['indication-document', 'login-attempt']);
  expect((await loadRegistry({ handlersFolder: null, forward: null })).replacedMachines ?? []).toEqual([]);
});
