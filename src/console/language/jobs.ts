/** The words of jobs and replays. */
import { visitorName } from './handlers.ts';
import { en, pt } from '../../pages/language/count.ts';
import type { Pair, Pairs } from '../../pages/language/pairs.ts';
import { jobEndings, type JobAction, type JobState } from '../../store/jobs.ts';
import type { ItemResult, JobItemView } from '../../view/job-item-view.ts';
import type { JobView } from '../../view/job-view.ts';

/** What decides what a resume runs. */
type ResumedJob = Pick<JobView, 'acted' | 'left_alone' | 'planned' | 'staged' | 'ending'>;

const actions = {
  retry: ['Retry', 'Tentar de novo'],
  discard: ['Discard', 'Descartar'],
  release: ['Release', 'Liberar'],
  replay: ['Replay', 'Reprocessar'],
  repair: ['Repair', 'Reparar'],
} satisfies Readonly<Record<JobAction, Pair>>;

/** What a plan, its button and its job do: all of what was selected, or a part. */
export function deed(action: JobAction, items: number, all: number): Pair {
  const [what, quais] = counted(action, all);
  const [verb, verbo] = actions[action];
  const isPart = all > items;
  return [
    `${verb} ${isPart ? `${en.number(items)} of ` : ''}${what}`,
    `${verbo} ${isPart ? `${pt.number(items)} de ` : ''}${quais}`,
  ];
}

function counted(action: JobAction, items: number): Pair {
  if (action === 'repair') return [en.many(items, 'subject'), pt.many(items, 'objeto')];
  return action === 'release'
    ? [
        en.many(items, 'quarantined webhook'),
        pt.many(items, 'webhook em quarentena', 'webhooks em quarentena'),
      ]
    : [en.many(items, 'delivery', 'deliveries'), pt.many(items, 'entrega')];
}

