/** The PDF files of violation notices and penalty notices. */
import { brazilianDay } from '../brazilian-day.ts';
import { fileAddress } from '../files/file-address.ts';
import { dayText, labelled, reaisText, type PageOfText } from '../files/page-of-text.ts';
import { notAvailable } from '../http/http-error.ts';
import type { Provider } from '../provider.ts';
import { trafficViolations, type ViolationRow } from './traffic-violation.ts';

type NoticeKind = 'violation-notice' | 'penalty-notice';

/** Returns the address of a notice's PDF. @throws HttpError 404 without the violation, and before the notice is issued. */
export async function noticeAddress(
  provider: Provider,
  organization: number,
  kind: NoticeKind,
  id: number,
): Promise<string> {
  const violation = await trafficViolations.row(provider.query, organization, id);
  if (!isOut(provider, violation, kind))
    throw notAvailable(`Traffic violation with id ${String(id)} has no ${kind.replace('-', ' ')}`);
  return fileAddress(provider, { organization, kind, id });
}

/** Returns the text of the violation notice, or null before it is issued. */
export function violationNotice(
  provider: Provider,
  organization: number,
  id: number,
): Promise<PageOfText | null> {
  return notice(provider, organization, 'violation-notice', id);
}

/** Returns the text of the penalty notice, or null before it is issued. */
export function penaltyNotice(
  provider: Provider,
  organization: number,
  id: number,
): Promise<PageOfText | null> {
  return notice(provider, organization, 'penalty-notice', id);
}

async function notice(
  provider: Provider,
  organization: number,
  kind: NoticeKind,
  id: number,
): Promise<PageOfText | null> {
  const violation = await trafficViolations.find(provider.query, organization, id);
  if (violation === undefined || !isOut(provider, violation, kind)) return null;
  const ofPenalty = kind === 'penalty-notice';
  return {
    title: ofPenalty ? 'Notificação de Penalidade' : 'Notificação de Autuação',
    lines: [
      ...labelled('Órgão autuador', violation.agency_name ?? violation.agency_code),
      ...labelled('Auto de infração', violation.ait),
      ...labelled('Data da notificação', dayText(noticeDate(violation, kind))),
      '',
      ...labelled('Placa', violation.license_plate),
      ...labelled('Infração', violation.description),
      ...labelled('Enquadramento', violation.legal_basis),
      ...labelled('Data da infração', dayText(violation.date && brazilianDay(Date.parse(violation.date)))),
      ...labelled('Local', violation.location),
      ...labelled('Valor', reaisText(violation.amount)),
      '',
      ...(ofPenalty
        ? [
            ...labelled('Vencimento', dayText(violation.due_date)),
            ...labelled('Prazo para recurso', dayText(violation.notice_appeal_deadline)),
          ]
        : [
            ...labelled('Prazo para defesa prévia', dayText(violation.preliminary_appeal_deadline)),
            ...labelled('Prazo para indicação do condutor', dayText(violation.indication_deadline)),
          ]),
    ],
  };
}

function noticeDate(violation: ViolationRow, kind: NoticeKind): string | null {
  return kind === 'penalty-notice' ? violation.penalty_notice_date : violation.violation_notice_date;
}

/** A notice is issued from its date on. */
function isOut({ clock }: Provider, violation: ViolationRow, kind: NoticeKind): boolean {
  const day = noticeDate(violation, kind);
  return day !== null && day <= brazilianDay(clock.now());
}
