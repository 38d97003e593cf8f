/** The words of the quarantine. */
import { en, pt } from '../../pages/language/count.ts';
import type { Pair, Pairs } from '../../pages/language/pairs.ts';
import type { RejectionReason } from '../../event/delivery.ts';
import type { WrongByte } from '../../operate/show/likely-meant.ts';

export const quarantineWords = {
  lead: [
    'Webhooks that are not valid events. No handler has received them.',
    'Webhooks que não são eventos válidos. Nenhum handler os recebeu.',
  ],
  none: ['The quarantine is empty.', 'A quarentena está vazia.'],
  reasons: {
    malformed: ['unreadable', 'ilegível'],
    invalid: ['invalid', 'inválido'],
    conflict: ['conflict', 'conflito'],
  } satisfies Readonly<Record<RejectionReason, Pair>>,
  held: ['quarantined', 'em quarentena'],
  valid: ['Valid now: it can be released', 'Válido agora: pode ser liberado'],
  behind: (handlers: string, count: number, subject: string) => [
    `${handlers} ${count === 1 ? 'has' : 'have'} a newer event of ${subject}: a release stores it and runs nothing for ${count === 1 ? 'this handler' : 'these handlers'}.`,
    `${handlers} já ${count === 1 ? 'tem' : 'têm'} um evento mais novo de ${subject}: liberar o guarda e não executa nada para ${count === 1 ? 'este handler' : 'estes handlers'}.`,
  ],
  released: ['released', 'liberado'],
  seen: ['Seen', 'Visto'],
  times: (times: string, isOnce: boolean) => [
    isOnce ? 'once' : `${times} times, last`,
    isOnce ? 'uma vez' : `${times} vezes, a última`,
  ],
  arriving: ['still arriving', 'ainda chegando'],
  entry: (id: string) => [`Quarantined webhook ${id}`, `Webhook em quarentena ${id}`],
  gone: (id: string) => [`${id} is no longer in the quarantine`, `${id} já não está na quarentena`],
  goneWhy: [
    'It was released, discarded or removed by retention.',
    'Foi liberado, descartado ou removido pelo prazo de retenção.',
  ],
  goneBy: (who: string) => [`${who} discarded it:`, `Descartado por ${who}:`],
  issues: ['What does not match', 'O que não corresponde'],
  value: ['Sent', 'Enviado'],
  hidden: ['hidden', 'oculto'],
  inBody: ['see the body', 'veja o corpo'],
  body: ['As it was sent', 'Como foi enviado'],
  notJson: [
    'The body is not JSON, so all of it is hidden. Show personal data to read it.',
    'O corpo não é JSON, então fica todo oculto. Mostre os dados pessoais para ler.',
  ],
  latin1: ['shown as Latin-1', 'mostrado como Latin-1'],
  release: ['Release', 'Liberar'],
  cannot: (count: number) => [
    count === 1
      ? 'It cannot be released. The sender must send it again.'
      : 'None can be released. The sender must send them again.',
    count === 1
      ? 'Não pode ser liberado. O remetente precisa enviá-lo de novo.'
      : 'Nenhum pode ser liberado. O remetente precisa enviá-los de novo.',
  ],
  acceptedLater: (count: number, all: number) => [
    `${en.number(count)} of ${en.number(all)} ${count === 1 ? 'has' : 'have'} a later valid webhook of the same kind and subject.`,
    `${pt.number(count)} de ${pt.number(all)} ${count === 1 ? 'tem' : 'têm'} um webhook posterior válido do mesmo tipo e objeto.`,
  ],
  later: ['a later one is valid', 'um posterior é válido'],
  guess: ['a guess', 'uma suposição'],
  becameEvent: ['It became the event', 'Virou o evento'],
  discard: (count: number) => [
    count === 1 ? 'Discard this webhook…' : `Discard these ${String(count)} webhooks…`,
    count === 1 ? 'Descartar este webhook…' : `Descartar estes ${String(count)} webhooks…`,
  ],
  discardLater: (count: number) => [
    `Discard ${en.number(count)} with a later valid one…`,
    `Descartar ${pt.number(count)} com um posterior válido…`,
  ],
  discardReason: ['Reason (the audit keeps it)', 'Motivo (a auditoria o guarda)'],
  discardExplain: [
    'This cannot be undone. A webhook that comes again is quarantined again.',
    'Não há como desfazer. Um webhook que chegar outra vez volta para a quarentena.',
  ],
  discardConfirm: (count: number) => [
    `Discard ${en.many(count, 'webhook')}`,
    `Descartar ${pt.many(count, 'webhook')}`,
  ],
  discarded: (count: number) => [
    count === 0 ? 'Nothing was discarded: it is gone already.' : `${en.many(count, 'webhook')} discarded.`,
    count === 0
      ? 'Nada foi descartado: já não está aqui.'
      : `${pt.many(count, 'webhook descartado', 'webhooks descartados')}.`,
  ],
  about: (count: number) => [
    `${en.many(count, 'webhook')} about this subject in quarantine: no handler has received ${count === 1 ? 'it' : 'them'}`,
    `${pt.many(count, 'webhook')} sobre este objeto em quarentena: nenhum handler ${count === 1 ? 'o' : 'os'} recebeu`,
  ],
  matching: (count: string, isOne: boolean) => [
    `${count} ${isOne ? 'webhook in quarantine matches' : 'webhooks in quarantine match'}, too`,
    `${count} ${isOne ? 'webhook em quarentena também corresponde' : 'webhooks em quarentena também correspondem'}`,
  ],
  report: ['Report for the sender…', 'Relatório para o remetente…'],
  reportLead: [
    'Send this text to the sender. It hides personal data, unless this page shows it.',
    'Envie este texto ao remetente. Ele oculta dados pessoais, a menos que esta página os mostre.',
  ],
  /** What the sender reads. */
  senderReport: {
    begin: (count: number) => [
      `We could not accept ${en.many(count, 'webhook')} of yours:`,
      `Não pudemos aceitar ${pt.many(count, 'webhook enviado', 'webhooks enviados')} por vocês:`,
    ],
    rejected: [
      'We rejected these webhooks of yours, so nothing of them is stored here (in the hour that begins, UTC):',
      'Rejeitamos estes webhooks enviados por vocês, e nada deles está guardado aqui (na hora que começa, UTC):',
    ],
    count: (count: number) => [en.many(count, 'webhook'), pt.many(count, 'webhook')],
    address: ['Sent to', 'Enviado para'],
    kind: ['Kind', 'Tipo'],
    field: ['Field', 'Campo'],
    body: ['the whole body', 'o corpo inteiro'],
    problem: ['Problem', 'Problema'],
    form: ['Right, for example', 'Certo, por exemplo'],
    value: ['Sent, for example', 'Enviado, por exemplo'],
    text: ['text: ', 'texto: '],
    wrong: ({ byte, offset, character }: WrongByte) => [
      `the byte ${byte} at offset ${String(offset)}${character === null ? '' : `, which is ${character} in Latin-1 (ISO 8859-1)`}`,
      `o byte ${byte} na posição ${String(offset)}${character === null ? '' : `, que é ${character} em Latin-1 (ISO 8859-1)`}`,
    ],
    first: ['First', 'Primeiro'],
    last: ['Last', 'Último'],
    webhooks: (count: number) => [
      `Webhooks: ${en.number(count)} (received, kind, subject, message id):`,
      `Webhooks: ${pt.number(count)} (recebido, tipo, objeto, id da mensagem):`,
    ],
    more: (count: number) => [`- and ${en.number(count)} more`, `- e mais ${pt.number(count)}`],
    right: ['Webhooks go to', 'Os webhooks vão para'],
    end: [
      'Please correct this, and send what is missing again, in the order in which it happened.',
      'Pedimos que corrijam isto e enviem de novo o que falta, na ordem em que aconteceu.',
    ],
  },
} satisfies Pairs;
