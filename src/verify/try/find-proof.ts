/** Finds how a sender has proved a webhook: tries schemes, templates, algorithms and forms of the secret. */
import { createHash } from 'node:crypto';
import { algorithms, presetNames, type ProofDescription } from '../../contract/source-verification.ts';
import type { RawDelivery } from '../../event/delivery.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { createVerifier } from '../create-verifier.ts';
import { presets } from '../presets.ts';
import { optionsToTry } from '../read-proof.ts';
import { decodeSignature, readKey } from '../signed/keys.ts';
import { contentWriter } from '../signed/signed-scheme.ts';
import { compileSigned } from '../signed/template.ts';
import { readTimestamp } from '../timestamps.ts';

/** A proof that fits, or comes near. */
export interface FoundProof {
  /** What to write into `verify`; undefined when nothing would accept the webhook. */
  readonly verify?: string | ProofDescription;
  /** Why it comes near only. */
  readonly near?: string;
}

/** Finds the proofs of a webhook: those that fit, or else those that come near. */
export async function findProofs(
  delivery: RawDelivery,
  secrets: readonly string[],
  clock: Clock,
): Promise<readonly FoundProof[]> {
  const found: FoundProof[] = [];
  for (const verify of [...known(delivery), ...templates(delivery, secrets)]) {
    const result = await attempt(verify, delivery, secrets, clock);
    if (result !== undefined) found.push(result);
    if (result !== undefined && result.near === undefined) break;
  }
  const fitting = found.filter(({ near }) => near === undefined);
  if (fitting.length > 0) return fitting;
  return found.length > 0 ? found : nearBy(delivery, secrets);
}

/** Known senders, and the schemes without a template, in the headers and parameters that the webhook has. */
function known({ headers, query = {} }: RawDelivery): readonly (string | ProofDescription)[] {
  const has = (name: string): boolean => Object.hasOwn(headers, name);
  const credentials = Object.keys(headers).flatMap((header): ProofDescription[] => [
    { scheme: 'hmac', header },
    { scheme: 'token', header },
    { scheme: 'jwt', header },
  ]);
  return [
    ...presetNames.filter((name) => has(presets[name].header)),
    ...(has('webhook-signature') ? ['standard'] : []),
    ...(has('authorization') ? ['basic'] : []),
    ...credentials,
    ...Object.keys(query).map((name): ProofDescription => ({ scheme: 'token', query: name })),
  ];
}

/** Runs a proof as a source would. A right proof at a wrong time comes near. */
async function attempt(
  verify: string | ProofDescription,
  delivery: RawDelivery,
  secrets: readonly string[],
  clock: Clock,
): Promise<FoundProof | undefined> {
  const options = optionsToTry(verify, secrets);
  if (options === undefined) return undefined;
  const run = async (seconds?: number): Promise<FoundProof | undefined> => {
    const tolerant = seconds === undefined ? options : { ...options, toleranceSeconds: seconds };
    try {
      await createVerifier(tolerant, { clock })(delivery);
      return { verify };
    } catch (error) {
      if (!(error instanceof PortariaError)) throw error;
      const isTime = error.reason === 'too-old' || error.reason === 'too-new';
      if (!isTime || seconds !== undefined) return undefined;
      const right = await run(Number.MAX_SAFE_INTEGER);
      return right && { ...right, near: `The proof is right, but not its time. ${error.message}` };
    }
  };
  return run();
}

/** A signature in a header, and what the header holds around it. */
interface Candidate {
  readonly header: string;
  readonly reads: string;
  readonly signature: string;
}

/** Every part of a header that may be a signature. Digits and times beside it are the timestamp. */
function candidates({ headers }: RawDelivery): readonly Candidate[] {
  return Object.entries(headers).flatMap(([header, value]) =>
    [...value.matchAll(/[A-Za-z0-9+/_-]{16,}={0,2}/g)].map(({ 0: signature, index }) => {
      const around = [value.slice(0, index), value.slice(index + signature.length)];
      const [before = '', after = ''] = around.map((text) =>
        text.replace(/\b\d{10}(?:\d{3})?\b/, '{timestamp}'),
      );
      // What follows a whole signature is another one, or says more than is read.
      const rest = /^[,;\s]/.test(after) && !after.includes('{timestamp}') ? '' : after;
      return { header, reads: `${before}{signature}${rest}`.trim(), signature };
    }),
  );
}

