/** The words of events and of their subjects. */
import { en, pt } from '../../pages/language/count.ts';
import type { EventFlag } from '../../event/event.ts';
import type { Pair, Pairs } from '../../pages/language/pairs.ts';

export const eventWords = {
  events: {
    lead: [
      'Webhooks that were accepted, newest first. A repeat is counted on the event that it repeats.',
      'Webhooks aceitos, dos mais novos aos mais antigos. Uma repetição é contada no evento que ela repete.',
    ],
    outcome: ['Outcome', 'Desfecho'],
    notRun: ['discarded or skipped', 'descartada ou ignorada'],
    flag: ['Flag', 'Marca'],
    flags: {
      ambiguous: ['ambiguous', 'ambíguo'],
      confirmed: ['confirmed', 'confirmado'],
      superseded: ['superseded', 'substituído'],
      unconfirmed: ['unconfirmed', 'não confirmado'],
      unrecognized: ['unrecognized', 'não reconhecido'],
      'unknown-value': ['new value', 'valor novo'],
      'check-digits': ['wrong check digits', 'dígitos errados'],
      released: ['released', 'liberado'],
      reconciled: ['reconciled', 'reconciliado'],
      'no-handlers': ['no handlers', 'sem handlers'],
      unverified: ['unverified', 'não verificado'],
      sample: ['sample', 'exemplo'],
      erased: ['erased', 'apagado'],
    } satisfies Readonly<Record<EventFlag, Pair>>,
    repeats: (count: number) => [
      `repeated ${en.many(count, 'time')}`,
      `repetido ${pt.many(count, 'vez', 'vezes')}`,
    ],
    kindHint: ['charge.*', 'charge.*'],
    subjectHint: ['family:id', 'família:id'],
    empty: [
      'No event matches. Remove a filter, or check the spelling of the kind.',
      'Nenhum evento corresponde. Remova um filtro, ou confira a grafia do tipo.',
    ],
    badFilter: ['The filter was not applied:', 'O filtro não foi aplicado:'],
  },
  event: {
    title: (id: string) => [`Event ${id}`, `Evento ${id}`],
    changed: ['What changed since the event before', 'O que mudou desde o evento anterior'],
    first: ['This is the first known event of its subject.', 'Este é o primeiro evento conhecido do objeto.'],
    unchanged: ['Nothing differs from the event before.', 'Nada difere do evento anterior.'],
    was: ['was', 'era'],
    is: ['is', 'é'],
    absent: ['absent', 'ausente'],
    maskedChange: ['changed (masked)', 'mudou (oculto)'],
    payload: ['As it was sent', 'Como foi enviado'],
    bytes: (size: string, masked: boolean) => [
      masked ? `${size}, personal data masked` : size,
      masked ? `${size}, dados pessoais ocultos` : size,
    ],
    purged: [
      'The payload was deleted. A repeat is still recognized.',
      'O conteúdo foi apagado. Uma repetição ainda é reconhecida.',
    ],
    maskedValue: ['personal data, masked', 'dado pessoal, oculto'],
    members: (count: number) => [en.many(count, 'member'), pt.many(count, 'membro')],
    deliveries: ['What became of it', 'O que aconteceu com ele'],
    noDeliveries: [
      'No handler receives this kind, so nothing ran.',
      'Nenhum handler recebe este tipo; nada foi executado.',
    ],
    attempts: (count: number) => [en.many(count, 'attempt'), pt.many(count, 'tentativa')],
    waitsForRate: ['Waits for its limit of calls until', 'Aguarda o limite de chamadas até'],
    headers: ['Stored headers', 'Cabeçalhos guardados'],
    unmask: ['Show personal data', 'Mostrar dados pessoais'],
    mask: ['Mask personal data', 'Ocultar dados pessoais'],
    older: [
      'Overtaken: the handler has handled a newer event, or runs one. A retry would bring back older data:',
      'Ultrapassada: o handler já tratou ou executa um evento mais novo. Tentar de novo traria de volta dados antigos:',
    ],
    retry: ['Retry', 'Tentar de novo'],
    retried: (count: number) => [
      `${en.many(count, 'delivery', 'deliveries')} will run again, before newer ones of the subject.`,
      `${pt.many(count, 'entrega será executada', 'entregas serão executadas')} de novo, antes das mais novas do objeto.`,
    ],
    notRetried: [
      'Nothing was retried: the delivery is no longer failed.',
      'Nada foi tentado de novo: a entrega já não está em falha.',
    ],
    finished: ['Ended', 'Fim'],
    discardedBy: (who: string) => [`Discarded by ${who}`, `Descartada por ${who}`],
    discardedWhy: (why: string, before: string) => [
      ` Reason: ${why}.${before === '' ? '' : ` The error before: ${before}`}`,
      ` Motivo: ${why}.${before === '' ? '' : ` O erro anterior: ${before}`}`,
    ],
    flags: ['Flags', 'Marcas'],
    newValues: ['Not in the contract', 'Fora do contrato'],
    messageId: ['Message id', 'Id da mensagem'],
    verdicts: {
      new: [
        'New: the latest of its subject when it came, and no repeat.',
        'Novo: o mais recente do objeto quando chegou, e não uma repetição.',
      ],
      released: [
        'New: no repeat. It was quarantined, and released later.',
        'Novo: não é uma repetição. Ficou em quarentena, e foi liberado depois.',
      ],
      stale: (before: string) => [
        `Stale: a newer event of its subject came before it${before}. Machines put it in its place; a handler gets it only if it asks for stale events.`,
        `Atrasado: um evento mais novo do objeto chegou antes dele${before}. As máquinas o põem em seu lugar; um handler só o recebe se pede eventos atrasados.`,
      ],
      ambiguous: [
        'Ambiguous: its subject returned to an earlier content. A late repeat and a real change look the same.',
        'Ambíguo: o objeto voltou a um conteúdo anterior. Uma repetição tardia e uma mudança real são iguais.',
      ],
    },
    repeated: (count: number) => [
      `Repeated ${en.many(count, 'time')} and ignored each time, last at`,
      `Repetido ${pt.many(count, 'vez e ignorado, a', 'vezes e sempre ignorado, a')} última em`,
    ],
  },
  subject: {
    lead: (count: number) => [`${en.many(count, 'event')}.`, `${pt.many(count, 'evento', 'eventos')}.`],
    unknown: (subject: string) => [`No event of ${subject} has come`, `Nenhum evento de ${subject} chegou`],
    unknownWhy: [
      'Its id may be mistyped, or belong to another family.',
      'O id pode estar errado, ou pertencer a outra família.',
    ],
    sameId: ['Subjects with this id', 'Objetos com este id'],
    naming: ['Subjects whose payload names this company', 'Objetos cujo conteúdo cita esta empresa'],
    searchFor: ['Search the payloads for this id', 'Buscar este id nos conteúdos'],
    changed: ['What changed', 'O que mudou'],
    story: ['Its events', 'Seus eventos'],
    inOrder: ['They arrived in the order in which they changed.', 'Chegaram na ordem em que mudaram.'],
    byVersion: ['when it changed', 'quando mudou'],
    byArrival: ['when it arrived', 'quando chegou'],
  },
} satisfies Pairs;
