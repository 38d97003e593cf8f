/** The command that posts a sample event to a new receiver. */
import type { Registry } from '../../../handle/load/registry.ts';
import type { VerifyOptions } from '../../../verify/verify-options.ts';
import { readFixture } from '../../http/fixtures.ts';

/** A kind that a shipped handler takes, without consequences outside Portaria. */
const PREFERRED = 'company.login.started';

/** No record of the provider has this id, so the sample does not mix with real events. */
const SAMPLE_ID = 0;

/** The event of the command. */
export interface Sample {
  readonly kind: string;
  /** The handlers and machines that take it. */
  readonly handlers: readonly string[];
}

/** Chooses an event that a handler takes, if there is one: so its way can be followed to the end. */
export function chooseSample(registry: Pick<Registry, 'coverage'>): Sample {
  const covered = registry.coverage().filter(({ handlers }) => handlers.length > 0);
  return covered.find(({ kind }) => kind === PREFERRED) ?? covered[0] ?? { kind: PREFERRED, handlers: [] };
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
  const envelope = JSON.parse(readFixture(sample.kind).toString('utf8')) as {
    readonly data: Readonly<Record<string, unknown>>;
  };
  const isNumbered = typeof envelope.data['id'] === 'number';
  const isSecretOutOfReach = verify?.scheme === 'token' && secretsInFile && !showSecrets;
  if (verify?.scheme === 'hmac' || verify?.scheme === 'standard' || isSecretOutOfReach) {
    const change = isNumbered ? ` --set data.id=${String(SAMPLE_ID)}` : '';
    return `${command} send ${sample.kind}${change} --url ${url}`;
  }
  const data = isNumbered ? { ...envelope.data, id: SAMPLE_ID } : envelope.data;
  const body = JSON.stringify({ ...envelope, data });
  const token =
    verify?.scheme === 'token'
      ? ` -H ${showSecrets ? shellQuoted(`${verify.header}: ${verify.secrets[0] ?? ''}`) : `"${verify.header}: \${PORTARIA_SECRETS%%,*}"`}`
      : '';
  return `curl -sS -w ' %{http_code}\\n' ${url} -H 'content-type: application/json'${token} -d ${shellQuoted(body)}`;
}

/** Quotes a word for a POSIX shell. */
function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
