import forge from 'node-forge';

type Asn1 = forge.asn1.Asn1;
const { Class, Type } = forge.asn1;

/**
 * Most rounds in all: seconds of work at worst. OpenSSL and Windows write files of
 * some thousands, Java of thirty thousand, and of two hundred thousand in its day.
 */
export const MAX_ROUNDS = 200_000;

/** The names of what derives a key in rounds: PBKDF2, and all that RFC 7292 has of its own. */
const DERIVATION = /^1\.2\.840\.113549\.1\.(5\.12|12\.1\.\d+)$/;

/**
 * Whether opening a PKCS#12 container takes more than {@link MAX_ROUNDS} rounds of
 * key derivation. Whoever writes a file chooses their number, and they block the
 * process. Stops as soon as it knows, so it never does more work than is allowed.
 *
 * @param passwords to look into what is encrypted with: that can ask for rounds, too.
 */
export function takesTooManyRounds(container: Asn1, passwords: readonly string[]): boolean {
  let sum = 0;
  for (const rounds of [integrityRounds(container), roundsIn(container, passwords)])
    for (const count of rounds) {
      sum += count;
      if (sum > MAX_ROUNDS) return true;
    }
  return false;
}

/** Of the code that the password is checked by, the container's third part. */
function* integrityRounds(container: Asn1): Generator<number> {
  const mac = childrenOf(container)[2];
  if (mac !== undefined) yield integersOf(mac);
}

/** Each is told before anything is decrypted with it. */
function* roundsIn(node: Asn1, passwords: readonly string[]): Generator<number> {
  if (isOctets(node)) {
    const nested = parsed(octetsOf(node));
    if (nested !== undefined) yield* roundsIn(nested, passwords);
    return;
  }
  const children = childrenOf(node);
  const [name, parameters, encrypted] = children;
  if (name !== undefined && parameters !== undefined && isDerivation(name)) yield integersOf(parameters);
  for (const child of children) yield* roundsIn(child, passwords);
  if (parameters === undefined || encrypted === undefined || !isEncryptedContent(encrypted)) return;
  for (const password of passwords) {
    const content = decrypted(parameters, octetsOf(encrypted), password);
    if (content !== undefined) yield* roundsIn(content, passwords);
  }
}

/** `[0]` behind a name and an algorithm: PKCS#7's encrypted content. */
function isEncryptedContent({ tagClass, type }: Asn1): boolean {
  return tagClass === Class.CONTEXT_SPECIFIC && type === forge.asn1.Type.NONE;
}

/** The library decrypts keys only; to it, it is the same. */
function decrypted(algorithm: Asn1, octets: string, password: string): Asn1 | undefined {
  const { create } = forge.asn1;
  const key = create(Class.UNIVERSAL, Type.SEQUENCE, true, [
    algorithm,
    create(Class.UNIVERSAL, Type.OCTETSTRING, false, octets),
  ]);
  try {
    // Null where the padding is wrong, which its types do not tell.
    const info: unknown = forge.pki.decryptPrivateKeyInfo(key, password);
    return info === null ? undefined : (info as Asn1);
  } catch {
    // Another password, or no encrypted content: what cannot be opened asks for nothing further.
    return undefined;
  }
}

function isDerivation({ type, value }: Asn1): boolean {
  if (type !== Type.OID || typeof value !== 'string') return false;
  try {
    // As the library reads it: a name can be written in several ways.
    return DERIVATION.test(forge.asn1.derToOid(value));
  } catch {
    return false;
  }
}

/** The sum of the whole numbers right below: rounds, and a length in bytes perhaps. */
function integersOf(node: Asn1): number {
  return childrenOf(node)
    .filter(({ tagClass, type }) => tagClass === Class.UNIVERSAL && type === Type.INTEGER)
    .reduce(
      (sum, integer) => sum + Number(`0x0${Buffer.from(octetsOf(integer), 'binary').toString('hex')}`),
      0,
    );
}

function isOctets({ tagClass, type }: Asn1): boolean {
  return tagClass === Class.UNIVERSAL && type === Type.OCTETSTRING;
}

/** In one piece; BER allows several. */
function octetsOf({ value }: Asn1): string {
  return typeof value === 'string' ? value : value.map(octetsOf).join('');
}

function childrenOf({ value }: Asn1): readonly Asn1[] {
  return typeof value === 'string' ? [] : value;
}

function parsed(octets: string): Asn1 | undefined {
  try {
    return forge.asn1.fromDer(octets);
  } catch {
    // Octets that are no structure: most are not.
    return undefined;
  }
}
