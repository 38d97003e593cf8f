import forge from 'node-forge';

const YEAR_MS = 365 * 86_400_000;

/**
 * A self-signed certificate, as a fleet's office has it in a file.
 *
 * @param {{ readonly now: number, readonly password: string }} options `now` in milliseconds since 1970
 * @returns {string} PKCS#12 in base64
 */
export function makeCertificate({ now, password }) {
  const keys = forge.pki.rsa.generateKeyPair(2048);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = keys.publicKey;
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date(now - YEAR_MS / 2);
  certificate.validity.notAfter = new Date(now + YEAR_MS / 2);
  const name = [{ name: 'commonName', value: 'Frota de demonstração' }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.sign(keys.privateKey, forge.md.sha256.create());
  const file = forge.pkcs12.toPkcs12Asn1(keys.privateKey, [certificate], password, { algorithm: '3des' });
  return forge.util.encode64(forge.asn1.toDer(file).getBytes());
}
