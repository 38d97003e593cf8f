/** What the compiler prints about wrong calls: names and fields, not the declarations of endpoints. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

const calls = {
  "client.companies.create({ name: 'A' })":
    "Property 'tax_id' is missing in type '{ name: string; }' but required in type '{ name: string; tax_id: string; external_uid?: string | undefined; login_username?: string | undefined; }'.",
  "client.companies.create({ name: 1, tax_id: '1' })": "Type 'number' is not assignable to type 'string'.",
  "client.companies.update(12, { nome: 'A' })":
    "Object literal may only specify known properties, and 'nome' does not exist in type '{ name?: string | undefined; external_uid?: string | undefined; login_username?: string | undefined; }'.",
  "client.companies.list({ filters: { tax_id: { $ne: '1' } } })":
    'Object literal may only specify known properties, and \'$ne\' does not exist in type \'Conditions<"$contains" | "$eq", string>\'.',
  "client.companies.list({ filters: { taxid: { $eq: '1' } } })": `Object literal may only specify known properties, but 'taxid' does not exist in type '{ readonly certificate?: { readonly status?: Conditions<"$eq", "expired" | "not_provided" | "valid"> | undefined; } | undefined; readonly external_uid?: Conditions<"$eq" | "$ne", string> | undefined; readonly name?: Conditions<...> | undefined; readonly sne?: { ...; } | undefined; readonly tax_id?: Conditions<...> |...'. Did you mean to write 'tax_id'?`,
  "client.companies.read('12')": "Argument of type 'string' is not assignable to parameter of type 'number'.",
  "defineHandler({ name: 'a', on: 'compani.*', handle() {} })":
    'Type \'"compani.*"\' is not assignable to type \'"compani.*" & MatchesNoKind<"compani.*">\'.',
  'client.charges.requestSlip(1)': "Property 'requestSlip' does not exist on type 'Operations<\"charges\">'.",
  'client.charges.paymentSlips.requestSlip(1)':
    "Property 'requestSlip' does not exist on type 'Operations<\"charges.paymentSlips\">'.",
};

test('a wrong call gets a message of one line that names what is wrong', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-types-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const header = [
    `import type { Client } from '${new URL('../../src/client/client.ts', import.meta.url).pathname}';`,
    `import { defineHandler } from '${new URL('../../src/handle/define/handler.ts', import.meta.url).pathname}';`,
    'declare const client: Client;',
  ];
  const lines = [...header, ...Object.keys(calls).map((call) => `void ${call};`)];
  writeFileSync(join(folder, 'calls.ts'), lines.join('\n'));

  const messages = new Map<string, string[]>();
  for (const line of compile(folder).split('\n')) {
    const [, at = '', message = ''] = /^.*calls\.ts\((\d+),\d+\): error TS\d+: (.*)$/.exec(line) ?? [];
    const call = Object.keys(calls)[Number(at) - header.length - 1];
    if (call !== undefined) messages.set(call, [...(messages.get(call) ?? []), message]);
  }

  expect(Object.fromEntries(messages)).toEqual(
    Object.fromEntries(Object.entries(calls).map(([call, message]) => [call, [message]])),
  );
}, 60_000);

/** Compiles `calls.ts` in a folder. Returns what the compiler prints. */
function compile(folder: string): string {
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--allowImportingTsExtensions',
    '--types',
    'node',
  ];
  const tsc = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  const modules = [
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--typeRoots',
    join(root, 'node_modules/@types'),
  ];
  try {
    return execFileSync(
      process.execPath,
      [tsc, '--ignoreConfig', '--pretty', 'false', ...options, ...modules, join(folder, 'calls.ts')],
      { encoding: 'utf8' },
    );
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}
