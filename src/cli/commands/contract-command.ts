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

export function addContract(program: Command, session: Session): void {
  program
    .command('contract')
    .description('the event kinds as a document that other tools read')
    .addOption(
      new Option('--format <format>', 'which document')
        .choices(['asyncapi', 'json-schema'])
        .default('json-schema'),
    )
    .option('--kind <kind>', 'only this kind; JSON Schema alone')
    .action(async (flags: ContractFlags) => {
      await session.print(JSON.stringify(contractDocument(flags), null, 2));
    });
}

function contractDocument({ format, kind }: ContractFlags): JsonObject {
  if (kind === undefined) return format === 'asyncapi' ? asyncApi() : contractJsonSchema();
  if (format === 'asyncapi')
    throw new PortariaError('invalid-argument', '--kind goes with --format json-schema');
  if (isEventKind(kind)) return kindJsonSchema(kind);
  const meant = suggest(kind, eventKinds);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw new PortariaError('not-found', `The contract has no kind ${kind}${hint}`);
}

function asyncApi(): JsonObject {
  const examples: { [Kind in EventKind]?: readonly JsonObject[] } = {};
  for (const kind of eventKinds)
    examples[kind] = [JSON.parse(readFixture(kind).toString('utf8')) as JsonObject];
  return asyncApiDocument({ version: packageVersion(), examples });
}
