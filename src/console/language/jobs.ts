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
      'Plans that somebody started, newest first.',
      'Planos que alguém iniciou, dos mais novos aos mais antigos.',
    ],
    none: [
      'No plan was started yet. Begin at Failures or Quarantine, or replay events here.',
      'Nenhum plano foi iniciado. Comece em Falhas ou Quarentena, ou reprocesse eventos aqui.',
    ],
    id: ['Job', 'Job'],
    progress: ['Progress', 'Progresso'],
    started: ['Started', 'Início'],
    actions,
    states: {
      running: ['running', 'em curso'],
      stopped: ['stopped', 'parado'],
      cancelled: ['cancelled', 'cancelado'],
      finished: ['finished', 'terminado'],
      incomplete: ['finished, with failures', 'terminado, com falhas'],
      idle: ['finished, nothing changed', 'terminado, nada mudou'],
    } satisfies Readonly<Record<JobState | 'incomplete' | 'idle', Pair>>,
    endings: [
      { ...jobEndings, cancelled: ({ by }: { by: string }) => `cancelled by ${visitorName(by)[0]}` },
      {
        cancelled: ({ by }) => `cancelado por ${visitorName(by)[1]}`,
        failures: ({ failed, ended }) => `${pt.number(failed)} de ${pt.number(ended)} com falha`,
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
      `Job ${id} (${heading}) ended ${when} with ${en.number(left)} not begun: ${why}.`,
      `O job ${id} (${heading}) terminou ${when} com ${pt.many(left, 'não iniciado', 'não iniciados')}: ${why}.`,
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
      succeeded: ['Succeeded', 'Concluídos'],
      failed: ['Failed', 'Com falha'],
      left_alone: ['Already done', 'Já feitos'],
      skipped: ['Skipped', 'Ignorados'],
      waiting: ['Without a result', 'Sem resultado'],
      not_begun: ['Not begun', 'Não iniciados'],
    } satisfies Readonly<Record<ItemResult, Pair>>,
    releases: {
      left_alone: ['Not released', 'Não liberados'],
      succeeded: ['Ran', 'Executados'],
      skipped: ['Stored without running', 'Guardados sem executar'],
    },
    notRun: ['Not run', 'Não executadas'],
    overtaken: ['Overtaken by newer events', 'Ultrapassadas por eventos mais novos'],
    discarded: ['Discarded', 'Descartadas'],
    why: {
      succeeded: ['Had succeeded before:', 'Já estava concluída:'],
      discarded: ['Was discarded or skipped:', 'Foi descartada ou ignorada:'],
      retrying: ['Is being retried already', 'Já está sendo tentada de novo'],
      'failed-again': ['Has failed again since the plan:', 'Falhou de novo desde o plano:'],
      overtaken: ['Overtaken by a newer event', 'Ultrapassada por um evento mais novo'],
      released: ['Was released before', 'Já tinha sido liberado'],
      invalid: ['Still against the contract', 'Ainda em desacordo com o contrato'],
      gone: ['Is not stored any more', 'Não está mais guardado'],
    } satisfies Readonly<Record<NonNullable<JobItemView['why']>, Pair>>,
    later: {
      succeeded: ['Succeeded later:', 'Concluída depois:'],
      skipped: ['Discarded or skipped later:', 'Descartada ou ignorada depois:'],
      pending: ['Will be tried again', 'Será tentada de novo'],
      running: ['Is running again', 'Em execução de novo'],
    },
    unnamed: (items: number) => [
      `${en.many(items, 'item')} of a job too large to name each: changed after the plan, or overtaken.`,
      `${pt.many(items, 'item', 'itens')} de um job grande demais para nomear cada um: mudaram depois do plano ou foram ultrapassados.`,
    ],
    changed: (items: number) => [
      `${en.number(items)} changed after the plan, and ${items === 1 ? 'was' : 'were'} not run.`,
      `${pt.many(items, 'mudou depois do plano e não foi executado', 'mudaram depois do plano e não foram executados')}.`,
    ],
    pace: ['Pace', 'Ritmo'],
    rateOf: (rate: number) => [`up to ${en.number(rate)} per second`, `até ${pt.number(rate)} por segundo`],
    noRate: ['as fast as the handlers are', 'tão rápido quanto os handlers'],
    stopsAt: (percent: number) => [
      `stops when more than ${String(percent)} % of a stage fail`,
      `para quando mais de ${String(percent)} % de uma etapa falha`,
    ],
    neverStops: ['does not stop for failures', 'não para por falhas'],
    selection: ['Selection', 'Seleção'],
    all: ['everything', 'tudo'],
    chosen: (count: string) => [`${count} chosen`, `${count} escolhidos`],
    ended: ['Ended', 'Fim'],
    cancel: ['Stop the job', 'Parar o job'],
    resume: ['Resume', 'Retomar'],
    resumeWhy: (job: ResumedJob) => {
      const done = job.acted + job.left_alone;
      const left = job.planned - done;
      const isOne = done === 1;
      const again = `; the ${en.number(done)} done ${isOne ? 'is' : 'are'} not run again`;
      const denovo = `; ${isOne ? 'o já feito não é executado' : `os ${pt.number(done)} já feitos não são executados`} de novo`;
      const failed = job.ending?.code === 'failures';
      return [
        `${failed ? 'It stopped by itself. Read the errors, repair the cause, then resume. ' : ''}A resume runs only the ${en.number(left)} not begun${done === 0 ? '' : again}.${job.staged ? ' It starts with one.' : ''}`,
        `${failed ? 'Ele parou sozinho. Leia os erros, corrija a causa e retome. ' : ''}A retomada executa só ${pt.many(left, 'item não iniciado', 'itens não iniciados')}${done === 0 ? '' : denovo}.${job.staged ? ' Ela começa com um item.' : ''}`,
      ];
    },
    resumed: ['Resumed', 'Retomado'],
    notBegun: (items: number, ending: string) => [
      `${en.number(items)} ${items === 1 ? 'was' : 'were'} not begun: ${ending}.`,
      `${pt.many(items, 'não foi iniciado', 'não foram iniciados')}: ${ending}.`,
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
    handled: ['Deliveries that have succeeded', 'Entregas já concluídas'],
    leaveHandled: ['Leave them out', 'Deixar de fora'],
    runHandled: [
      'Run them again, too (when the target has not stored them)',
      'Executá-las também de novo (quando o destino não as gravou)',
    ],
  },
} satisfies Pairs;
