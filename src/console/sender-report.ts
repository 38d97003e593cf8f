/** What an operator sends to the sender of webhooks that are held: in English and in Portuguese. */
import type { Language } from '../pages/language/languages.ts';
import type { WrongByte } from '../operate/show/likely-meant.ts';
import { rightForm, schemaMessage } from './language/schema-messages.ts';

/** Held webhooks with one problem. Texts hold no personal data unless the page is unmasked. */
export interface HeldReport {
  readonly source: string;
  /** Of the first webhook; those of several are listed. */
  readonly kind: string | null;
  /** The first byte of the first webhook that is not UTF-8. */
  readonly wrong: WrongByte | null;
  /** For example `data.amount`; empty for the whole body. */
  readonly path: string;
  /** What was expected, in English. */
  readonly message: string;
  /** The value of the first webhook, as JSON; null when it is hidden or absent. */
  readonly value: string | null;
  /** The newest of them first, as many as the report lists. */
  readonly webhooks: readonly {
    readonly received_at: string;
    readonly kind: string | null;
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
    address: 'Sent to',
    kind: 'Kind',
    kinds: (newest: number | null): string =>
      newest === null ? 'Kinds' : `Kinds of the newest ${String(newest)}`,
    wrong: ({ byte, offset, character }: WrongByte): string =>
      `the byte ${byte} at offset ${String(offset)}${character === null ? '' : `, which is ${character} in Latin-1 (ISO 8859-1)`}`,
    field: 'Field',
    body: 'the whole body',
    problem: 'Problem',
    form: 'Right, for example',
    value: 'Sent, for example',
    first: 'First',
    last: 'Last',
    webhooks: (count: number, hasKinds: boolean, hasIds: boolean): string =>
      `Webhooks: ${String(count)} (received, ${hasKinds ? 'kind, ' : ''}subject${hasIds ? ', message id' : ''})`,
    more: (count: number): string => `and ${String(count)} more`,
    end: 'Please correct this and send them again.',
  },
  'pt-BR': {
    begin: (count: number): string =>
      `Não pudemos aceitar ${count === 1 ? 'um webhook enviado' : `${String(count)} webhooks enviados`} por vocês:`,
    address: 'Enviado para',
    kind: 'Tipo',
    kinds: (newest: number | null): string =>
      newest === null ? 'Tipos' : `Tipos dos ${String(newest)} mais novos`,
    wrong: ({ byte, offset, character }: WrongByte): string =>
      `o byte ${byte} na posição ${String(offset)}${character === null ? '' : `, que é ${character} em Latin-1 (ISO 8859-1)`}`,
    field: 'Campo',
    body: 'o corpo inteiro',
    problem: 'Problema',
    form: 'Certo, por exemplo',
    value: 'Enviado, por exemplo',
    first: 'Primeiro',
    last: 'Último',
    webhooks: (count: number, hasKinds: boolean, hasIds: boolean): string =>
      `Webhooks: ${String(count)} (recebido, ${hasKinds ? 'tipo, ' : ''}objeto${hasIds ? ', id da mensagem' : ''})`,
    more: (count: number): string => `e mais ${String(count)}`,
    end: 'Pedimos que corrijam isto e os enviem de novo.',
  },
} satisfies Readonly<Record<Language, object>>;

/** Writes the report in one language, as plain text. */
export function senderReport(language: Language, report: HeldReport): string {
  const own = words[language];
  const { kind, source, wrong, path, message, value, webhooks, count, firstAt, lastAt } = report;
  const translated = language === 'en' ? undefined : schemaMessage(message);
  const form = rightForm(message);
  const hasIds = webhooks.some(({ message_id: id }) => id !== null);
  const kinds = [...Map.groupBy(webhooks, (each) => each.kind ?? '–')].map(
    ([name, { length }]) => `${name} (${String(length)})`,
  );
  const hasKinds = kinds.length > 1;
  const isPart = count > webhooks.length;
  const lines = [
    own.begin(count),
    '',
    `${own.address}: /webhooks${source === 'default' ? '' : `/${source}`}`,
    ...(hasKinds
      ? [`${own.kinds(isPart ? webhooks.length : null)}: ${kinds.join(', ')}`]
      : kind === null
        ? []
        : [`${own.kind}: ${kind}`]),
    `${own.field}: ${path === '' ? own.body : path}`,
    `${own.problem}: ${translated ?? message}`,
    ...(form === undefined ? [] : [`${own.form}: ${form}`]),
    ...(wrong === null ? [] : [`${own.value}: ${own.wrong(wrong)}`]),
    ...(value === null
      ? []
      : [`${own.value}: ${language === 'en' ? value : value.replace(/^text: /u, 'texto: ')}`]),
    `${own.first}: ${firstAt}`,
    ...(lastAt === firstAt ? [] : [`${own.last}: ${lastAt}`]),
    '',
    `${own.webhooks(count, hasKinds, hasIds)}:`,
    ...webhooks.map(
      ({ received_at: at, kind: of, subject, message_id: id }) =>
        `- ${at}  ${hasKinds ? `${of ?? '–'}  ` : ''}${subject ?? '–'}${id === null ? '' : `  ${id}`}`,
    ),
    ...(isPart ? [`- ${own.more(count - webhooks.length)}`] : []),
    '',
    own.end,
  ];
  return lines.join('\n');
}
