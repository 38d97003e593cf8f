/** Serves files by signed URL. */
import type { Context } from 'hono';
import { notAvailable, HttpError } from '../http/http-error.ts';
import type { Provider } from '../provider.ts';
import { signedDocumentFile, signingDocumentFile } from '../indications/read-signing-document.ts';
import { penaltyNotice, violationNotice } from '../traffic-violations/violation-notices.ts';
import { ticketFile } from '../violation-tickets/violation-ticket-file.ts';
import { checkAddress, fileKinds, type FileKind } from './file-address.ts';
import type { PageOfText } from './page-of-text.ts';
import { pdfDocument } from './pdf-document.ts';

/** Path of files. They need no API key: their URL is signed. */
export const FILE_PATH = '/files/:organization/:kind/:file';

/** Reads the content of a file by its kind; null when the record has none. */
const fileContents: Readonly<
  Record<FileKind, (provider: Provider, organization: number, id: number) => Promise<PageOfText | null>>
> = {
  'violation-notice': violationNotice,
  'penalty-notice': penaltyNotice,
  ticket: ticketFile,
  'signing-document': signingDocumentFile,
  'signed-document': signedDocumentFile,
};

/**
 * Serves the PDF of a pre-signed URL.
 *
 * @throws HttpError 403 when the signature is wrong or the URL has expired; 404 when the file
 *   does not exist.
 */
export async function serveFile(c: Context, provider: Provider): Promise<Response> {
  const kind = fileKinds.find((known): known is FileKind => known === c.req.param('kind'));
  const [, number] = /^(\d{1,15})\.pdf$/u.exec(c.req.param('file') ?? '') ?? [];
  if (kind === undefined || number === undefined) throw notAvailable('File not found');
  const organization = Number(c.req.param('organization'));
  const id = Number(number);
  const { expires = '', signature = '' } = c.req.query();
  const address = await checkAddress(provider, { organization, kind, id }, { expires, signature });
  if (address === 'forged') throw new HttpError(403, 'The signature of the URL is not valid');
  if (address === 'expired') throw new HttpError(403, 'The URL has expired: request a new one');
  const content = await fileContents[kind](provider, organization, id);
  if (content === null) throw notAvailable('The file no longer exists');
  return c.body(new Uint8Array(pdfDocument(content)).buffer, 200, {
    'content-type': 'application/pdf',
    'content-disposition': `inline; filename="${kind}-${String(id)}.pdf"`,
    'cache-control': 'private, no-store',
  });
}
