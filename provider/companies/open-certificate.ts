import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import forge from 'node-forge';
import { takesTooManyRounds } from './key-derivation-rounds.ts';

/** What a digital certificate's file says, once opened. */
export interface OpenedCertificate {
  /** First and last moment of validity, milliseconds since 1970. */
  readonly validFrom: number;
  readonly validTo: number;
}

/** Certificates with their issuers' have ten kilobytes, and what is read here is read at once. */
export const MAX_BYTES = 102_400;

export type CertificateProblem =
  'not a PKCS#12 file' | 'too large' | 'too much work' | 'wrong password' | 'no certificate with its key';

/**
 * Opens a PKCS#12 file (.pfx, .p12) with its password: the integrity code is
 * checked, and a certificate must come with the private key that belongs to it.
 * Keys of any algorithm that Node knows; the encryptions are those of RFC 7292,
 * the old ones that Brazilian certificates still come with, and PBES2.
 *
 * @param file base64, line breaks allowed.
 */
export function openCertificate(file: string, password: string): OpenedCertificate | CertificateProblem {
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
  if (takesTooManyRounds(container, utf8 === password ? [password] : [password, utf8]))
    return 'too much work';
  const opened = decrypt(container, password, utf8);
  if (typeof opened === 'string') return opened;
  const certificate = readEndEntity(opened);
  if (certificate === undefined) return 'no certificate with its key';
  return { validFrom: Date.parse(certificate.validFrom), validTo: Date.parse(certificate.validTo) };
}

/** Undefined when the text is something else. */
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
    // Its only error about the password; all others are about the file.
    if (error instanceof Error && error.message.includes('Invalid password')) return 'wrong password';
    return (utf8 === password ? undefined : decryptAsUtf8(container, utf8)) ?? 'not a PKCS#12 file';
  }
}

/**
 * The integrity code takes the password as UTF-16, PBES2 takes it as UTF-8, and
 * the library takes one for both. By now the first has fitted and is left out.
 */
function decryptAsUtf8(
  { value, ...container }: forge.asn1.Asn1,
  utf8: string,
): forge.pkcs12.Pkcs12Pfx | undefined {
  try {
    const withoutMac = { ...container, value: value.slice(0, 2) };
    return forge.pkcs12.pkcs12FromAsn1(withoutMac, true, utf8);
  } catch {
    return undefined;
  }
}

function readEndEntity(file: forge.pkcs12.Pkcs12Pfx): X509Certificate | undefined {
  try {
    return endEntity(file);
  } catch {
    // What is in the bags is neither a certificate nor a key that Node can read.
    return undefined;
  }
}

/** The certificate that a private key of the file belongs to; the others are those of its issuers. */
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

/** The library knows RSA only, and leaves what it does not know as it came: that Node reads. */
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
