import { readStandardKey } from '../verify/standard-webhooks.ts';

/** A key shorter than this can be guessed from one captured signature, or by asking often. */
const MIN_SECRET_BYTES = 16;

/** A random key of 16 bytes has fewer less than once in 10^20 times. */
const MIN_DIFFERENT_BYTES = 5;

/** What examples hold in the place of a secret, and people forget to replace. */
const PLACEHOLDER =
  /replace[-_ ]?me|change[-_ ]?me|place[-_ ]?holder|your[-_ ](\w+[-_ ])?(secret|token|key)|…|\.{3}$|^<.*>$|^(whsec_)?(x{3,}|\*{3,})$/i;

/** What is wrong with a secret. */
export interface SecretJudgement {
  /** Why it is never accepted, or not on an address that others can reach. */
  readonly refusal?: string;
  /** What is accepted on this machine only. */
  readonly warning?: string;
}

/** Makes a secret that is plain text. */
const RANDOM_TEXT = '`openssl rand -hex 32`';

/** Makes a secret of Standard Webhooks. */
const RANDOM_STANDARD = '`echo "whsec_$(openssl rand -base64 32)"`';

/**
 * Judges a secret that is used as it is written.
 *
 * @param reachable the address at which others can try it; null when only this machine can.
 */
export function judgeText(text: string, reachable: string | null): SecretJudgement {
  return judge(text, weaknessOfText(text), RANDOM_TEXT, reachable);
}

/** Judges a secret of Standard Webhooks, of which the bytes behind the base64 count. */
export function judgeStandard(text: string, reachable: string | null): SecretJudgement {
  const key = readStandardKey(text);
  const judged = judge(text, weaknessOfKey(key ?? new Uint8Array()), RANDOM_STANDARD, reachable);
  if (isPlaceholder(text) || key !== null) return judged;
  return { refusal: 'must be base64, with or without whsec_ before it' };
}

/** Whether it is an example's text that nobody has replaced. */
export function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text);
}

/** The result never quotes the secret. */
function judge(
  text: string,
  weakness: string | null,
  remedy: string,
  reachable: string | null,
): SecretJudgement {
  if (isPlaceholder(text)) return { refusal: `is a placeholder; replace it with a random one: ${remedy}` };
  if (weakness === null) return {};
  return reachable === null
    ? { warning: `${weakness}, which is good for tests on this machine only; make one by ${remedy}` }
    : { refusal: `${weakness}, and ${reachable} can be reached from elsewhere; make one by ${remedy}` };
}

function weaknessOfText(text: string): string | null {
  const isRepeated = /^(.)\1*$/u.test(text.replace(/^whsec_/, '').replace(/=+$/, ''));
  return weaknessOfLength(Buffer.byteLength(text)) ?? (isRepeated ? 'repeats one character' : null);
}

function weaknessOfKey(key: Uint8Array): string | null {
  const isUniform = new Set(key).size < MIN_DIFFERENT_BYTES;
  return (
    weaknessOfLength(key.length) ??
    (isUniform ? `has fewer than ${String(MIN_DIFFERENT_BYTES)} different bytes` : null)
  );
}

function weaknessOfLength(bytes: number): string | null {
  return bytes < MIN_SECRET_BYTES ? `is shorter than ${String(MIN_SECRET_BYTES)} bytes` : null;
}
