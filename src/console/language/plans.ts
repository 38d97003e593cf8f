/** The words of plans, in each language. */
import type { JobAction } from '../../store/jobs.ts';
import { counting } from '../../pages/language/count.ts';
import type { Prediction } from '../../store/plans.ts';

const { number: numberEn, many: en } = counting('en');
const { number: numberPt, many: pt } = counting('pt-BR');

const english = {
  plans: {
    title: (action: JobAction, items: number): string =>
      ({
        retry: `Retry ${en(items, 'delivery', 'deliveries')}?`,
        discard: `Discard ${en(items, 'delivery', 'deliveries')}?`,
        release: `Release ${en(items, 'quarantined webhook')}?`,
        replay: `Run ${en(items, 'delivery', 'deliveries')} again?`,
        repair: `Repair ${en(items, 'subject')}?`,
      })[action],
    noneReleased: (items: number): string => `0 of ${en(items, 'quarantined webhook')} can be released`,
    overtaken: (count: number, handlers: readonly string[]): string =>
      `${numberEn(count)} ${count === 1 ? 'is' : 'are'} left out: ${handlers.join(', ')} ${handlers.length === 1 ? 'has' : 'have'} already handled a newer event of ${count === 1 ? 'its subject; running it' : 'these subjects; running them'} would bring back older data.`,
    overtakenBy: 'Overtaken by',
    older: (count: number): string =>
      `${count === 1 ? '1 of these is' : `${numberEn(count)} of these are`} older than what the handler has handled of ${count === 1 ? 'its subject' : 'their subjects'}: a handler that overwrites would end with the older content.`,
    discardShown: (count: number): string =>
      `Discard ${count === 1 ? 'it' : `these ${numberEn(count)}`} instead…`,
    handled: (count: number, isLeftOut: boolean): string =>
      isLeftOut
        ? `${en(count, 'delivery was', 'deliveries were')} handled already and ${count === 1 ? 'is' : 'are'} left out.`
        : `${en(count, 'delivery was', 'deliveries were')} handled already and ${count === 1 ? 'runs' : 'run'} again: the handler gets ${count === 1 ? 'it' : 'them'} twice.`,
    otherwise: (isLeftOut: boolean): string => (isLeftOut ? 'Run them again, too' : 'Leave them out'),
    item: 'Item',
    includeOvertaken: 'Run what is overtaken, too: older data replaces newer data',
    planAgain: 'Plan again',
    nothing: 'Nothing matches any more, so there is nothing to start.',
    lead: 'Nothing has changed yet. Only what matches now is part of the plan.',
    expires: 'It can be started until',
    handlers: 'By handler',
    retriedBefore: 'Retried before',
    oldest: 'Oldest',
    busiest: 'Subjects with the most deliveries',
    passing: (passing: number, tried: number): string =>
      `The current contract lets ${numberEn(passing)} of ${numberEn(tried)} through.`,
    triedFirst: (tried: number): string => `The oldest ${numberEn(tried)} were tried.`,
    becoming: 'What the valid ones would become',
    predictions: {
      new: ['new', 'Events that run their handlers.'],
      stale: ['stale', 'Events that are older than what is known of their subjects.'],
      ambiguous: ['ambiguous', 'Events whose subjects return to earlier content, perhaps late repeats.'],
      duplicate: ['duplicate', 'Repeats of stored events: they leave the quarantine, and nothing runs.'],
      conflict: ['conflict', 'Webhooks with the message id of another event: they stay.'],
    } satisfies Readonly<Record<Prediction, readonly [verdict: string, meaning: string]>>,
    stay: 'Why the others cannot be released',
    noneCan: 'Why none can be released',
    events: (events: number, subjects: number, pruned: number): string =>
      `${en(events, 'event')} of ${en(subjects, 'subject')} match${pruned === 0 ? '' : `; ${en(pruned, 'pruned event')} left out`}.`,
    unrecognized: (events: number): string =>
      `${en(events, 'event')} left out: unrecognized when ${events === 1 ? 'it' : 'they'} came, before the kind was defined.`,
    unrecognizedWay:
      'portaria events recognize judges them again by the kind, and delivers them. As they are, a handler on a wildcard, such as company.*, gets them in a replay.',
    showUnrecognized: 'Show them',
    staged: 'In stages: 1, 10, 100, then all',
    stagedWhy: 'Each stage waits for the results of the one before.',
    rate: 'Limit per second',
    rateHint: 'no limit',
    itemsOf: (shown: number, all: number): string =>
      shown < all ? `The oldest ${numberEn(shown)} of ${numberEn(all)}` : 'All of them',
    willRun: 'Will run',
    badRate: 'Write deliveries per second: a number above 0, or nothing for no limit.',
    badShare: 'Write a number from 0 to 100, or nothing to go on whatever fails.',
    stopAt: 'Stop when more fail than (%)',
    start: {
      retry: 'Retry',
      discard: 'Discard',
      release: 'Release',
      replay: 'Replay',
      repair: 'Repair',
    } satisfies Readonly<Record<JobAction, string>>,
    reason: 'Why are they discarded?',
    reasonWhy: 'The reason is stored with each delivery, with who discarded it. Write no personal data.',
    toPlan: 'Show the plan',
    more: (more: number): string =>
      `${en(more, 'item')} more ${more === 1 ? 'matches' : 'match'} by now. This is the plan of now: start it instead.`,
    back: 'Cancel',
  },
  groups: {
    failures: (dead: number, failing: number): string =>
      `${en(dead, 'delivery', 'deliveries')} failed${failing === 0 ? '' : `; ${numberEn(failing)} retrying`}`,
    lead: 'By handler and kind of error, the newest problem first.',
    failing: (count: number): string => `${numberEn(count)} retrying`,
    first: 'First',
    last: 'Last',
    goesOn: 'still happening',
    overtaken: (count: number): string => `${numberEn(count)} overtaken`,
    overtakenWhy: (count: number): string =>
      `${numberEn(count)} overtaken: a newer event of the subject was handled. A retry leaves ${count === 1 ? 'it' : 'them'} out.`,
    discardOvertaken: (count: number): string =>
      `Discard the ${count === 1 ? '' : `${numberEn(count)} `}overtaken…`,
    triedBy: 'Last job',
    act: 'Action',
    retry: 'Retry…',
    discard: 'Discard…',
    retryAll: 'Retry all…',
    discardAll: 'Discard all…',
    ofThisKind: (handler: string): string => `Of ${handler}, with this error`,
    allKinds: 'All errors',
    ofCompany: (company: string): string => `Of company ${company}`,
    allCompanies: 'All companies',
    thisCompany: 'Failures of this company',
    partial: (newest: number): string =>
      `The violations and charges of the company were looked for in the newest ${numberEn(newest)} events; those without an event among them are missing.`,
    problems: (entries: number): string => `${en(entries, 'webhook')} in quarantine`,
    passes: 'Would pass now',
    noneValid: (tried: number): string =>
      `0 of ${numberEn(tried)} can be released: the current contract lets none through.`,
    validNow: (valid: boolean): string => (valid ? 'valid now' : 'not valid now'),
    passesOf: (passing: number, tried: number): string => `${numberEn(passing)} of ${numberEn(tried)}`,
    release: 'Release…',
    releaseAll: 'Release all…',
    allProblems: 'All problems',
  },
};

