/** What the compiler prints about wrong calls: names and fields, not the declarations of endpoints. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compiled, publishedTypes } from '../support/compiler.ts';

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
    "import type { Client } from 'portaria/client';",
    "import { defineHandler } from 'portaria';",
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
});

/** Compiles `calls.ts` in a folder with the published types. Returns what the compiler prints. */
function compile(folder: string): string {
  const project = { compilerOptions: publishedTypes(), files: ['calls.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return compiled(folder);
}
