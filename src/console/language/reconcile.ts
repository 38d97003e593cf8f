/** The words of what the provider's records and the store differ in, in each language. */
import type { Difference } from '../../reconcile/judge-subject.ts';
import { counting } from '../../pages/language/count.ts';

const counted = { en: counting('en'), 'pt-BR': counting('pt-BR') };

const english = {
  title: "The provider's records",
  lead: 'Each family of records as it was last compared with the newest events of its subjects.',
  nothing:
    'Nothing was compared yet. With PORTARIA_RECONCILE=report, serve does it every hour, the first time a minute after its start.',
  family: 'Family',
  at: 'Compared',
  equal: 'Equal',
  differ: 'Differ',
  handlers: 'Handlers of a repair',
  outcome: 'How',
  fields: 'Differs in',
  quarantined: 'In quarantine',
  outcomes: {
    missed: 'missed: no webhook of it came',
    behind: "behind the provider's record",
    removed: 'removed at the provider',
    withheld: 'withheld by the provider (403)',
    overtaken: 'changed meanwhile',
    ahead: "newer than the provider's record",
    unknown: 'has no content to compare',
  } satisfies Readonly<Record<Difference, string>> as Readonly<Record<string, string>>,
  repair: 'Plan the repair of those listed',
  of: (family: string, source: string): string =>
    source === 'default' ? family : `${family} of source ${source}`,
  more: (count: number): string =>
    `${counted.en.many(count, 'more subject')} not listed: portaria reconcile has them all.`,
};

const portuguese: typeof english = {
  title: 'Registros do provedor',
  lead: 'Cada família de registros, como foi comparada pela última vez com os eventos mais novos dos seus objetos.',
  nothing:
    'Nada foi comparado ainda. Com PORTARIA_RECONCILE=report, serve compara a cada hora, a primeira vez um minuto depois de iniciar.',
  family: 'Família',
  at: 'Comparada',
  equal: 'Iguais',
  differ: 'Diferem',
  handlers: 'Handlers de um reparo',
  outcome: 'Como',
  fields: 'Difere em',
  quarantined: 'Na quarentena',
  outcomes: {
    missed: 'perdido: nenhum webhook dele chegou',
    behind: 'atrás do registro do provedor',
    removed: 'removido no provedor',
    withheld: 'retido pelo provedor (403)',
    overtaken: 'mudou durante a leitura',
    ahead: 'mais novo que o registro do provedor',
    unknown: 'sem conteúdo para comparar',
  },
  repair: 'Planejar o reparo dos listados',
  of: (family, source) => (source === 'default' ? family : `${family} da origem ${source}`),
  more: (count) =>
    `${counted['pt-BR'].many(count, 'outro objeto', 'outros objetos')} fora da lista: portaria reconcile mostra todos.`,
};

export const reconcileWords = { en: english, 'pt-BR': portuguese };
