import { signedDocumentFile, signingDocumentFile } from '../indications/read-signing-document.ts';
import { penaltyNotice, violationNotice } from '../traffic-violations/violation-notices.ts';
import { ticketFile } from '../violation-tickets/violation-ticket-file.ts';
import type { Provider } from '../provider.ts';
import type { FileKind } from './file-kind.ts';
import type { PageOfText } from './page-of-text.ts';

/** What each kind of file says; null where there is none. */
export const fileContents: Readonly<
  Record<FileKind, (provider: Provider, organization: number, id: number) => Promise<PageOfText | null>>
> = {
  'violation-notice': violationNotice,
  'penalty-notice': penaltyNotice,
  ticket: ticketFile,
  'signing-document': signingDocumentFile,
  'signed-document': signedDocumentFile,
};
