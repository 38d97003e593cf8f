/** Reads how a source proves its deliveries: one description for settings and `defineSource`. */
import type { z } from 'zod';
import {
  presetNames,
  schemeNames,
  type PresetName,
  type SchemeName,
} from '../contract/source-verification.ts';
import { isJsonObject } from '../kernel/json/json.ts';
import { suggest } from '../kernel/text/suggest.ts';
import { presets } from './presets.ts';
import { proofFields, type ProofFields } from './proof-fields.ts';
import { compileHeader, compileSigned, type Part } from './signed/template.ts';
import { TOLERANCE_SECONDS } from './timestamps.ts';
import type { Proof, VerifyOptions } from './verify-options.ts';

/** A mistake in a description, as the end of a sentence after its field. */
export interface ProofMistake {
  readonly path: readonly string[];
  readonly message: string;
}

export type ReadProof =
  | { readonly proof: Proof; readonly mistakes?: undefined }
  | { readonly proof?: undefined; readonly mistakes: readonly ProofMistake[] };

const names: readonly string[] = [...schemeNames, ...presetNames];

/** Every name that a description may have, for messages. */
export const PROOF_NAMES = names.join(', ');

export function isProofName(name: string): boolean {
  return names.includes(name);
}

/** Reads a name of a scheme or of a sender, an object with `scheme`, or a function. Reports every mistake. */
export function readProof(given: unknown): ReadProof {
  if (typeof given === 'function')
    return { proof: { scheme: 'function', verify: given as (Proof & { scheme: 'function' })['verify'] } };
  const description = typeof given === 'string' ? { scheme: given } : given;
  if (!isJsonObject(description))
    return mistake([], 'must be the name of a scheme, or an object with `scheme` and its fields');
  const path = typeof given === 'string' ? [] : ['scheme'];
  const { scheme: name, ...own } = description;
  if (typeof name !== 'string' || !isProofName(name)) {
    const near = typeof name === 'string' ? suggest(name, names) : undefined;
    return mistake(
      path,
      `must be one of ${PROOF_NAMES}${near === undefined ? '' : `; did you mean ${near}?`}`,
    );
  }
  const preset = presetNames.find((one) => one === name);
  if (preset === undefined) return readFields(name as SchemeName, own, undefined);
  const { scheme, bodyNotSigned: _, ...usual } = presets[preset];
  return readFields(scheme, { ...usual, ...own }, preset);
}

/** The options that try a proof with secrets; undefined for a description with mistakes. */
export function optionsToTry(given: unknown, secrets: readonly string[]): VerifyOptions | undefined {
  const { proof } = readProof(given);
  const idHeader = proof?.scheme === 'signed' ? proof.idHeader : undefined;
  return proof && ({ ...proof, secrets, messageIdHeader: idHeader ?? 'webhook-id' } as VerifyOptions);
}

function mistake(path: readonly string[], message: string): ReadProof {
  return { mistakes: [{ path, message }] };
}

function readFields(
  scheme: SchemeName,
  given: Readonly<Record<string, unknown>>,
  preset: PresetName | undefined,
): ReadProof {
  const read = proofFields[scheme].safeParse(given);
  if (!read.success) return { mistakes: read.error.issues.flatMap((issue) => mistakesOf(issue, scheme)) };
  if (scheme === 'signed') return readSigned(read.data as ProofFields['signed'], preset);
  const { tolerance: toleranceSeconds, ...own } = read.data as Partial<
    ProofFields['jwt'] & ProofFields['token']
  >;
  const isUsual = scheme === 'token' && own.query === undefined && own.header === undefined;
  const usual = isUsual ? { header: 'x-webhook-token' } : {};
  return { proof: definedOnly({ scheme, preset, toleranceSeconds, ...own, ...usual }) as Proof };
}

function mistakesOf(issue: z.core.$ZodIssue, scheme: SchemeName): readonly ProofMistake[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const known = Object.keys(path.length === 0 ? proofFields[scheme].shape : { header: true });
      const near = suggest(key, known);
      const hint = known.length === 0 ? 'it has none' : `its fields are ${known.join(', ')}`;
      return {
        path: [...path, key],
        message: `is not a field of ${scheme}; ${near === undefined ? hint : `did you mean ${near}?`}`,
      };
    });
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return [{ path, message: missing ? `is missing; it ${issue.message}` : issue.message }];
}

/** Checks that the templates cover the body, and read what is sent. */
function readSigned(
  { timestamp, id, tolerance: given, ...own }: ProofFields['signed'],
  preset: PresetName | undefined,
): ReadProof {
  const mistakes: ProofMistake[] = [];
  const say = (field: string, message: string): void => {
    mistakes.push({ path: [field], message });
  };
  const reads = compileHeader(own.reads);
  const signs = compileSigned(own.signs);
  if (reads.mistake !== undefined) say('reads', reads.mistake);
  if (signs.mistake !== undefined) say('signs', signs.mistake);
  const parts = signs.value ?? [];
  const has = (type: Part['type']): boolean => parts.some((part) => part.type === type);
  const signsHeader = (name: string): boolean =>
    parts.some((part) => part.type === 'header' && part.name === name);
  if (signs.value !== undefined && !has('body') && !isBodyNotSigned(preset, own.signs))
    say('signs', 'does not cover {body}: anybody could replace it; add {body} where the sender signs it');
  const named = parts.flatMap((part) =>
    part.type === 'header' && /time-?stamp$/.test(part.name) ? [part.name] : [],
  );
  const inReads = reads.value?.hasTimestamp === true;
  const timestampHeader = timestamp ?? (inReads ? undefined : named[0]);
  const isTimed = inReads || timestampHeader !== undefined;
  if (reads.value !== undefined && signs.value !== undefined) {
    if (inReads && timestamp !== undefined)
      say('timestamp', 'and {timestamp} in reads are both set; keep one');
    if (reads.value.hasId && id !== undefined) say('id', 'and {id} in reads are both set; keep one of them');
    if (has('timestamp') && !isTimed)
      say('signs', 'has {timestamp}, which is not sent: add it to reads, or name its header in timestamp');
    const isSigned = has('timestamp') || (timestampHeader !== undefined && signsHeader(timestampHeader));
    if (isTimed && !isSigned)
      say('signs', 'does not cover {timestamp}: anybody could change it; add it, or do not read it');
    if (reads.value.hasId && !has('id'))
      say('signs', 'does not cover {id}: anybody could change it; add it, or do not read it');
    if (given !== undefined && !isTimed)
      say(
        'tolerance',
        'has no timestamp to check: add {timestamp} to reads, or name its header in timestamp',
      );
  }
  if (mistakes.length > 0) return { mistakes };
  const toleranceSeconds = given ?? TOLERANCE_SECONDS;
  const proof = { scheme: 'signed', preset, ...own, timestampHeader, idHeader: id, toleranceSeconds };
  return { proof: definedOnly(proof) as Proof };
}

function isBodyNotSigned(preset: PresetName | undefined, signs: string): boolean {
  if (preset === undefined) return false;
  return presets[preset].bodyNotSigned !== undefined && presets[preset].signs === signs;
}

/** Whether the proof leaves the body open, although there is one for this message: nothing in it can be trusted. */
export function isBodyOpen(proof: Proof): boolean {
  if (proof.scheme === 'signed') return !proof.signs.includes('{body}');
  return proof.scheme === 'jwt' && proof.bodyHash === undefined;
}

function definedOnly(fieldsOf: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fieldsOf).filter(([, value]) => value !== undefined));
}