/** What senders sign: `T` is the time, and `I` the id. */
const USUAL = [
  ...['{body}', 'T.{body}', 'T{body}', 'T:{body}', 'v0:T:{body}', 'I.T.{body}', 'IT{body}', 'I.{body}'],
  ...['{url}{body}', '{body}{url}', '{path}{body}', '{method}{url}{body}', '{method}{path}{body}'],
  ...[
    '{method}{url}{body}T',
    'T{method}{path}{body}',
    'T.{url}.{body}',
    '{url}.T.{body}',
    'T{url}{body}',
    '{body}.T',
    '{body}T',
  ],
];

/** A template of `signs`, and the header that is its time. */
interface Signed {
  readonly signs: string;
  readonly time?: string;
}

/** The usual templates, with the headers that may be time and id. */
function contents({ headers }: RawDelivery, reads: string): readonly Signed[] {
  const all = Object.entries(headers);
  const times: readonly Omit<Signed & { readonly text: string }, 'signs'>[] = [
    ...(reads.includes('{timestamp}') ? [{ text: '{timestamp}' }] : []),
    ...all.flatMap(([time, value]) =>
      time === 'content-length' || readTimestamp(value) === undefined
        ? []
        : [{ text: `{header:${time}}`, time }],
    ),
  ];
  const ids = all.flatMap(([name]) => (/(?:^|-)id$/.test(name) ? [`{header:${name}}`] : []));
  return USUAL.flatMap((usual) => {
    const withIds = usual.includes('I') ? ids.map((id) => usual.replace('I', id)) : [usual];
    return withIds.flatMap((signs): readonly Signed[] =>
      signs.includes('T')
        ? times.map(({ text, ...time }) => ({ signs: signs.replace('T', text), ...time }))
        : [{ signs }],
    );
  });
}

/** The descriptions by templates whose signature matches. */
function* templates(delivery: RawDelivery, secrets: readonly string[]): Generator<ProofDescription> {
  for (const { header, reads, signature } of candidates(delivery))
    for (const { signs, time } of contents(delivery, reads))
      for (const match of matching(delivery, secrets, signs, signature, timeIn(delivery, header)))
        yield described({ ...match, header, reads, signs, ...named(time) });
}

/** A header whose name says that it is the time needs no field. */
function named(time: string | undefined): Pick<ProofDescription, 'timestamp'> {
  return time === undefined || /time-?stamp$/.test(time) ? {} : { timestamp: { header: time } };
}

function timeIn({ headers }: RawDelivery, header: string): string {
  return /\b\d{10}(?:\d{3})?\b/.exec(headers[header] ?? '')?.[0] ?? '';
}

type Match = Pick<ProofDescription, 'scheme' | 'algorithm' | 'encoding' | 'key'>;

/** Every algorithm, encoding and form of the secret by which a text is the signature of what is signed. */
function matching(
  delivery: RawDelivery,
  secrets: readonly string[],
  signs: string,
  signature: string,
  timestamp: string,
): readonly Match[] {
  const parts = compileSigned(signs).value ?? [];
  const content = contentWriter(parts)(delivery, { timestamp, id: '' });
  const found: Match[] = [];
  for (const encoding of ['hex', 'base64'] as const) {
    const bytes = decodeSignature(signature, encoding);
    if (bytes === undefined) continue;
    for (const algorithm of algorithms)
      for (const key of ['text', 'base64', 'hex'] as const)
        if (secrets.some((secret) => readKey(algorithm, key, secret).value?.(content, [bytes]) === true))
          found.push({ scheme: 'signed', algorithm, encoding, key });
  }
  return found.slice(0, 1);
}

/** A description without what is the default. */
function described({ key, reads, ...found }: Match & ProofDescription): ProofDescription {
  return {
    ...found,
    ...(reads !== undefined && reads !== '{signature}' && { reads }),
    ...(key !== undefined && key !== 'text' && { key }),
  };
}

/** What comes near: the signature of a body that something has changed on the way, or a hash without a secret. */
function nearBy(delivery: RawDelivery, secrets: readonly string[]): readonly FoundProof[] {
  const text = Buffer.from(delivery.body).toString();
  const changed: readonly (readonly [string, string])[] = [
    ['without the last line break', text.replace(/\r?\n$/, '')],
    ['with a line break at its end', `${text}\n`],
    ['with line breaks of one character', text.replaceAll('\r\n', '\n')],
    ['as JSON without white space', compact(text)],
  ];
  for (const [how, body] of changed)
    if (body !== text)
      for (const verify of templates({ ...delivery, body: Buffer.from(body) }, secrets))
        return [
          { verify, near: `It fits the body ${how}: something between the sender and here changed the body` },
        ];
  for (const { header, signature } of candidates(delivery))
    for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512'])
      if (createHash(algorithm).update(delivery.body).digest('hex') === signature.toLowerCase())
        return [
          { near: `${header} has the ${algorithm} of the body, without a secret: anybody can make it` },
        ];
  return [];
}

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
