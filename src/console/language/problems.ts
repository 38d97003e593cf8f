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
  readonly first: string;
  readonly last: string;
  readonly arriving: boolean;
}

export const problemWords = {
  /** The problems of the quarantine that come most often. */
  held: ({ reason, count, subjects, kind, first, last, arriving }: HeldWebhooks) => {
    const one = count === 1;
    const problems: Readonly<Record<RejectionReason, Pair>> = {
      malformed: [
        `${one ? 'it' : 'they'} cannot be read`,
        `não ${one ? 'pode ser lido' : 'podem ser lidos'}`,
      ],
      invalid: [
        `${one ? 'does' : 'do'} not match the contract`,
        `${one ? 'não corresponde' : 'não correspondem'} ao contrato`,
      ],
      conflict: [
        `${one ? 'has' : 'have'} a message id that was used before`,
        `${one ? 'tem um' : 'têm'} id de mensagem já usado`,
      ],
    };
    const [problem, problema] = problems[reason];
    const [about, sobre] =
      subjects === 0
        ? ['', '']
        : [` about ${en.many(subjects, 'subject')}`, ` sobre ${pt.many(subjects, 'objeto')}`];
    return [
      `${String(count)} ${one ? 'webhook' : 'webhooks'}${kind === null ? '' : ` of ${kind}`}${about} in quarantine: ${problem}. First ${first}, last ${last}${arriving ? ', still arriving' : ''}.`,
      `${pt.many(count, 'webhook')}${kind === null ? '' : ` de ${kind}`}${sobre} em quarentena: ${problema}. O primeiro ${first}, o último ${last}${arriving ? ', e ainda chegam' : ''}.`,
    ];
  },
  askSender: [
    'Ask the sender to correct them, and to send them again.',
    'Peça ao remetente que os corrija e os envie de novo.',
  ],
  /** A value of an enumeration that the contract does not list; empty where it is personal. */
  newValue: (
    path: string,
    count: number,
    {
      kinds,
      value,
      first,
      handlers,
    }: Readonly<Record<'kinds' | 'handlers', readonly string[]>> & {
      readonly value: string;
      /** When the first came; null where older ones may have come. */
      readonly first: string | null;
    },
  ) => [
    `${en.list(kinds)}: ${path} has a new value${value && `, ${value},`} in ${first === null ? 'at least ' : ''}${en.many(count, 'event')}${first === null ? '' : `, the first ${first}`}. ${handlers.length === 0 ? 'No handler receives' : `${en.list(handlers)} ${handlers.length === 1 ? 'receives' : 'receive'}`} these events.`,
    `${pt.list(kinds)}: ${path} tem um valor novo${value && `, ${value},`} em ${first === null ? 'pelo menos ' : ''}${pt.many(count, 'evento')}${first === null ? '' : `, o primeiro ${first}`}. ${handlers.length === 0 ? 'Nenhum handler recebe' : `${pt.list(handlers)} ${handlers.length === 1 ? 'recebe' : 'recebem'}`} estes eventos.`,
  ],
  /** Webhooks to a path that does not exist. */
  mistyped: (path: string, count: number) => [
    `${en.many(count, 'webhook')} went to ${path} within two hours. That address does not exist here, so nothing of them is stored.`,
    `${pt.many(count, 'webhook')} em duas horas para ${path}. Esse endereço não existe aqui, e nada deles é guardado.`,
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
      jobs: ['See the job', 'Ver a execução'],
    };
    return actions[page] ?? ['See details', 'Ver detalhes'];
  },
  /** Of one kind may be texts that differ: what is quoted is an example then. */
  eachTime: (error: string, isSame: boolean) => [
    isSame ? ` Each time: ${error}` : ` One kind of error, for example: ${error}`,
    isSame ? ` Todas as vezes: ${error}` : ` Um só tipo de erro, por exemplo: ${error}`,
  ],
  mostOften: (error: string, count: number, all: number) => [
    ` Most often (${String(count)} of the last ${String(all)}): ${error}`,
    ` Na maioria (${String(count)} das últimas ${String(all)}): ${error}`,
  ],
  stuck: (subject: string, handler: string, since: string, failures: number) => [
    `${subject} waits for ${handler}: its event came ${since}${failures === 0 ? '.' : `, with ${en.many(failures, 'failure')} since. The last:`}`,
    `${subject} espera por ${handler}: o evento chegou ${since}${failures === 0 ? '.' : `, com ${pt.many(failures, 'falha')} desde então. A última:`}`,
  ],
  /** How many subjects keep failing, and how. */
  retrying: (
    subject: string,
    subjects: number,
    {
      handler,
      failures,
      last,
      isPaused,
      error,
    }: Readonly<Record<'handler' | 'last' | 'error', string>> & {
      readonly failures: number;
      readonly isPaused: boolean;
    },
  ) => [
    `${subjects === 1 ? `${subject} waits` : `${en.many(subjects, 'subject')} wait`} for ${handler}: failed ${subjects === 1 ? '' : 'up to '}${en.many(failures, 'time')}, last ${last}, and will be tried again${isPaused ? ' when it is resumed' : ''}. The last: ${error}`,
    `${subjects === 1 ? `${subject} espera` : `${pt.many(subjects, 'objeto')} esperam`} por ${handler}: ${subjects === 1 ? '' : 'até '}${pt.many(failures, 'falha')}, a última ${last}; será tentado de novo${isPaused ? ' quando ele for retomado' : ''}. A última: ${error}`,
  ],
  seen: (first: string, last: string) => [
    `First ${first}, last ${last}.`,
    `A primeira ${first}, a última ${last}.`,
  ],
  lastFailure: (reason: string) => [` Last failure: ${reason}`, ` Última falha: ${reason}`],
  storeFails: [
    'The store cannot be written: the disk may be full or broken. Webhooks are rejected until it can.',
    'Não é possível gravar no banco: o disco pode estar cheio ou com defeito. Os webhooks são rejeitados até que seja.',
  ],
} satisfies Pairs;
