/** What an operator sends to the sender of webhooks that are held: in English and in Portuguese. */
import type { Language } from '../pages/language/languages.ts';

/** Held webhooks with one problem. Texts hold no personal data unless the page is unmasked. */
export interface HeldReport {
  readonly kind: string | null;
  /** For example `data.amount`; empty for the whole body. */
  readonly path: string;
  /** What was expected, in English. */
  readonly message: string;
  /** The value of the first webhook, as JSON; null when it is hidden or absent. */
  readonly value: string | null;
  /** Some of them, the newest first. */
  readonly webhooks: readonly {
    readonly received_at: string;
    readonly subject: string | null;
    readonly message_id: string | null;
  }[];
  /** How many there are. */
  readonly count: number;
  /** ISO 8601. */
  readonly firstAt: string;
  readonly lastAt: string;
}

const words = {
  en: {
    begin: (count: number): string =>
      `We could not accept ${count === 1 ? 'a webhook' : `${String(count)} webhooks`} of yours:`,
    kind: 'Kind',
    field: 'Field',
    body: 'the whole body',
    problem: 'Expected',
    value: 'Sent, for example',
    first: 'First',
    last: 'Last',
    webhooks: 'Webhooks (received, subject, message id)',
    end: 'Please correct this and send them again.',
  },
  'pt-BR': {
    begin: (count: number): string =>
      `Não pudemos aceitar ${count === 1 ? 'um webhook enviado' : `${String(count)} webhooks enviados`} por vocês:`,
    kind: 'Tipo',
    field: 'Campo',
    body: 'o corpo inteiro',
    problem: 'Esperado',
    value: 'Enviado, por exemplo',
    first: 'Primeiro',
    last: 'Último',
    webhooks: 'Webhooks (recebido, objeto, id da mensagem)',
    end: 'Pedimos que corrijam isto e os enviem de novo.',
  },
} satisfies Readonly<Record<Language, object>>;

/** Writes the report in one language, as plain text. */
export function senderReport(language: Language, report: HeldReport): string {
  const { begin, kind, field, body, problem, value, first, last, webhooks, end } = words[language];
  const lines = [
    begin(report.count),
    '',
    `${kind}: ${report.kind ?? '?'}`,
    `${field}: ${report.path === '' ? body : report.path}`,
    `${problem}: ${report.message}`,
    ...(report.value === null ? [] : [`${value}: ${report.value}`]),
    `${first}: ${report.firstAt}`,
    ...(report.lastAt === report.firstAt ? [] : [`${last}: ${report.lastAt}`]),
    '',
    `${webhooks}:`,
    ...report.webhooks.map(
      (webhook) => `- ${webhook.received_at}  ${webhook.subject ?? '–'}  ${webhook.message_id ?? '–'}`,
    ),
    ...(report.count > report.webhooks.length ? ['- …'] : []),
    '',
    end,
  ];
  return lines.join('\n');
}
