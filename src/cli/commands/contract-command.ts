/** `portaria contract`: prints the event kinds as JSON Schema or AsyncAPI. */
import { Option, type Command } from 'commander';
import type { Contract } from '../../contract/contract.ts';
import { contractJsonSchema, envelopeOf, kindJsonSchema } from '../../contract/json-schema.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json/json.ts';
import { suggest } from '../../kernel/text/suggest.ts';
import { packageVersion } from '../../kernel/files/package-files.ts';
import { asyncApiWithSamples } from '../../operate/contract/fixtures.ts';
import { addContractDrift } from './contract-drift.ts';
import { repeatable } from '../options/repeatable.ts';
import { knownContract } from '../known-contract.ts';
import type { Session } from '../session.ts';

interface ContractFlags {
  readonly format: 'asyncapi' | 'json-schema';
  readonly kind?: readonly string[];
}

interface DocumentRequest extends Pick<ContractFlags, 'format'> {
  readonly kind?: string;
}

export function addContract(program: Command, session: Session): void {
  const contract = program
    .command('contract')
    .description(
      'print the event kinds as JSON Schema or AsyncAPI, for other tools; compare them with what came',
    )
    .addOption(
      new Option('--format <format>', 'the format of the document')
        .choices(['asyncapi', 'json-schema'])
        .default('json-schema'),
    )
    // Repeatable for `drift`: a parent takes the flags of its subcommand that it has itself.
    .option('--kind <kind>', 'only this kind; with --format json-schema', repeatable)
    .action(async ({ format, kind: [kind, second] = [] }: ContractFlags) => {
      if (second !== undefined)
        throw new PortariaError('invalid-argument', '--kind takes one value and was given twice');
      const request = { format, ...(kind !== undefined && { kind }) };
      const document = contractDocument(await knownContract(session), request);
      await session.print(JSON.stringify(document, null, 2));
    });
  addContractDrift(contract, session);
}

function contractDocument(contract: Contract, { format, kind: name }: DocumentRequest): JsonObject {
  if (name === undefined)
    return format === 'asyncapi'
      ? asyncApiWithSamples(contract, packageVersion())
      : contractJsonSchema(contract);
  if (format === 'asyncapi') throw new PortariaError('invalid-argument', '--kind needs --format json-schema');
  const kind = contract.kinds.find((one) => one.kind === name);
  if (kind !== undefined) return kindJsonSchema(kind, envelopeOf(contract, kind));
  const meant = suggest(
    name,
    contract.kinds.map((one) => one.kind),
  );
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw new PortariaError('not-found', `--kind ${name} is not a kind of the contract${hint}`);
}