export const jobWords = {
  jobs: {
    lead: [
      'Changes of many items: each was a plan that somebody started.',
      'Mudanças de muitos itens: cada uma foi um plano que alguém iniciou.',
    ],
    none: [
      'No plan was started yet. Begin at Failures or Quarantine, or replay events here.',
      'Nenhum plano foi iniciado. Comece em Falhas ou Quarentena, ou reprocesse eventos aqui.',
    ],
    id: ['Job', 'Execução'],
    action: ['Does', 'Faz'],
    progress: ['Progress', 'Progresso'],
    started: ['Started', 'Início'],
    actions,
    states: {
      running: ['running', 'em curso'],
      stopped: ['stopped', 'parada'],
      cancelled: ['cancelled', 'cancelada'],
      finished: ['finished', 'terminada'],
      incomplete: ['finished, with failures', 'terminada, com falhas'],
      idle: ['finished, nothing changed', 'terminada, nada mudou'],
    } satisfies Readonly<Record<JobState | 'incomplete' | 'idle', Pair>>,
    endings: [
      { ...jobEndings, cancelled: ({ by }: { by: string }) => `cancelled by ${visitorName(by)[0]}` },
      {
        cancelled: ({ by }) => `cancelada por ${visitorName(by)[1]}`,
        failures: ({ failed, ended }) => `${pt.number(failed)} de ${pt.number(ended)} falharam`,
        'target-down': ({ reason }) => reason,
        'no-handler': ({ names }) => `este processo não tem o handler ${names}`,
      } satisfies typeof jobEndings,
    ],
    deed,
    /** A job that ended before all its items had begun. */
    halfDone: (
      id: string,
      heading: string,
      { left, when, why }: { left: number; when: string; why: string },
    ) => [
      `Job ${id} (${heading}) ended ${when}, ${why}: ${en.number(left)} not begun.`,
      `A execução ${id} (${heading}) terminou ${when}, ${why}: ${pt.many(left, 'não iniciado', 'não iniciados')}.`,
    ],
    progressOf: (acted: number, planned: number) => [
      `${en.number(acted)} of ${en.number(planned)}`,
      `${pt.number(acted)} de ${pt.number(planned)}`,
    ],
    stage: ['Stage', 'Etapa'],
    stageOf: (number: number, size: number | null) => [
      `${String(number)}: ${size === null ? 'all that are left' : `up to ${String(size)}`}`,
      `${String(number)}: ${size === null ? 'todos os restantes' : `até ${String(size)}`}`,
    ],
    failedOf: (failed: number) => [`${en.number(failed)} failed`, `${pt.number(failed)} com falha`],
    planned: ['Selected', 'Selecionados'],
    results: {
      succeeded: ['Succeeded', 'Com sucesso'],
      failed: ['Failed', 'Com falha'],
      left_alone: ['Already done', 'Já feitos'],
      skipped: ['Skipped', 'Ignorados'],
      waiting: ['Without a result', 'Sem resultado'],
      not_begun: ['Not begun', 'Não iniciados'],
    } satisfies Readonly<Record<ItemResult, Pair>>,
    notReleased: ['Not released', 'Não liberados'],
    notRun: ['Not run', 'Não executadas'],
    overtaken: [
      'Not run: a newer event was already handled',
      'Não executadas: um evento mais novo já foi tratado',
    ],
    discarded: ['Discarded', 'Descartadas'],
    why: {
      succeeded: ['Had succeeded before the job came to it:', 'Já tinha tido sucesso antes:'],
      discarded: ['Was discarded or skipped:', 'Foi descartada ou ignorada:'],
      retrying: ['Is being retried already', 'Já está sendo tentada de novo'],
      'failed-again': ['Has failed again since the plan:', 'Falhou de novo desde o plano:'],
      overtaken: [
        'Overtaken: its handler handles a later event before it',
        'Superada: o handler trata um evento mais novo antes dela',
      ],
      released: ['Was released before', 'Já tinha sido liberado'],
      invalid: ['Does not match the contract yet', 'Ainda não corresponde ao contrato'],
      gone: ['Is not stored any more', 'Não está mais guardado'],
    } satisfies Readonly<Record<NonNullable<JobItemView['why']>, Pair>>,
    later: {
      succeeded: ['Succeeded later:', 'Teve sucesso depois:'],
      skipped: ['Discarded or skipped later:', 'Descartada ou ignorada depois:'],
      pending: ['Will be tried again', 'Será tentada de novo'],
      running: ['Is running again', 'Em execução de novo'],
    },
    unnamed: (items: number) => [
      `${en.many(items, 'item')} of a job too large to name each: changed after the plan, or overtaken.`,
      `${pt.many(items, 'item', 'itens')} de uma execução grande demais para nomear cada um: mudaram depois do plano ou foram superados.`,
    ],
    changed: (items: number) => [
      `${en.number(items)} changed after the plan, and ${items === 1 ? 'was' : 'were'} not run.`,
      `${pt.many(items, 'mudou depois do plano e não foi executado', 'mudaram depois do plano e não foram executados')}.`,
    ],
    pace: ['Pace', 'Ritmo'],
    rateOf: (rate: number) => [
      `at most ${en.number(rate)} in a second`,
      `no máximo ${pt.number(rate)} por segundo`,
    ],
    noRate: ['as fast as the handlers are', 'tão rápido quanto os handlers'],
    stopsAt: (percent: number) => [
      `stops when more than ${String(percent)} % of a stage fail`,
      `para quando mais de ${String(percent)} % de uma etapa falha`,
    ],
    neverStops: ['does not stop for failures', 'não para por falhas'],
    selection: ['Selected by', 'Seleção'],
    all: ['everything', 'tudo'],
    chosen: (count: string) => [`${count} chosen`, `${count} escolhidos`],
    ended: ['Ended', 'Fim'],
    cancel: ['Stop the job', 'Parar a execução'],
    resume: ['Resume', 'Retomar'],
    resumeWhy: (job: ResumedJob) => {
      const done = job.acted + job.left_alone;
      const left = job.planned - done;
      const isOne = done === 1;
      const again = `; the ${en.number(done)} done ${isOne ? 'is' : 'are'} not run again`;
      const denovo = `; ${isOne ? 'o já feito não é executado' : `os ${pt.number(done)} já feitos não são executados`} de novo`;
      const failed = job.ending?.code === 'failures';
      return [
        `${failed ? 'It stopped by itself, and did nothing to the others. Read the errors, repair the cause, then resume. ' : ''}Resume runs only the ${en.number(left)} not begun${done === 0 ? '' : again}.${job.staged ? ' It starts with a stage of one.' : ''}`,
        `${failed ? 'Ela parou sozinha e não alterou os outros. Leia os erros, corrija a causa e retome. ' : ''}A retomada executa só ${pt.many(left, 'item não iniciado', 'itens não iniciados')}${done === 0 ? '' : denovo}.${job.staged ? ' Ela começa com uma etapa de um item.' : ''}`,
      ];
    },
    resumed: ['Resumed', 'Retomada'],
    notBegun: (items: number, ending: string) => [
      `${en.number(items)} ${items === 1 ? 'was' : 'were'} not begun: ${ending}.`,
      `${pt.many(items, 'não foi iniciado', 'não foram iniciados')}. Execução: ${ending}.`,
    ],
    atLeast: (percent: number) => [`at least ${String(percent)} %`, `ao menos ${String(percent)} %`],
    more: ['Further', 'Mais adiante'],
    first: ['First', 'Primeiros'],
  },
  compose: {
    title: ['Replay events', 'Reprocessar eventos'],
    lead: [
      'Choose events and handlers. The next page shows the plan; nothing starts yet.',
      'Escolha eventos e handlers. A próxima página mostra o plano; nada começa ainda.',
    ],
    noHandler: ['Choose one handler at least.', 'Escolha ao menos um handler.'],
    status: ['With a delivery that is', 'Com uma entrega'],
    handled: ['What a handler has handled already', 'O que um handler já tratou'],
    leaveHandled: ['Leave it out', 'Deixar de fora'],
    runHandled: [
      'Also run again what counts as done (when the target has not stored it)',
      'Enviar de novo também o que consta como concluído (use quando o destino não gravou)',
    ],
  },
} satisfies Pairs;
