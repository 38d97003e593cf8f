/** The words of the overview's problems. */
import { en, pt } from '../../pages/language/count.ts';
import type { Pair, Pairs } from '../../pages/language/pairs.ts';
import type { RejectionReason } from '../../event/delivery.ts';

/** The addresses of pauses; a handler may be named so, too. */
const PAUSES = /^\/handlers(?:\/pauses\/|#pauses)/u;

/** Webhooks in quarantine with one problem. */
export interface HeldWebhooks {
  readonly reason: RejectionReason;
  readonly count: number;
  /** Subjects that they name. */
  readonly subjects: number;
  readonly kind: string | null;
}

/** Why webhooks are in quarantine, said of one and of many. */
const rejected: Readonly<Record<RejectionReason, Pair>> = {
  malformed: ['cannot be read', 'não dá para ler'],
  invalid: ['against the contract', 'em desacordo com o contrato'],
  conflict: ['message id used before', 'id de mensagem já usado'],
};

export const problemWords = {
  /** The problems of the quarantine that come most often. */
  held: ({ reason, count, subjects, kind }: HeldWebhooks) => {
    const [problem, problema] = rejected[reason];
    const [about, sobre] =
      subjects === 0
        ? ['', '']
        : [` about ${en.many(subjects, 'subject')}`, ` sobre ${pt.many(subjects, 'objeto')}`];
    return [
      `${en.many(count, 'webhook')}${kind === null ? '' : ` of ${kind}`}${about} in quarantine: ${problem}.`,
      `${pt.many(count, 'webhook')}${kind === null ? '' : ` de ${kind}`}${sobre} em quarentena: ${problema}.`,
    ];
  },
  askSender: [
    'Ask the sender to correct them, and to send them again.',
    'Peça ao remetente que os corrija e os envie de novo.',
  ],
  ofCompany: (company: string) => [
    `All of them are of company ${company}.`,
    `Todos são da empresa ${company}.`,
  ],
  /** A value of an enumeration that the contract does not list; empty where it is personal. */
  newValue: (
    path: string,
    count: number,
    {
      kinds,
      value,
      first,
    }: {
      readonly kinds: readonly string[];
      readonly value: string;
      /** When the first came; null where older ones may have come. */
      readonly first: string | null;
    },
  ) => [
    `${en.list(kinds)}: ${path} has a new value${value && `, ${value},`} in ${first === null ? 'at least ' : ''}${en.many(count, 'event')}${first === null ? '' : `, the first ${first}`}.`,
    `${pt.list(kinds)}: ${path} tem um valor novo${value && `, ${value},`} em ${first === null ? 'pelo menos ' : ''}${pt.many(count, 'evento')}${first === null ? '' : `, o primeiro ${first}`}.`,
  ],
  /** The handlers of events with a new value. */
  received: (handlers: readonly string[]) => [
    `${handlers.length === 0 ? 'No handler receives' : `${en.list(handlers)} ${handlers.length === 1 ? 'receives' : 'receive'}`} these events.`,
    `${handlers.length === 0 ? 'Nenhum handler recebe' : `${pt.list(handlers)} ${handlers.length === 1 ? 'recebe' : 'recebem'}`} estes eventos.`,
  ],
  /** Webhooks to a path that does not exist. */
  mistyped: (path: string, count: number) => [
    `${en.many(count, 'webhook')} went to ${path} within two hours. That address does not exist here, so none is stored.`,
    `${pt.many(count, 'webhook')} em duas horas para ${path}. Esse endereço não existe aqui, e nenhum é guardado.`,
  ],
  mistypedUntil: (from: string, until: string) => [
    `Counted by hour, the last in the hour that began ${from}. If no more come, this line ends ${until}.`,
    `Contados por hora, o último na hora que começou ${from}. Se não vierem outros, esta linha some ${until}.`,
  ],
  heldMore: ['The quarantine has more problems.', 'A quarentena tem mais problemas.'],
  /** What a page offers, by its address. */
  action: (href: string) => {
    const [, page = ''] = href.split(/[/?#]/u);
    const actions: Readonly<Record<string, Pair>> = {
      failures: ['Retry or discard', 'Tentar de novo ou descartar'],
      quarantine: ['Release or discard', 'Liberar ou descartar'],
      handlers: PAUSES.test(href) ? ['Resume', 'Retomar'] : ['See the handler', 'Ver o handler'],
      subjects: ['See the subject', 'Ver o objeto'],
      events: ['See the events', 'Ver os eventos'],
      senders: ['See the senders', 'Ver os remetentes'],
      jobs: ['See the job', 'Ver o job'],
    };
    return actions[page] ?? ['See details', 'Ver detalhes'];
  },
  /** Of one kind of error whose texts differ. */
  example: (error: string) => [`For example: ${error}`, `Por exemplo: ${error}`],
  /** Of failures with different errors, how many have the one that is shown. */
  partOf: (count: number, all: number) => [
    `This error: ${en.number(count)} of ${en.number(all)}.`,
    `Este erro: ${pt.number(count)} de ${pt.number(all)}.`,
  ],
  /** What waits for a handler: a subject, or several. */
  waits: (subject: string, subjects: number, handler: string) => [
    `${subjects === 1 ? `${subject} waits` : `${en.many(subjects, 'subject')} wait`} for ${handler}.`,
    `${subjects === 1 ? `${subject} aguarda` : `${pt.many(subjects, 'objeto')} aguardam`} ${handler}.`,
  ],
  crowded: (handler: string, running: number, places: number) => [
    `${handler} takes ${en.number(running)} of the ${en.number(places)} places in which handlers run.`,
    `${handler} ocupa ${pt.number(running)} dos ${pt.number(places)} lugares em que handlers executam.`,
  ],
  behind: (handlers: number, since: string) => [
    `${en.many(handlers, 'handler')} ${handlers === 1 ? 'waits' : 'wait'} for a place, the longest for an event that came ${since}. A pause gives the places to them.`,
    `${pt.many(handlers, 'handler')} ${handlers === 1 ? 'espera' : 'esperam'} por um lugar; o evento mais antigo chegou ${since}. Uma pausa dá os lugares a eles.`,
  ],
  came: (since: string, failures: number) => [
    `The event came ${since}${failures === 0 ? '.' : ` and failed ${en.many(failures, 'time')} since.`}`,
    `O evento chegou ${since}${failures === 0 ? '.' : ` e falhou ${pt.many(failures, 'vez', 'vezes')} desde então.`}`,
  ],
  retrying: (
    failures: number,
    last: string,
    { isMany, isPaused }: Readonly<Record<'isMany' | 'isPaused', boolean>>,
  ) => [
    `Failed ${isMany ? 'up to ' : ''}${en.many(failures, 'time')}, last ${last}. ${isPaused ? 'It is tried again once the handler is resumed.' : 'It is tried again by itself.'}`,
    `${isMany ? 'Até ' : ''}${pt.many(failures, 'falha')}, a última ${last}. ${isPaused ? 'Nova tentativa quando o handler for retomado.' : 'Nova tentativa automática.'}`,
  ],
  /** The time may be the same in words. */
  seen: (first: string, last: string, isOn: boolean) => [
    `${first === last ? `Seen ${last}` : `First ${first}, last ${last}`}${isOn ? ', still going on' : ''}.`,
    `${first === last ? `Visto ${last}` : `Primeira vez ${first}, última ${last}`}${isOn ? ', e continua' : ''}.`,
  ],
  storeFails: [
    'Webhooks are rejected: the store cannot be written. The disk may be full or broken.',
    'Os webhooks são rejeitados: não é possível gravar no banco. O disco pode estar cheio ou com defeito.',
  ],
} satisfies Pairs;
