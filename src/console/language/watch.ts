/** The words of problems. */
import { pt } from '../../pages/language/count.ts';
import type { Pairs } from '../../pages/language/pairs.ts';
import type { ProblemFacts } from '../../attention/problem.ts';
import { rejectedBecause, rejectionClauses, type RejectionClauses } from '../../attention/rejections.ts';
import type { Outage, ServerMove } from '../../store/monitoring.ts';

/** What is needed of the formats of a language, which this file may not import. */
export interface Spoken {
  readonly relative: (iso: string, now: number) => string;
  readonly duration: (ms: number) => string;
}

/** The words of problems in a language other than English, which they have themselves. */
export interface ProblemWords {
  /** @param now milliseconds since 1970 */
  readonly sentence: (facts: ProblemFacts, format: Spoken, now: number) => string;
  readonly remedy: (facts: ProblemFacts) => string;
}

type RejectionFacts = Extract<ProblemFacts, { about: 'rejections' }>;

const motivos: RejectionClauses = {
  missing: 'faltava um cabeçalho com a prova do remetente',
  malformed: 'um cabeçalho com a prova do remetente estava malformado',
  repeated: 'um cabeçalho foi enviado mais de uma vez',
  mismatch: 'a assinatura ou o token não conferia',
  'too-old': (seconds) => `o horário do remetente estava ${pt.many(seconds, 'segundo')} atrás deste relógio`,
  'too-new': (seconds) =>
    `o horário do remetente estava ${pt.many(seconds, 'segundo')} à frente deste relógio`,
  'unknown-path':
    'este caminho não existe aqui (404): nada é guardado. Os webhooks vão para /webhooks ou /webhooks/<origem>',
  'unknown-source': 'não há origem com este nome (404): nada é guardado',
};

const remedios: Readonly<Record<Exclude<ProblemFacts['about'], 'rejections'>, string>> = {
  'backup-late':
    'Reinicie o serve se ele roda sem esta configuração; senão, o log dele diz por quê (backup failed): libere espaço na pasta, ou permita que o usuário dele grave lá. portaria backup faz um lá agora.',
  'disk-low':
    'Libere espaço ou aumente o disco. portaria events prune e PORTARIA_KEEP_EVENTS removem eventos antigos.',
  stalled:
    'Pause o handler na página dele, corrija o que o log mostra (process.stalled), retome-o e repita as entregas que falharam.',
  observed:
    'Encontre a prova do remetente (portaria verify try --event), depois remova observe da origem, ou PORTARIA_VERIFY_OBSERVE.',
  'moved-server':
    'Se eventos confirmados podem ter se perdido, pare todos os processos e execute portaria store renew-id, porque os ids deles seriam dados a outros eventos. Se nenhum se perdeu, execute portaria store renew-id --keep-id.',
  drift: 'Veja portaria reconcile, e repare com --repair, ou na página Remetentes.',
  'reconcile-late':
    'O log diz por quê (reconcile.failed), e portaria reconcile também: a API do provedor falha, ou a chave não tem permissão.',
  'unregistered-handlers':
    'Registre o handler de novo com este nome (PORTARIA_HANDLERS, PORTARIA_FORWARD_URL) e reinicie, ou descarte as entregas dele.',
  silence:
    'Verifique se o provedor ainda tem este endereço com o segredo, e o proxy, o certificado e o nome diante deste receptor. Um feriado também explica.',
  'missed-webhooks':
    'Verifique se o provedor ainda tem este endereço com o segredo, e o proxy, o certificado e o nome diante deste receptor. Depois peça ao provedor que reenvie o que falta.',
  overdue: 'Verifique se o provedor ainda envia webhooks a este endereço, ou corrija PORTARIA_EXPECT.',
  'unknown-kinds':
    'Nada se perde: os eventos são guardados, sem esquema e sem máquinas. Quem tem um terminal define os tipos: portaria contract drift --patch imprime uma definição.',
};

