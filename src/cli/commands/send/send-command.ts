/** `portaria send`: posts webhooks to a receiver, to try it out. */
import type { Command } from 'commander';
import { exitCode } from '../../exit-code.ts';
import { webhookUrl } from '../../http/webhook-url.ts';
import { jsonOption } from '../../options/list-options.ts';
import { repeatable } from '../../options/repeatable.ts';
import { parseCount, parseTarget } from '../../options/values.ts';
import { withDefinedSources } from '../../../config/defined-sources.ts';
import { knownContract } from '../../known-contract.ts';
import type { Session } from '../../session.ts';
import { applySettings, checkPaths } from './apply-settings.ts';
import { readBodies } from './read-bodies.ts';
import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../../kernel/json/json.ts';
import { printable } from '../../../kernel/text/printable.ts';
import { nameOfProof, type Proof, type VerifyOptions } from '../../../verify/verify-options.ts';
import { post, type PostResponse } from '../../../kernel/http/post.ts';
import { signingHeaders, signingQuery } from '../../../verify/sign-body.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { Config } from '../../../config/config.ts';
import { isPublicKey } from '../../../verify/public-keys.ts';
import { readProof } from '../../../verify/read-proof.ts';
import { readStandardKey } from '../../../verify/signed/keys.ts';
import { proof as proofSetting } from '../../../config/setting-schemas.ts';
import { errorCode, PortariaError } from '../../../kernel/errors.ts';

interface SendFlags extends SigningFlags {
  readonly set?: readonly string[];
  readonly url?: string;
  readonly count: number;
  readonly json: boolean;
}

export function addSend(program: Command, session: Session): void {
  program
    .command('send')
    .description('post a sample event, a scenario or a file to a receiver, signed as configured')
    .argument('<what>', 'a kind, a scenario of fixtures/, a .json or .ndjson file, or - for standard input')
    .option(
      '--set <path=value>',
      'change a field to text or JSON, for example data.status=paid; {n} is the number of the send; repeatable',
      repeatable,
    )
    .option('--count <n>', 'send everything n times', parseCount, 1)
    .option('--url <url>', 'the receiver (default: the serve that the settings describe)', parseTarget)
    .option('--source <name>', 'send as this configured source', 'default')
    .option(
      '--verify <scheme>',
      'sign by this scheme, known sender or JSON, as in PORTARIA_VERIFY, instead of those of the source',
    )
    .option('--secret <secret>', 'sign with this secret, instead of that of the source')
    .option('--header <name>', 'the header with the proof, instead of that of the source')
    .addOption(jsonOption())
    .action(async (what: string, flags: SendFlags) => {
      const { terminal } = session;
      const contract = await knownContract(session);
      const config = withDefinedSources(session.config(), contract.sources);
      const url = flags.url ?? webhookUrl({ host: config.host, port: config.port, source: flags.source });
      const verify = senderOptions(config, flags);
      checkPaths(flags.set ?? [], flags.source, contract.envelopeOf(flags.source));
      const bodies = await readBodies(what, { contract, source: flags.source, terminal });
      let sent = 0;
      let rejected = 0;
      for (let round = 1; round <= flags.count; round += 1) {
        for (const { bytes: body, headers } of bodies) {
          sent += 1;
          const bytes = applySettings(body, flags.set ?? [], sent);
          const response = await postBody({ url, bytes, headers, verify, terminal });
          if (response.status >= 300) rejected += 1;
          await session.print(flags.json ? JSON.stringify(response) : responseText(response));
        }
      }
      if (rejected > 0) session.exitCode = rejected === sent ? exitCode.failed : exitCode.partial;
    });
}

/** The response of the receiver. */
interface SendResponse {
  readonly status: number;
  /** Parsed if it is JSON, else a string. */
  readonly body: JsonValue;
}

const TIMEOUT_MS = 30_000;

/**
 * Signs and POSTs one body.
 *
 * @throws Error when there is no complete response within 30 seconds, or it is too long.
 */
