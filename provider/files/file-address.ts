/** Signed URLs of files. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Provider } from '../provider.ts';

/** Validity of a URL (specification, Limits). */
const LIFETIME_MS = 15 * 60_000;

/** Identifies a file: its organization, its kind and the id of its record. */
export interface FileName {
  readonly organization: number;
  readonly kind: FileKind;
  readonly id: number;
}

/** The query of a signed URL. */
export interface FileProof {
  /** Seconds since 1970, as in the URL. */
  readonly expires: string;
  readonly signature: string;
}

type Keys = Pick<Provider, 'query' | 'change' | 'createSecret'>;

/** Returns a URL that serves the file to anybody for 15 minutes. */
export async function fileAddress(
  provider: Keys & Pick<Provider, 'clock' | 'baseUrl'>,
  file: FileName,
): Promise<string> {
  const expires = String(Math.floor((provider.clock.now() + LIFETIME_MS) / 1000));
  const signature = sign(await keyOf(provider, file.organization), file, expires);
  return `${provider.baseUrl()}${filePath(file)}?expires=${expires}&signature=${signature}`;
}

/** Checks the signature and the expiry of a URL. */
export async function checkAddress(
  { query, clock }: Pick<Provider, 'query' | 'clock'>,
  file: FileName,
  { expires, signature }: FileProof,
): Promise<'good' | 'expired' | 'forged'> {
  const key = await query
    .selectFrom('file_keys')
    .select('secret')
    .where('organization_id', '=', file.organization)
    .executeTakeFirst();
  if (key === undefined) return 'forged';
  const expected = Buffer.from(sign(key.secret, file, expires));
  const given = Buffer.from(signature);
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return 'forged';
  return clock.now() < Number(expires) * 1000 ? 'good' : 'expired';
}

function filePath({ organization, kind, id }: FileName): string {
  return `/files/${String(organization)}/${kind}/${String(id)}.pdf`;
}

function sign(secret: string, file: FileName, expires: string): string {
  return createHmac('sha256', secret)
    .update(`${filePath(file)}?${expires}`)
    .digest('base64url');
}

/** Returns the stored key of an organization, and creates it at the first use: URLs survive a restart. */
async function keyOf({ query, change, createSecret }: Keys, organization: number): Promise<string> {
  const known = await query
    .selectFrom('file_keys')
    .select('secret')
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (known !== undefined) return known.secret;
  return change(organization, async ({ transaction }) => {
    const { secret } = await transaction
      .insertInto('file_keys')
      .values({ organization_id: organization, secret: createSecret() })
      // A concurrent request may have inserted it.
      .onConflict((conflict) =>
        conflict.column('organization_id').doUpdateSet({ secret: (row) => row.ref('file_keys.secret') }),
      )
      .returning('secret')
      .executeTakeFirstOrThrow();
    return secret;
  });
}

export const fileKinds = [
  'violation-notice',
  'penalty-notice',
  'ticket',
  'signing-document',
  'signed-document',
] as const;

export type FileKind = (typeof fileKinds)[number];