const problemas: ProblemWords = {
  sentence(facts, format, now) {
    const ago = (ms: number): string => format.relative(new Date(ms).toISOString(), now);
    switch (facts.about) {
      case 'rejections':
        return `${pt.many(facts.count, 'webhook')} da origem ${facts.source} ${facts.count === 1 ? 'falhou' : 'falharam'} na verificação (401) em duas horas; o normal é ${facts.usual < 0.5 ? 'nenhum' : pt.number(Math.round(facts.usual))}${facts.lastReason === null ? '' : `; ultimamente, porque ${rejectedBecause(facts, motivos)}`}.`;
      case 'silence':
        return `Nada chegou ${coisa(facts)}: o último evento chegou ${ago(facts.lastAt)}, e o normal neste tempo é ${pt.number(Math.round(facts.expected))} ou mais.${facts.unasked === null ? '' : ` A API do provedor não soube dizer por quê: ${facts.unasked}.`}`;
      case 'missed-webhooks':
        return `Faltam webhooks: ${facts.subject} mudou no provedor ${ago(facts.changedAt)}, e o último evento ${coisa(facts)} chegou ${ago(facts.lastAt)}.`;
      case 'overdue':
        return `${facts.pattern} está em atraso: ${facts.lastAt === null ? 'nenhum evento chegou até hoje' : `o último evento chegou ${ago(facts.lastAt)}`}, e espera-se um a cada ${format.duration(facts.withinMs)}.`;
      case 'unknown-kinds':
        return `A origem ${facts.source} envia ${pt.many(facts.count, 'tipo')} fora do contrato: ${facts.names.join(', ')}${facts.count > facts.names.length ? ` e mais ${pt.number(facts.count - facts.names.length)}` : ''}.`;
      case 'drift':
        return `${pt.many(facts.count, 'objeto')} de ${facts.family} ${facts.count === 1 ? 'difere' : 'diferem'} dos registros do provedor (${facts.outcomes}), visto ${ago(facts.at)}.`;
      case 'reconcile-late':
        return `Há tempo demais os registros do provedor da origem ${facts.source} não puderam ser lidos: ${facts.families.join(', ')}.`;
      case 'unregistered-handlers':
        return `${pt.many(facts.pending, 'entrega')} ${facts.pending === 1 ? 'espera' : 'esperam'} pelo handler ${facts.handler}, que nenhum processo executa.`;
      case 'observed':
        return `A origem ${facts.source} aceita webhooks que falham na verificação e guarda os cabeçalhos deles${facts.until === null ? '' : `, até ${facts.until}`}.${facts.passed.length === 0 ? '' : ` Em nove dias: ${facts.passed.map(({ scheme, webhooks }) => `${pt.many(webhooks, 'webhook')} ${webhooks === 1 ? 'passa' : 'passam'} ${scheme === 'none' ? 'em nada' : `em ${scheme}`}`).join(', ')}.`}`;
      case 'moved-server':
        return `O banco de dados foi restaurado, mudou de lugar ou passou por um failover desde que foi reconhecido pela última vez: ${diferenca(facts.move)}.`;
      case 'stalled':
        return `${facts.handler === null ? 'Código fora dos handlers bloqueou' : `O handler ${facts.handler} bloqueou`} o processo ${pt.many(facts.count, 'vez', 'vezes')} na última hora, a última ${ago(facts.lastAt)}: nada mais era executado, e o Portaria o encerrou.`;
      case 'backup-late':
        return `${facts.lastAt === null ? 'Não há backup' : `O backup mais novo é de ${ago(facts.lastAt)}`} em ${facts.folder}.`;
      case 'disk-low':
        return `O disco do banco de dados tem ${pt.number(Math.floor(facts.freeBytes / 2 ** 20))} MiB livres (${pt.number(Math.round(1000 * facts.share) / 10)} %). ${facts.freeBytes < 2 ** 20 ? 'Os webhooks podem receber 503' : 'Quando estiver cheio, os webhooks recebem 503'}.`;
    }
  },
  remedy: (facts) => (facts.about === 'rejections' ? recusados(facts) : remedios[facts.about]),
};

/** The words of what the watch finds, in the overview and on the page of the system. */
export const watchWords = {
  problems: [null as ProblemWords | null, problemas],
  outages: ['Outages', 'Interrupções'],
  noOutages: ['None that Portaria knows of.', 'Nenhuma de que o Portaria saiba.'],
  outage: ['What was away', 'O que parou'],
  outageOf: (cause: Outage['cause'], handler: string | null) => [
    cause === 'store'
      ? 'The store could not be written'
      : `The process was blocked: ${handler ?? 'code outside handlers'}`,
    cause === 'store'
      ? 'O banco de dados não podia ser gravado'
      : `O processo ficou bloqueado: ${handler ?? 'código fora dos handlers'}`,
  ],
  to: ['To', 'Até'],
  goesOn: ['still going on', 'continua'],
  refused: ['Webhooks that got 503', 'Webhooks com 503'],
  rejections: ['Webhooks that were rejected', 'Webhooks rejeitados'],
  rejectionsLead: [
    'The last 24 hours by source and hour, the latest first. Counted once a minute.',
    'As últimas 24 horas por origem e hora, a mais recente primeiro. Contados uma vez por minuto.',
  ],
  noRejections: [
    'None in the last 24 hours. They are counted once a minute.',
    'Nenhum nas últimas 24 horas. São contados uma vez por minuto.',
  ],
  place: ['Source, or path', 'Origem, ou caminho'],
  rejected: ['Rejected', 'Rejeitados'],
  lastRejected: ['Why the last one', 'Por que o último'],
  because: [rejectionClauses, motivos],
  hour: ['In the hour from', 'Na hora a partir de'],
  arrivals: ['What came, by source', 'O que chegou, por origem'],
  arrivalsLead: [
    'By source and kind, the longest silent first.',
    'Por origem e tipo, o que está em silêncio há mais tempo primeiro.',
  ],
  noArrivals: ['No webhook has arrived yet.', 'Nenhum webhook chegou ainda.'],
} satisfies Pairs;

function coisa({ source, kind }: { readonly source: string; readonly kind: string | null }): string {
  return kind === null ? `da origem ${source}` : `do tipo ${kind} da origem ${source}`;
}

function recusados({ lastReason, secretsFrom }: RejectionFacts): string {
  const acao =
    lastReason === 'too-old' || lastReason === 'too-new'
      ? 'Acerte os dois relógios por NTP, este e o do remetente. Um proxy ou uma fila também pode reter webhooks por tempo demais.'
      : `Compare o segredo com o do remetente. Durante a rotação, ${secretsFrom} pode ter o antigo e o novo.`;
  return `${acao} O log diz por que cada um falhou. De remetentes desconhecidos nada se perde.`;
}

function diferenca(move: ServerMove): string {
  switch (move.differs) {
    case 'cluster':
      return 'está em outro cluster';
    case 'database':
      return 'é outro banco de dados do cluster';
    case 'tables':
      return 'as tabelas foram criadas de novo';
    case 'timeline':
      return `está na linha do tempo ${String(move.here)} em vez da ${String(move.known)}`;
  }
}
