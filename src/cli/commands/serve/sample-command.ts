/** The command that posts a sample event to a new receiver. */
import { isEventKind } from '../../../contract/catalogue.ts';
import type { Contract } from '../../../contract/contract.ts';
import type { KindContract } from '../../../contract/kind-contract.ts';
import type { Registry } from '../../../handle/load/registry.ts';
import { shellQuoted, shellWord } from '../../../kernel/text/shell-word.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { VerifyOptions } from '../../../verify/verify-options.ts';
import { sampleMessage } from '../../../operate/contract/fixtures.ts';

/** A kind that a shipped handler takes, without consequences outside Portaria. */
const PREFERRED = 'company.login.started';

/** No record of the provider has this id, so the sample does not mix with real events. */
const SAMPLE_ID = 0;

/** The event of the command. */
export interface Sample {
  readonly kind: string;
  readonly source: string;
  /** The envelope of a source that sends the provider's. */
  readonly body: SampleBody;
  /** Whether the id is replaced by one that no record has. */
  readonly isNumbered: boolean;
  /** The handlers and machines that take it. */
  readonly handlers: readonly string[];
}

interface SampleBody {
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Chooses an event that a handler takes, if there is one: so its way can be followed to the end. Kinds of the
 * specification come first, then custom ones. Undefined when no sample can be made.
 */
export function chooseSample({
  contract,
  coverage,
}: Pick<Registry, 'coverage' | 'contract'>): Sample | undefined {
  const handlersOf = new Map(coverage().map(({ handlers }, at) => [contract.kinds[at], handlers]));
  const preferred = contract.find('default', PREFERRED);
  const covered = contract.kinds
    .filter((kind) => (handlersOf.get(kind)?.length ?? 0) > 0)
    .toSorted((one, other) => rank(one) - rank(other));
  for (const kind of [...covered, ...(preferred === undefined ? [] : [preferred])]) {
    const sample = sampleOf(contract, kind, handlersOf.get(kind) ?? []);
    if (sample !== undefined) return sample;
  }
  return undefined;
}

function rank({ kind, source }: KindContract): number {
  if (kind === PREFERRED && source === null) return 0;
  return source === null && isEventKind(kind) ? 1 : 2;
}

function sampleOf(contract: Contract, kind: KindContract, handlers: readonly string[]): Sample | undefined {
  let body: SampleBody;
  try {
    body = sampleMessage(contract, kind).body;
  } catch (error) {
    if (PortariaError.is(error, 'not-found')) return undefined;
    throw error;
  }
  const isNumbered =
    kind.source === null && isEventKind(kind.kind) && kind.isValid({ ...body.data, id: SAMPLE_ID });
  return { kind: kind.kind, source: kind.source ?? 'default', body, isNumbered, handlers };
}

/** A command that posts the sample: curl where that needs no signature, else `portaria send`. */
export function postCommand(options: {
  readonly url: string;
  readonly verify: VerifyOptions | undefined;
  readonly sample: Sample;
  readonly command: string;
  readonly showSecrets: boolean;
  readonly secretsInFile: boolean;
}): string {
  const { url, verify, sample, command, showSecrets, secretsInFile } = options;
  const { kind, source, body: envelope, isNumbered } = sample;
  const needsSecret = verify !== undefined && verify.scheme !== 'none';
  const header = verify?.scheme === 'token' ? verify.header : undefined;
  const isOutOfReach = needsSecret && (header === undefined || (secretsInFile && !showSecrets));
  if (source !== 'default' || isOutOfReach) {
    const from = source === 'default' ? '' : ` --source ${source}`;
    const change = isNumbered ? ` --set data.id=${String(SAMPLE_ID)}` : '';
    return `${command} send ${shellWord(kind)}${from}${change} --url ${url}`;
  }
  const data = isNumbered ? { ...envelope.data, id: SAMPLE_ID } : envelope.data;
  const body = JSON.stringify({ ...envelope, data });
  const token =
    verify?.scheme === 'token' && header !== undefined
      ? ` -H ${showSecrets ? shellQuoted(`${header}: ${verify.secrets[0] ?? ''}`) : `"${header}: \${PORTARIA_SECRETS%%,*}"`}`
      : '';
  return `curl -sS -w ' %{http_code}\\n' ${url} -H 'content-type: application/json'${token} -d ${shellQuoted(body)}`;
}
