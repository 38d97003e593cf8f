import { Buffer } from 'node:buffer';

/** The first six bytes of a digest as a number: exact in a double, small in an index. */
export function digestKey(digest: Uint8Array): number {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).readUIntBE(0, 6);
}

/** Whether two digests, or the absence of both, are the same. */
export function sameDigest(one: Uint8Array | null, other: Uint8Array | null): boolean {
  if (one === null || other === null) return one === other;
  return Buffer.compare(one, other) === 0;
}
