/** The PDF files of payment slips of traffic violations. */
import { fileAddress } from '../files/file-address.ts';
import { dayText, labelled, reaisText, type PageOfText } from '../files/page-of-text.ts';
import { notAvailable } from '../http/http-error.ts';
import type { Provider } from '../provider.ts';
import { readAccessibleTicket, violationTickets } from './violation-ticket.ts';

/** Returns the address of a slip's PDF. @throws HttpError 404 without an issued slip; 403 while the user's link is inactive. */
export async function ticketFileAddress(
  provider: Provider,
  organization: number,
  id: number,
): Promise<string> {
  const ticket = await readAccessibleTicket(provider.query, organization, id);
  if (ticket.status !== 'issued')
    throw notAvailable(`Ticket with id ${String(id)} is ${ticket.status}: only an issued one has a file`);
  return fileAddress(provider, { organization, kind: 'ticket', id });
}

/** Returns the text of a slip's PDF, or null when the slip is not issued. */
export async function ticketFile(
  { query }: Provider,
  organization: number,
  id: number,
): Promise<PageOfText | null> {
  const ticket = await violationTickets.find(query, organization, id);
  if (ticket?.status !== 'issued') return null;
  return {
    title: 'Guia de Pagamento de Multa de Trânsito',
    lines: [
      ...labelled('Auto de infração', ticket.violation_ait),
      ...labelled('Infração', ticket.violation_description),
      '',
      ...labelled('Valor', reaisText(ticket.amount)),
      ...labelled('Desconto', discountTexts[ticket.discount]),
      ...labelled('Vencimento', dayText(ticket.due_date)),
      '',
      ...labelled('Linha digitável', ticket.barcode),
      ...labelled('PIX copia e cola', ticket.pix),
    ],
  };
}

const discountTexts = { full: '40%', partial: '20%', none: null } as const;
