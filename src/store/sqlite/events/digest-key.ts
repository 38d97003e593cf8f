import { Buffer } from 'node:buffer';

/** The first six bytes of a digest as a number: exact in a double, small in an index. */
export function digestKey(digest: Uint8Array): number {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).readUIntBE(0, 6);
}

export function sameDigest(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
