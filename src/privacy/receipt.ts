/** Signs and checks the receipts of erasures. */
import { createHash, createHmac, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { canonicalJson } from '../kernel/json/canonical-json.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import type { ContentPlace, HashedIdentifier } from '../store/privacy.ts';
import type { SearchedFile } from './files/search-files.ts';

/** The signed statement that a person was erased. It holds no personal data. */
export interface Receipt {
  readonly format: 'portaria-erasure-1';
  readonly erasure: string;
  readonly store_id: string;
  readonly finished_at: string;
  readonly requested_by: string;
  readonly reason: string;
  /** Keyed hashes: the store recognizes the person by them after a restore. */
  readonly identifiers: readonly HashedIdentifier[];
  /** The rows that all runs of the erasure changed, by place. */
  readonly erased_rows: Readonly<Record<ContentPlace, number>>;
  /** The runs, oldest first: more than one if the erasure was interrupted. */
  readonly runs: readonly {
    readonly started_at: string;
    /** Changed rows by place; a place without any is left out. */
    readonly erased_rows: Readonly<Partial<Record<ContentPlace, number>>>;
  }[];
  /** Rows that stay because their subject is held. */
  readonly held_rows: number;
  /** Rows of the store that still name the person, by a last pass over all of them; held ones excepted. */
  readonly rows_left: 0;
  readonly log_emptied: boolean;
  readonly files: readonly SearchedFile[];
  readonly bytes_searched: number;
  /** Erased values, such as names, that the bytes were searched for; 0 if the last run erased none. */
  readonly values_searched: number;
  /** Occurrences of the person's identifiers in these bytes. */
  readonly hits: number;
  /** The store's Ed25519 key, base64 of its SPKI. */
  readonly public_key: string;
  /** Ed25519 over the canonical JSON (RFC 8785) of everything else, base64. */
  readonly signature: string;
}

/** Derives the store's key pair: every backup of the store has it. */
function signingKey(storeKey: Uint8Array) {
  const seed = createHmac('sha256', storeKey).update('receipt signing key').digest();
  // The fixed head of an Ed25519 private key in PKCS#8 (RFC 8410).
  const head = Buffer.from('302e020100300506032b657004220420', 'hex');
  return createPrivateKey({ key: Buffer.concat([head, seed]), format: 'der', type: 'pkcs8' });
}

/** Returns the store's public key as receipts name it: base64 of its SPKI. */
export function publicKeyOf(storeKey: Uint8Array): string {
  const key = createPublicKey(signingKey(storeKey));
  return key.export({ format: 'der', type: 'spki' }).toString('base64');
}

/** A short name of a public key, for people to compare. */
export function fingerprint(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex').slice(0, 16);
}

export function signReceipt(
  content: Omit<Receipt, 'format' | 'public_key' | 'signature'>,
  storeKey: Uint8Array,
): Receipt {
  const unsigned = { format: 'portaria-erasure-1', ...content, public_key: publicKeyOf(storeKey) } as const;
  const signature = sign(null, signedBytes(unsigned), signingKey(storeKey)).toString('base64');
  return { ...unsigned, signature };
}

/** Whether a receipt is as it was signed, by the key that it names. Never throws. */
export function isAuthentic(receipt: Receipt): boolean {
  const { signature, ...signed } = receipt;
  try {
    const key = createPublicKey({
      key: Buffer.from(receipt.public_key, 'base64'),
      format: 'der',
      type: 'spki',
    });
    return verify(null, signedBytes(signed), key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

/** Whether a value has the members of a receipt. */
export function isReceipt(value: unknown): value is Receipt {
  if (typeof value !== 'object' || value === null) return false;
  const { format, signature, public_key: key, identifiers } = value as Partial<Receipt>;
  return (
    format === 'portaria-erasure-1' &&
    typeof signature === 'string' &&
    typeof key === 'string' &&
    Array.isArray(identifiers)
  );
}

function signedBytes(content: object): Buffer {
  return Buffer.from(canonicalJson(content as JsonValue));
}
