import { Option, type Command } from 'commander';
import { asyncApiDocument } from '../../contract/asyncapi.ts';
import { eventKinds, isEventKind, type EventKind } from '../../contract/catalogue.ts';
import { contractJsonSchema, kindJsonSchema } from '../../contract/json-schema.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json/json.ts';
import { suggest } from '../../kernel/text/suggest.ts';
import { packageVersion } from '../../kernel/files/package-files.ts';
import { readFixture } from '../http/fixtures.ts';
import type { Session } from '../session.ts';

interface ContractFlags {
  readonly format: 'asyncapi' | 'json-schema';
  readonly kind?: string;
}

/** `portaria contract`: prints the event kinds as JSON Schema or AsyncAPI. */
export function addContract(program: Command, session: Session): void {
  program
    .command('contract')
    .description('print the event kinds as JSON Schema or AsyncAPI, for other tools')
    .addOption(
      new Option('--format <format>', 'the format of the document')
        .choices(['asyncapi', 'json-schema'])
        .default('json-schema'),
    )
    .option('--kind <kind>', 'only this kind; with --format json-schema')
    .action(async (flags: ContractFlags) => {
      await session.print(JSON.stringify(contractDocument(flags), null, 2));
    });
}

function contractDocument({ format, kind }: ContractFlags): JsonObject {
  if (kind === undefined) return format === 'asyncapi' ? asyncApi() : contractJsonSchema();
  if (format === 'asyncapi') throw new PortariaError('invalid-argument', '--kind needs --format json-schema');
  if (isEventKind(kind)) return kindJsonSchema(kind);
  const meant = suggest(kind, eventKinds);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw new PortariaError('not-found', `--kind ${kind} is not a kind of the contract${hint}`);
}

function asyncApi(): JsonObject {
  const examples: { [Kind in EventKind]?: readonly JsonObject[] } = {};
  for (const kind of eventKinds)
    examples[kind] = [JSON.parse(readFixture(kind).toString('utf8')) as JsonObject];
  return asyncApiDocument({ version: packageVersion(), examples });
}
