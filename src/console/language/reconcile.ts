/** The words of what the provider's records and the store differ in. */
import { en, pt } from '../../pages/language/count.ts';
import type { Pair, Pairs } from '../../pages/language/pairs.ts';
import type { Difference } from '../../reconcile/judge-subject.ts';

export const reconcileWords = {
  title: ["The provider's records", 'Registros do provedor'],
  lead: [
    'The last comparison of each family of records with the newest events.',
    'A última comparação de cada família de registros com os eventos mais novos.',
  ],
  nothing: [
    'Nothing was compared yet. With PORTARIA_RECONCILE=report, serve does it every hour, the first time a minute after its start.',
    'Nada foi comparado ainda. Com PORTARIA_RECONCILE=report, o serve compara a cada hora, a primeira vez um minuto depois de iniciar.',
  ],
  family: ['Family', 'Família'],
  at: ['Compared', 'Comparada'],
  equal: ['Equal', 'Iguais'],
  differ: ['Differ', 'Diferem'],
  outcome: ['Difference', 'Diferença'],
  fields: ['Differs in', 'Difere em'],
  quarantined: ['In quarantine', 'Na quarentena'],
  outcomes: {
    missed: ['missed: no webhook of it came', 'perdido: nenhum webhook dele chegou'],
    behind: ["behind the provider's record", 'atrás do registro do provedor'],
    removed: ['removed at the provider', 'removido no provedor'],
    withheld: ['withheld by the provider (403)', 'retido pelo provedor (403)'],
    overtaken: ['changed meanwhile', 'mudou durante a leitura'],
    ahead: ["newer than the provider's record", 'mais novo que o registro do provedor'],
    unknown: ['has no content to compare', 'sem conteúdo para comparar'],
  } satisfies Readonly<Record<Difference, Pair>> as Readonly<Record<string, Pair>>,
  repair: ['Plan the repair of those listed', 'Planejar o reparo dos listados'],
  of: (family: string, source: string) => [
    source === 'default' ? family : `${family} of source ${source}`,
    source === 'default' ? family : `${family} da origem ${source}`,
  ],
  more: (count: number) => [
    `${en.many(count, 'more subject')} not listed.`,
    `${pt.many(count, 'outro objeto', 'outros objetos')} fora da lista.`,
  ],
} satisfies Pairs;