export async function postBody(options: {
  readonly url: string;
  readonly bytes: Uint8Array;
  /** Headers besides those that sign the body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly verify: VerifyOptions;
  readonly terminal: Pick<Terminal, 'fetch' | 'clock'>;
}): Promise<SendResponse> {
  const { bytes, verify, terminal } = options;
  const to = new URL(options.url);
  for (const [name, value] of Object.entries(signingQuery(verify))) to.searchParams.set(name, value);
  const url = to.href;
  const message = { id: `msg_${randomUUID()}`, now: terminal.clock.now(), url: to };
  const headers = { ...options.headers, ...signingHeaders(verify, bytes, message) };
  let response: PostResponse;
  try {
    response = await post({ url, headers, body: bytes, timeoutMs: TIMEOUT_MS }, terminal);
  } catch (cause) {
    if (/CERT|VERIFY/u.test(errorCode(cause) ?? ''))
      throw new Error(
        `The certificate of ${to.host} is not trusted: NODE_EXTRA_CA_CERTS=<file> names its authority`,
        { cause },
      );
    throw new Error(`No response from ${options.url}: is \`portaria serve\` running there?`, { cause });
  }
  const { status, body } = response;
  if (body instanceof Error)
    throw new Error(`${options.url} responded ${String(status)}, but: ${body.message}`);
  return { status, body: jsonOrString(body) };
}

function responseText({ status, body }: SendResponse): string {
  return printable(`${String(status)} ${typeof body === 'string' ? body : JSON.stringify(body)}`);
}

function jsonOrString(body: string): JsonValue {
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    return body;
  }
}

/** The flags of `send` that decide how a body is signed. */
interface SigningFlags {
  readonly source: string;
  readonly verify?: string;
  readonly secret?: string;
  readonly header?: string;
}

/**
 * Returns the scheme, secret and header to sign with: those of the configured source, overridden by flags.
 *
 * @throws PortariaError `not-found` when the source is unknown, `invalid-argument` when the scheme has no secret.
 */
function senderOptions(config: Config, flags: SigningFlags): VerifyOptions {
  const configured = config.sources.get(flags.source)?.verify;
  if (configured === undefined && flags.verify === undefined)
    throw new PortariaError(
      'not-found',
      `--source ${flags.source} is not configured; configured are ${[...config.sources.keys()].join(', ')}`,
    );
  const isSame =
    configured !== undefined && (flags.verify === undefined || flags.verify === nameOfProof(configured));
  const proof = isSame ? configured : givenProof(flags.verify ?? 'none');
  const messageIdHeader = configured?.messageIdHeader ?? 'webhook-id';
  if (proof.scheme === 'none') return { ...proof, messageIdHeader };
  const ofSource = isSame && 'secrets' in configured ? configured.secrets : [];
  const secrets = flags.secret === undefined ? ofSource : [flags.secret];
  const name = nameOfProof(proof);
  if (secrets.length === 0 && proof.scheme !== 'function')
    throw new PortariaError('invalid-argument', `--verify ${name} needs a secret: add --secret`);
  if (
    proof.scheme === 'standard' &&
    secrets.some((one) => !isPublicKey(one) && readStandardKey(one) === null)
  )
    throw new PortariaError(
      'invalid-argument',
      '--secret must be base64 for --verify standard, with or without the prefix whsec_',
    );
  const header =
    flags.header === undefined || !('header' in proof) ? {} : { header: flags.header.toLowerCase() };
  return { ...proof, messageIdHeader, secrets, ...header };
}

/** @throws PortariaError `invalid-argument` */
function givenProof(given: string): Proof {
  const read = proofSetting.safeParse(given);
  const { proof, mistakes = [] } = readProof(read.data);
  if (proof !== undefined) return proof;
  const found =
    read.error?.issues[0]?.message ??
    mistakes.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
  throw new PortariaError('invalid-argument', `--verify ${found}`);
}
