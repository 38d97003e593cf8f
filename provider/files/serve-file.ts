import type { Context } from 'hono';
import { notAvailable, Refusal } from '../http/refusal.ts';
import type { Provider } from '../provider.ts';
import { checkAddress } from './file-address.ts';
import { fileContents } from './file-contents.ts';
import { fileKinds, type FileKind } from './file-kind.ts';
import { pdfDocument } from './pdf-document.ts';

/** Where files are served: outside the interface, and without a key, because the address is the key. */
export const FILE_PATH = '/files/:organization/:kind/:file';

/**
 * Answers a pre-signed address with its PDF.
 *
 * @throws Refusal 403 when the provider did not make the address or its 15 minutes are over, 404 when the
 *   file is no more.
 */
export async function serveFile(c: Context, provider: Provider): Promise<Response> {
  const kind = fileKinds.find((known): known is FileKind => known === c.req.param('kind'));
  const [, number] = /^(\d{1,15})\.pdf$/u.exec(c.req.param('file') ?? '') ?? [];
  if (kind === undefined || number === undefined) throw notAvailable('There is no such file');
  const organization = Number(c.req.param('organization'));
  const id = Number(number);
  const { expires = '', signature = '' } = c.req.query();
  const address = await checkAddress(provider, { organization, kind, id }, { expires, signature });
  if (address === 'forged') throw new Refusal(403, 'The address is not one that the provider made');
  if (address === 'expired') throw new Refusal(403, 'The address has expired: ask for another');
  const content = await fileContents[kind](provider, organization, id);
  if (content === null) throw notAvailable('The file does not exist any more');
  return c.body(new Uint8Array(pdfDocument(content)).buffer, 200, {
    'content-type': 'application/pdf',
    'content-disposition': `inline; filename="${kind}-${String(id)}.pdf"`,
    'cache-control': 'private, no-store',
  });
}
