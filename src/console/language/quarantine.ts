/** The words of the quarantine, in each language. */
import type { RejectionReason } from '../../event/delivery.ts';
import { counting } from '../../pages/language/count.ts';

const en = counting('en');
const pt = counting('pt-BR');

const english = {
  lead: 'Webhooks of verified senders that are not valid events. They are kept until you release or discard them.',
  none: 'Nothing is held.',
  reasons: {
    malformed: 'not an envelope',
    invalid: 'does not match its schema',
    conflict: 'message id used before',
  } satisfies Readonly<Record<RejectionReason, string>>,
  verdicts: {
    malformed: 'malformed',
    invalid: 'invalid',
    conflict: 'conflict',
  } satisfies Readonly<Record<RejectionReason, string>>,
  held: 'held',
  released: 'released',
  seen: 'Seen',
  times: (times: string, isOnce: boolean): string => (isOnce ? 'once' : `${times} times, last`),
  arriving: 'still arriving',
  entry: (id: string): string => `Quarantined webhook ${id}`,
  issues: 'What does not match',
  value: 'Sent',
  hidden: 'hidden',
  inBody: 'see the body',
  body: 'As it was sent',
  notJson: 'The body is not JSON, so personal data in it cannot be found. Unmask it to read it.',
  release: 'Release',
  releaseShown: (count: number): string => `Release those of these ${String(count)} that are valid now`,
  outcomes: (released: number, held: number): string =>
    [
      released === 0
        ? ''
        : `${en.many(released, 'webhook')} became ${released === 1 ? 'an event' : 'events'}.`,
      held === 0
        ? ''
        : `${en.many(held, 'webhook')} not released: ${held === 1 ? 'it does' : 'they do'} not match the contract.`,
    ].join(' '),
  cannot: 'It cannot be released: the contract, as it is now, does not let it through.',
  becameEvent: 'It became the event',
  discard: (count: number): string =>
    count === 1 ? 'Discard this webhook…' : `Discard these ${String(count)} webhooks…`,
  discardReason: 'Why; the audit keeps it',
  discardExplain:
    'For webhooks that cannot become events. The bytes are removed; this cannot be undone. The same bytes are held again when they come again.',
  discardConfirm: (count: number): string => `Discard ${en.many(count, 'webhook')}`,
  discarded: (count: number): string =>
    count === 0
      ? 'Nothing was discarded: it is not held any more.'
      : `${en.many(count, 'webhook')} discarded.`,
  about: (count: number): string =>
    `${en.many(count, 'webhook')} about this subject ${count === 1 ? 'is' : 'are'} held in quarantine, and no handler has seen ${count === 1 ? 'it' : 'them'}`,
  matching: (count: string, isOne: boolean): string =>
    `${count} held ${isOne ? 'webhook matches' : 'webhooks match'}, too: no ${isOne ? 'event' : 'events'} yet`,
  report: 'Report for the sender…',
  reportLead:
    'A text to copy, in two languages. Personal data is masked in it, unless this page shows it unmasked.',
};

const portuguese: typeof english = {
  lead: 'Webhooks de remetentes verificados que não são eventos válidos. Ficam guardados até que alguém os libere ou descarte.',
  none: 'Nada está retido.',
  reasons: {
    malformed: 'não é um envelope',
    invalid: 'não corresponde ao esquema',
    conflict: 'id de mensagem já usado',
  },
  verdicts: { malformed: 'malformado', invalid: 'inválido', conflict: 'conflito' },
  held: 'retido',
  released: 'liberado',
  seen: 'Visto',
  times: (times, isOnce) => (isOnce ? 'uma vez' : `${times} vezes, a última`),
  arriving: 'ainda chegando',
  entry: (id) => `Webhook em quarentena ${id}`,
  issues: 'O que não corresponde',
  value: 'Enviado',
  hidden: 'oculto',
  inBody: 'veja o corpo',
  body: 'Como foi enviado',
  notJson: 'O corpo não é JSON, e não se podem achar nele dados pessoais. Mostre-os para ler.',
  release: 'Liberar',
  releaseShown: (count) => `Liberar os válidos entre estes ${String(count)}`,
  outcomes: (released, held) =>
    [
      released === 0
        ? ''
        : `${pt.many(released, 'webhook')} ${released === 1 ? 'virou evento' : 'viraram eventos'}.`,
      held === 0
        ? ''
        : `${pt.many(held, 'webhook')} ${held === 1 ? 'não liberado: não corresponde' : 'não liberados: não correspondem'} ao contrato.`,
    ].join(' '),
  cannot: 'Não pode ser liberado: o contrato, como está agora, não o deixa passar.',
  becameEvent: 'Virou o evento',
  discard: (count) =>
    count === 1 ? 'Descartar este webhook…' : `Descartar estes ${String(count)} webhooks…`,
  discardReason: 'Por quê; a auditoria guarda',
  discardExplain:
    'Para webhooks que não podem virar eventos. Os bytes são removidos; não há como desfazer. Os mesmos bytes ficam retidos de novo se chegarem outra vez.',
  discardConfirm: (count) => `Descartar ${pt.many(count, 'webhook')}`,
  discarded: (count) =>
    count === 0
      ? 'Nada foi descartado: já não está retido.'
      : `${pt.many(count, 'webhook')} ${count === 1 ? 'descartado' : 'descartados'}.`,
  about: (count) =>
    `${pt.many(count, 'webhook')} sobre este objeto ${count === 1 ? 'está retido' : 'estão retidos'} em quarentena, e nenhum handler ${count === 1 ? 'o viu' : 'os viu'}`,
  matching: (count, isOne) =>
    `${count} ${isOne ? 'webhook retido também corresponde: ainda não é evento' : 'webhooks retidos também correspondem: ainda não são eventos'}`,
  report: 'Relatório para o remetente…',
  reportLead:
    'Um texto para copiar, em duas línguas. Dados pessoais estão ocultos nele, a menos que esta página os mostre.',
};

/** The words of the quarantine. */
export const quarantineWords = { en: english, 'pt-BR': portuguese };