const portuguese: typeof english = {
  plans: {
    title: (action, items) =>
      ({
        retry: `Tentar de novo ${pt(items, 'entrega', 'entregas')}?`,
        discard: `Descartar ${pt(items, 'entrega', 'entregas')}?`,
        release: `Liberar ${pt(items, 'webhook em quarentena', 'webhooks em quarentena')}?`,
        replay: `Executar ${pt(items, 'entrega', 'entregas')} de novo?`,
        repair: `Reparar ${pt(items, 'objeto', 'objetos')}?`,
      })[action],
    noneReleased: (items) =>
      `0 de ${pt(items, 'webhook em quarentena', 'webhooks em quarentena')} podem ser liberados`,
    overtaken: (count, handlers) =>
      `${numberPt(count)} ${count === 1 ? 'fica' : 'ficam'} de fora: ${handlers.join(', ')} já ${handlers.length === 1 ? 'tratou' : 'trataram'} um evento mais novo ${count === 1 ? 'do objeto; executá-la' : 'destes objetos; executá-las'} traria de volta dados antigos.`,
    overtakenBy: 'Superada por',
    older: (count) =>
      `${count === 1 ? '1 destas é mais antiga' : `${numberPt(count)} destas são mais antigas`} do que o handler já tratou ${count === 1 ? 'do seu objeto' : 'dos seus objetos'}: um handler que sobrescreve terminaria com o conteúdo mais antigo.`,
    discardShown: (count) =>
      `${count === 1 ? 'Descartá-la' : `Descartar estas ${numberPt(count)}`} no lugar…`,
    handled: (count, isLeftOut) =>
      isLeftOut
        ? `${pt(count, 'entrega já foi tratada e fica', 'entregas já foram tratadas e ficam')} de fora.`
        : `${pt(count, 'entrega já foi tratada e é executada', 'entregas já foram tratadas e são executadas')} de novo: o handler ${count === 1 ? 'a' : 'as'} recebe duas vezes.`,
    otherwise: (isLeftOut) => (isLeftOut ? 'Executá-las também de novo' : 'Deixá-las de fora'),
    item: 'Item',
    includeOvertaken: 'Executar também o que foi superado: dados antigos substituem os novos',
    planAgain: 'Planejar de novo',
    nothing: 'Nada mais corresponde, então não há o que iniciar.',
    lead: 'Nada mudou ainda. Só o que corresponde agora faz parte do plano.',
    expires: 'Ele pode ser iniciado até',
    handlers: 'Por handler',
    retriedBefore: 'Já tentadas de novo',
    oldest: 'Mais antiga',
    busiest: 'Objetos com mais entregas',
    passing: (passing, tried) =>
      `O contrato, como está agora, deixa passar ${numberPt(passing)} de ${numberPt(tried)}.`,
    triedFirst: (tried) => `Os ${numberPt(tried)} mais antigos foram verificados.`,
    becoming: 'O que os válidos seriam',
    predictions: {
      new: ['novo', 'Eventos que executam seus handlers.'],
      stale: ['atrasado', 'Eventos mais antigos do que se sabe de seus objetos.'],
      ambiguous: [
        'ambíguo',
        'Eventos cujos objetos voltam a um conteúdo anterior, talvez repetições tardias.',
      ],
      duplicate: ['repetição', 'Repetições de eventos guardados: saem da quarentena, e nada é executado.'],
      conflict: ['conflito', 'Webhooks com o id de mensagem de outro evento: ficam.'],
    },
    stay: 'Por que os outros não podem ser liberados',
    noneCan: 'Por que nenhum pode ser liberado',
    events: (events, subjects, pruned) =>
      `${pt(events, 'evento', 'eventos')} de ${pt(subjects, 'objeto', 'objetos')}${pruned === 0 ? '' : `; ${pt(pruned, 'evento removido por idade', 'eventos removidos por idade')} de fora`}.`,
    unrecognized: (events) =>
      `${pt(events, 'evento', 'eventos')} de fora: ${events === 1 ? 'veio' : 'vieram'} antes de o tipo ser definido e não ${events === 1 ? 'foi reconhecido' : 'foram reconhecidos'}.`,
    unrecognizedWay:
      'portaria events recognize os julga de novo pelo tipo e os entrega. Como estão, um handler com curinga, como company.*, os recebe em um reprocessamento.',
    showUnrecognized: 'Mostrá-los',
    staged: 'Em etapas: 1, 10, 100, depois todos',
    stagedWhy: 'Cada etapa espera os resultados da anterior.',
    rate: 'Limite por segundo',
    rateHint: 'sem limite',
    itemsOf: (shown, all) =>
      shown < all ? `Os ${numberPt(shown)} mais antigos de ${numberPt(all)}` : 'Todos',
    willRun: 'Vai executar',
    badRate: 'Escreva entregas por segundo: um número acima de 0, ou nada para não limitar.',
    badShare: 'Escreva um número de 0 a 100, ou nada para continuar apesar das falhas.',
    stopAt: 'Parar quando falham mais de (%)',
    start: {
      retry: 'Tentar de novo',
      discard: 'Descartar',
      release: 'Liberar',
      replay: 'Reprocessar',
      repair: 'Reparar',
    },
    reason: 'Por que são descartadas?',
    reasonWhy: 'O motivo é guardado com cada entrega, com quem descartou. Não escreva dados pessoais.',
    toPlan: 'Mostrar o plano',
    more: (more) =>
      `${pt(more, 'item a mais corresponde', 'itens a mais correspondem')} agora. Este é o plano de agora: inicie-o no lugar.`,
    back: 'Cancelar',
  },
  groups: {
    failures: (dead, failing) =>
      `${pt(dead, 'entrega falhou', 'entregas falharam')}${failing === 0 ? '' : `; ${numberPt(failing)} em nova tentativa`}`,
    lead: 'Por handler e tipo de erro, o problema mais novo primeiro.',
    failing: (count) => `${numberPt(count)} em nova tentativa`,
    first: 'Primeira',
    last: 'Última',
    goesOn: 'ainda acontece',
    overtaken: (count) => pt(count, 'superada', 'superadas'),
    overtakenWhy: (count) =>
      `${pt(count, 'superada', 'superadas')}: um evento mais novo do objeto foi tratado. Uma nova tentativa ${count === 1 ? 'a' : 'as'} deixa de fora.`,
    discardOvertaken: (count) =>
      count === 1 ? 'Descartar a superada…' : `Descartar as ${numberPt(count)} superadas…`,
    triedBy: 'Última execução',
    act: 'Ação',
    retry: 'Tentar de novo…',
    discard: 'Descartar…',
    retryAll: 'Tentar todas de novo…',
    discardAll: 'Descartar todas…',
    ofThisKind: (handler) => `De ${handler}, com este erro`,
    allKinds: 'Todos os erros',
    ofCompany: (company) => `Da empresa ${company}`,
    allCompanies: 'Todas as empresas',
    thisCompany: 'Falhas desta empresa',
    partial: (newest) =>
      `As infrações e cobranças da empresa foram procuradas nos ${numberPt(newest)} eventos mais novos; faltam as que não têm nenhum evento entre eles.`,
    problems: (entries) => `${pt(entries, 'webhook', 'webhooks')} em quarentena`,
    passes: 'Passariam agora',
    noneValid: (tried) =>
      `0 de ${numberPt(tried)} podem ser liberados: o contrato, como está agora, não deixa passar nenhum.`,
    validNow: (valid) => (valid ? 'válido agora' : 'não válido agora'),
    passesOf: (passing, tried) => `${numberPt(passing)} de ${numberPt(tried)}`,
    release: 'Liberar…',
    releaseAll: 'Liberar todos…',
    allProblems: 'Todos os problemas',
  },
};

export const planWords = { en: english, 'pt-BR': portuguese };
