/** Opens a digital certificate. */
import { createPrivateKey, X509Certificate, type KeyObject, pbkdf2Sync } from 'node:crypto';
import forge from 'node-forge';

/** The validity of a digital certificate. */
export interface OpenedCertificate {
  /** Milliseconds since 1970. */
  readonly validFrom: number;
  /** Milliseconds since 1970. */
  readonly validTo: number;
}

/** Maximum size of a file. A certificate with its issuers has about ten kilobytes. */
export const MAX_BYTES = 102_400;

/** Why a certificate cannot be opened. `too much work` comes from the time limit of the thread. */
export type CertificateProblem =
  'not a PKCS#12 file' | 'too large' | 'too much work' | 'wrong password' | 'no certificate with its key';

/**
 * Opens a PKCS#12 file (.pfx, .p12) with its password. Checks the integrity code and
 * that the private key of a certificate is there. Supports all key algorithms of Node,
 * and the encryptions of RFC 7292 (Brazilian certificates still use the old ones) and PBES2.
 * Takes as long as the file demands: call it in a thread only.
 *
 * @param file base64, line breaks allowed.
 */
export function openCertificate(file: string, password: string): OpenedCertificate | CertificateProblem {
  deriveKeysNatively();
  const der = fromBase64(file);
  if (der === undefined) return 'not a PKCS#12 file';
  if (der.length > MAX_BYTES) return 'too large';
  let container: forge.asn1.Asn1;
  try {
    container = forge.asn1.fromDer(forge.util.createBuffer(der.toString('binary')));
  } catch {
    return 'not a PKCS#12 file';
  }
  const utf8 = forge.util.encodeUtf8(password);
  const opened = decrypt(container, password, utf8);
  if (typeof opened === 'string') return opened;
  const certificate = readEndEntity(opened);
  if (certificate === undefined) return 'no certificate with its key';
  return { validFrom: Date.parse(certificate.validFrom), validTo: Date.parse(certificate.validTo) };
}

/** Returns undefined when the string is not base64. */
function fromBase64(text: string): Buffer | undefined {
  const compact = text.replaceAll(/\s/gu, '');
  if (compact === '' || !/^[A-Za-z0-9+/]+={0,2}$/u.test(compact)) return undefined;
  return Buffer.from(compact, 'base64');
}

function decrypt(
  container: forge.asn1.Asn1,
  password: string,
  utf8: string,
): forge.pkcs12.Pkcs12Pfx | CertificateProblem {
  try {
    return forge.pkcs12.pkcs12FromAsn1(container, true, password);
  } catch (error) {
    if (error instanceof TooManyRounds) return 'too much work';
    // The library's only error about the password; all others are about the file.
    if (error instanceof Error && error.message.includes('Invalid password')) return 'wrong password';
    return utf8 === password ? 'not a PKCS#12 file' : decryptAsUtf8(container, utf8);
  }
}

/**
 * Decrypts with the password in UTF-8, as PBES2 does. The integrity code uses UTF-16 and
 * the library uses one string for both, so the code, which was checked before, is left out.
 */
function decryptAsUtf8(
  { value, ...container }: forge.asn1.Asn1,
  utf8: string,
): forge.pkcs12.Pkcs12Pfx | CertificateProblem {
  try {
    const withoutMac = { ...container, value: value.slice(0, 2) };
    return forge.pkcs12.pkcs12FromAsn1(withoutMac, true, utf8);
  } catch (error) {
    return error instanceof TooManyRounds ? 'too much work' : 'not a PKCS#12 file';
  }
}

function readEndEntity(file: forge.pkcs12.Pkcs12Pfx): X509Certificate | undefined {
  try {
    return endEntity(file);
  } catch {
    // The bags hold a certificate or key that Node cannot read.
    return undefined;
  }
}

/** Returns the certificate of a private key in the file. The other certificates are those of issuers. */
function endEntity(file: forge.pkcs12.Pkcs12Pfx): X509Certificate | undefined {
  const bags = file.safeContents.flatMap(({ safeBags }) => safeBags);
  const keys = bags.filter(isKey).map(readKey);
  return bags
    .filter(({ type }) => type === forge.pki.oids['certBag'])
    .map(readCertificate)
    .find((certificate) => keys.some((key) => certificate.checkPrivateKey(key)));
}

function isKey({ type }: forge.pkcs12.Bag): boolean {
  return type === forge.pki.oids['keyBag'] || type === forge.pki.oids['pkcs8ShroudedKeyBag'];
}

/** Reads with Node, because the library parses RSA only and leaves other algorithms as ASN.1. */
function readCertificate({ cert, asn1 }: forge.pkcs12.Bag): X509Certificate {
  return new X509Certificate(bytesOf(cert == null ? asn1 : forge.pki.certificateToAsn1(cert)));
}

function readKey({ key, asn1 }: forge.pkcs12.Bag): KeyObject {
  return key == null
    ? createPrivateKey({ key: bytesOf(asn1), format: 'der', type: 'pkcs8' })
    : createPrivateKey({ key: bytesOf(forge.pki.privateKeyToAsn1(key)), format: 'der', type: 'pkcs1' });
}

function bytesOf(asn1: forge.asn1.Asn1): Buffer {
  return Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'binary');
}

/**
 * Maximum number of rounds of PBKDF2. Ordinary files have up to 600,000, which take a few tenths of a second.
 * OpenSSL cannot be stopped on its way, so this bounds how long a thread outlives its time limit.
 */
export const MAX_PBKDF2_ROUNDS = 10_000_000;

/** Thrown for a file whose key derivation would take too long. */
class TooManyRounds extends Error {}

/** A hash function as the library passes it: an object, or its name. */
type Digest = forge.md.MessageDigest | string | null | undefined;

/**
 * Makes the library derive keys by PBKDF2 with OpenSSL. Its own implementation is in JavaScript for every digest
 * but the default, and takes ten times as long.
 */
function deriveKeysNatively(): void {
  // Its other functions look it up there for each key.
  Object.assign(forge.pkcs5, { pbkdf2 });
}

/** The library's signature, without its callback; passwords, salts and keys are binary strings. */
function pbkdf2(password: string, salt: string, rounds: number, length: number, digest?: Digest): string {
  if (rounds > MAX_PBKDF2_ROUNDS) throw new TooManyRounds(`PBKDF2 with ${String(rounds)} rounds`);
  const key = pbkdf2Sync(
    Buffer.from(password, 'binary'),
    Buffer.from(salt, 'binary'),
    rounds,
    length,
    digestName(digest),
  );
  return key.toString('binary');
}

function digestName(digest: Digest): string {
  if (digest == null) return 'sha1';
  if (typeof digest === 'string') return digest;
  // The types of the library omit the name.
  return (digest as forge.md.MessageDigest & { readonly algorithm: string }).algorithm;
}
