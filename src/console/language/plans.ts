/** The words of plans. */
import { en, pt } from '../../pages/language/count.ts';
import type { Pair, Pairs } from '../../pages/language/pairs.ts';
import { deed } from './jobs.ts';
import type { JobAction } from '../../store/jobs.ts';
import type { Prediction } from '../../store/plans.ts';

const ended = {
  retry: ['retried', 'tentado de novo'],
  discard: ['discarded', 'descartado'],
  release: ['released', 'liberado'],
  replay: ['replayed', 'reprocessado'],
  repair: ['repaired', 'reparado'],
} satisfies Readonly<Record<JobAction, Pair>>;

export const planWords = {
  plans: {
    title: (action: JobAction, items: number, all = items) => {
      const [question, pergunta] = deed(action, items, all);
      return [`${question}?`, `${pergunta}?`];
    },
    overtaken: (count: number, handlers: readonly string[]) => [
      `${en.many(count, 'delivery is', 'deliveries are')} left out: ${handlers.join(', ')} ${handlers.length === 1 ? 'handles' : 'handle'} a newer event of ${count === 1 ? 'its subject first; running it' : 'these subjects first; running them'} would bring back older data.`,
      `${pt.many(count, 'entrega fica', 'entregas ficam')} de fora: ${handlers.join(', ')} ${handlers.length === 1 ? 'trata' : 'tratam'} antes um evento mais novo ${count === 1 ? 'do objeto; executá-la' : 'destes objetos; executá-las'} traria de volta dados antigos.`,
    ],
    become: (events: number, running: number) => [
      `${en.many(events, 'webhook becomes an event', 'webhooks become events')}: ${en.many(running, 'runs', 'run')}, ${en.many(events - running, 'runs', 'run')} nothing.`,
      `${pt.many(events, 'webhook vira evento', 'webhooks viram eventos')}: ${pt.many(running, 'executa handlers', 'executam handlers')}, ${pt.many(events - running, 'só é guardado', 'só são guardados')}.`,
    ],
    overtakenBy: ['Overtaken by', 'Ultrapassada por'],
    older: (count: number) => [
      `${count === 1 ? '1 of these is' : `${en.number(count)} of these are`} older than what the handler has handled or handles first: a handler that overwrites would end with older data.`,
      `${pt.many(count, 'destas é mais antiga', 'destas são mais antigas')} do que o handler já tratou ou trata antes: um handler que sobrescreve terminaria com dados antigos.`,
    ],
    discardShown: (count: number) => [
      `Discard ${count === 1 ? 'it' : `these ${en.number(count)}`} instead…`,
      `${count === 1 ? 'Descartá-la' : `Descartar estas ${pt.number(count)}`} no lugar…`,
    ],
    leftOut: (handler: string, count: number) => [
      `${handler} has handled ${en.many(count, 'delivery', 'deliveries')} already: left out.`,
      `${handler} já tratou ${pt.many(count, 'entrega, que fica', 'entregas, que ficam')} de fora.`,
    ],
    warning: ['WARNING:', 'ATENÇÃO:'],
    /** What counts as done of the items of a plan. */
    twice: (count: number, all: number) => {
      const isOne = count === 1;
      const these = isOne ? 'This one' : `These ${en.number(count)}`;
      const estas = isOne ? 'Esta' : `Estas ${pt.number(count)}`;
      return [
        `${count < all ? `${en.number(count)} of these` : these} ${isOne ? 'has' : 'have'} succeeded already. If the target stored ${isOne ? 'it, it' : 'them, they'} will be there twice.`,
        `${count < all ? `${pt.number(count)} destas` : estas} já ${isOne ? 'está concluída' : 'estão concluídas'}. Se o destino ${isOne ? 'a gravou, ficará' : 'as gravou, ficarão'} em dobro.`,
      ];
    },
    again: [
      'Careful: an attempt that failed may have sent its message already. A retry can send it again.',
      'Cuidado: uma tentativa que falhou pode já ter enviado a mensagem. Tentar de novo pode enviá-la outra vez.',
    ],
    paused: [
      'What this plan runs waits until it is resumed.',
      'O que este plano executa aguarda até a retomada.',
    ],
    otherwise: (isLeftOut: boolean) => [
      isLeftOut ? 'Run them again, too' : 'Leave them out',
      isLeftOut ? 'Executá-las também de novo' : 'Deixá-las de fora',
    ],
    includeOvertaken: [
      'Run what is overtaken, too: older data replaces newer data',
      'Executar também o que foi ultrapassado: dados antigos substituem os novos',
    ],
    planAgain: ['Plan again', 'Planejar de novo'],
    stillRetry: (count: number) => [
      `${en.number(count)} more still ${count === 1 ? 'retries and is' : 'retry and are'} not discarded.`,
      `${pt.many(count, 'outra ainda é tentada de novo e não será descartada', 'outras ainda são tentadas de novo e não serão descartadas')}.`,
    ],
    discardRetrying: ['Discard them, too…', 'Descartá-las também…'],
    became: ['Jobs, and what became of them', 'Jobs, e o que foi feito deles'],
    nothing: ['Nothing matches: there is nothing to start.', 'Nada corresponde: não há o que iniciar.'],
    lead: [
      'Nothing has changed yet. What comes later is not part of this plan.',
      'Nada mudou ainda. O que vier depois não faz parte deste plano.',
    ],
    expired: (action: JobAction) => [
      `Nothing was ${ended[action][0]}: the plan expired at`,
      `Nada foi ${ended[action][1]}: o plano venceu em`,
    ],
    showAgain: (hasReason: boolean) => [
      `Show the plan again${hasReason ? ', with the same reason' : ''}`,
      `Mostrar o plano de novo${hasReason ? ', com o mesmo motivo' : ''}`,
    ],
    expires: ['Start it by', 'Inicie até'],
    handlers: ['By handler', 'Por handler'],
    retriedBefore: ['Retried before', 'Já tentadas de novo'],
    oldest: ['Oldest', 'Mais antiga'],
    busiest: ['Subjects with the most deliveries', 'Objetos com mais entregas'],
    passing: (passing: number, tried: number) => [
      `${en.number(passing)} of ${en.number(tried)} ${passing === 1 ? 'matches' : 'match'} the contract now.`,
      `${pt.number(passing)} de ${pt.number(tried)} ${passing === 1 ? 'corresponde' : 'correspondem'} agora ao contrato.`,
    ],
    triedFirst: (tried: number) => [
      `The oldest ${en.number(tried)} were tried.`,
      `Os ${pt.number(tried)} mais antigos foram verificados.`,
    ],
    becoming: ['What the valid ones would become', 'O que os válidos seriam'],
    predictions: {
      new: [
        ['new', 'Events that run their handlers.'],
        ['novo', 'Eventos que executam seus handlers.'],
      ],
      stale: [
        ['stale', 'Events older than the latest of their subjects.'],
        ['atrasado', 'Eventos mais antigos que o último de seus objetos.'],
      ],
      ambiguous: [
        ['ambiguous', 'Events whose subjects return to earlier content, perhaps late repeats.'],
        ['ambíguo', 'Eventos cujos objetos voltam a um conteúdo anterior, talvez repetições tardias.'],
      ],
      duplicate: [
        ['repeat', 'Repeats of stored events: they leave the quarantine, and nothing runs.'],
        ['repetição', 'Repetições de eventos guardados: saem da quarentena, e nada é executado.'],
      ],
      conflict: [
        ['conflict', 'Webhooks with the message id of another event: they stay.'],
        ['conflito', 'Webhooks com o id de mensagem de outro evento: ficam.'],
      ],
    } satisfies Readonly<Record<Prediction, Pair<readonly [verdict: string, meaning: string]>>>,
    stay: ['Why the others cannot be released', 'Por que os outros não podem ser liberados'],
    noneCan: ['Why none can be released', 'Por que nenhum pode ser liberado'],
    events: (events: number, subjects: number, pruned: number) => [
      `${en.many(events, 'event')} of ${en.many(subjects, 'subject')} match${pruned === 0 ? '' : `; ${en.many(pruned, 'pruned event')} left out`}.`,
      `${pt.many(events, 'evento', 'eventos')} de ${pt.many(subjects, 'objeto', 'objetos')}${pruned === 0 ? '' : `; ${pt.many(pruned, 'evento removido por idade', 'eventos removidos por idade')} de fora`}.`,
    ],
    unrecognized: (events: number) => [
      `${en.many(events, 'event')} left out: ${events === 1 ? 'it' : 'they'} came before the kind was defined.`,
      `${pt.many(events, 'evento')} de fora: ${events === 1 ? 'veio' : 'vieram'} antes de o tipo ser definido.`,
    ],
    unrecognizedWay: [
      'portaria events recognize delivers them by the kind. A replay gives them only to handlers on a wildcard, such as company.*.',
      'portaria events recognize os entrega conforme o tipo. Um reprocessamento só os leva a handlers com curinga, como company.*.',
    ],
    showUnrecognized: ['Show them', 'Mostrá-los'],
    staged: ['In stages: 1, 10, 100, then all', 'Em etapas: 1, 10, 100, depois todos'],
    stagedWhy: [
      'Each stage waits for the results of the one before.',
      'Cada etapa espera os resultados da anterior.',
    ],
    rate: ['Limit per second', 'Limite por segundo'],
    rateHint: ['no limit', 'sem limite'],
    itemsOf: (shown: number, all: number) => [
      shown < all ? `The oldest ${en.number(shown)} of ${en.number(all)}` : 'All of them',
      shown < all ? `Os ${pt.number(shown)} mais antigos de ${pt.number(all)}` : 'Todos',
    ],
    examples: (shown: number, all: number) => [
      `For example, ${en.number(shown)} of ${en.number(all)}`,
      `Por exemplo, ${pt.number(shown)} de ${pt.number(all)}`,
    ],
    allEvents: (events: number) => [
      events === 1 ? 'The event of this replay' : `All ${en.number(events)} events of this replay`,
      events === 1
        ? 'O evento deste reprocessamento'
        : `Todos os ${pt.number(events)} eventos deste reprocessamento`,
    ],
    replayedBefore: (job: string, deliveries: number) => [
      `Job ${job} has replayed ${en.many(deliveries, 'delivery', 'deliveries')} of an overlapping time to a handler of this plan`,
      `O job ${job} já reprocessou ${pt.many(deliveries, 'entrega')} para um handler deste plano, de um período que coincide com este`,
    ],
    willRun: ['Will run', 'Vai executar'],
    badRate: [
      'Write deliveries per second: a number above 0, or nothing for no limit.',
      'Escreva entregas por segundo: um número acima de 0, ou nada para não limitar.',
    ],
    badShare: [
      'Write a number from 0 to 100, or nothing to go on whatever fails.',
      'Escreva um número de 0 a 100, ou nada para continuar apesar das falhas.',
    ],
    stopAt: ['Stop when more fail than (%)', 'Parar quando falham mais de (%)'],
    reason: (items: number) => [
      `Why discard ${en.many(items, 'delivery', 'deliveries')}?`,
      `Por que descartar ${pt.many(items, 'entrega')}?`,
    ],
    reasonWhy: [
      'The reason is stored with each delivery, with who discarded it. Write no personal data.',
      'O motivo é guardado com cada entrega, com quem descartou. Não escreva dados pessoais.',
    ],
    toPlan: ['Show the plan', 'Mostrar o plano'],
    more: (more: number) => [
      `${en.many(more, 'item')} more ${more === 1 ? 'matches' : 'match'} by now. This is the plan of now: start it instead.`,
      `${pt.many(more, 'item a mais corresponde', 'itens a mais correspondem')} agora. Este é o plano de agora: inicie-o no lugar.`,
    ],
    back: ['Cancel', 'Cancelar'],
  },
  groups: {
    failures: (dead: number, failing: number, more = '') => [
      `${en.many(dead, 'delivery', 'deliveries')} failed${failing === 0 ? '' : `; ${en.number(failing)}${more} retrying`}`,
      `${pt.many(dead, 'entrega falhou', 'entregas falharam')}${failing === 0 ? '' : `; ${pt.number(failing)}${more} tentando de novo`}`,
    ],
    lead: [
      'By handler and kind of error, the newest problem first.',
      'Por handler e tipo de erro, o problema mais novo primeiro.',
    ],
    failing: (count: string) => [`${count} retrying`, `${count} tentando de novo`],
    capped: (most: number) => [
      `${en.number(most)}+: only the newest ${en.number(most)} are listed.`,
      `${pt.number(most)}+: só as ${pt.number(most)} mais novas são listadas.`,
    ],
    first: ['First', 'Primeira'],
    last: ['Last', 'Última'],
    goesOn: ['still happening', 'ainda acontece'],
    overtaken: (count: number) => [
      `${en.number(count)} overtaken`,
      pt.many(count, 'ultrapassada', 'ultrapassadas'),
    ],
    overtakenWhy: (count: number) => [
      `${en.number(count)} overtaken: the handler has handled a newer event of the subject, or runs one. A retry leaves ${count === 1 ? 'it' : 'them'} out.`,
      `${pt.many(count, 'ultrapassada', 'ultrapassadas')}: o handler já tratou ou executa um evento mais novo do objeto. Tentar de novo ${count === 1 ? 'a' : 'as'} deixa de fora.`,
    ],
    discardOvertaken: (count: number) => [
      `Discard the ${count === 1 ? '' : `${en.number(count)} `}overtaken…`,
      count === 1 ? 'Descartar a ultrapassada…' : `Descartar as ${pt.number(count)} ultrapassadas…`,
    ],
    triedBy: ['retried by', 'tentada de novo por'],
    pause: (handler: string) => [`Pause ${handler}…`, `Pausar ${handler}…`],
    retry: ['Retry…', 'Tentar de novo…'],
    discard: ['Discard…', 'Descartar…'],
    retryAll: ['Retry all…', 'Tentar todas de novo…'],
    discardAll: ['Discard all…', 'Descartar todas…'],
    ofThisKind: (handler: string) => [`Of ${handler}, with this error`, `De ${handler}, com este erro`],
    allKinds: ['All errors', 'Todos os erros'],
    thisCompany: ['Failures of this company', 'Falhas desta empresa'],
    partial: (newest: number) => [
      `Only the newest ${en.number(newest)} events were searched for violations and charges of the company.`,
      `Infrações e cobranças da empresa foram buscadas só nos ${pt.number(newest)} eventos mais novos.`,
    ],
    /** All of them, and those that did not come later in a valid form. */
    problems: (entries: number, waiting: number) => [
      `${en.many(entries, 'webhook')} in quarantine${waiting === entries ? '' : `, ${en.number(waiting)} ${waiting === 1 ? 'needs' : 'need'} you`}`,
      `${pt.many(entries, 'webhook')} em quarentena${waiting === entries ? '' : `, ${pt.number(waiting)} ${waiting === 1 ? 'precisa' : 'precisam'} de você`}`,
    ],
    passes: ['Can be released', 'Podem ser liberados'],
    passesOf: (passing: number, tried: number, all: number) => [
      `${en.number(passing)} of ${tried < all ? 'the newest ' : ''}${en.number(tried)}`,
      `${pt.number(passing)} ${tried < all ? 'dos' : 'de'} ${pt.number(tried)}${tried < all ? ' mais novos' : ''}`,
    ],
    release: ['Release…', 'Liberar…'],
    releaseAll: ['Release what is valid now…', 'Liberar os que são válidos agora…'],
    report: ['Report…', 'Relatório…'],
    allProblems: ['All problems', 'Todos os problemas'],
  },
} satisfies Pairs;
