/** The words of the checks of the store in Portuguese. English ones are those of `doctor`. */
import type { checkFindings } from '../../store/checks.ts';
import { pt } from '../../pages/language/count.ts';

const decimal = (number: string): string => number.replace('.', ',');

/** Names of checks; those of settings of a database are the same in each language. */
const names: Readonly<Record<string, string>> = {
  file: 'arquivo',
  disk: 'disco',
  reserve: 'reserva',
  owner: 'processo',
  owners: 'processos',
  writing: 'escrita',
  schema: 'esquema',
  integrity: 'integridade',
  version: 'versão',
  encoding: 'codificação',
  clock: 'relógio',
  connections: 'conexões',
  'open transactions': 'transações abertas',
  'transaction ids': 'ids de transações',
  'removed rows': 'linhas removidas',
  indexes: 'índices',
  standbys: 'réplicas',
  'standby feedback': 'retorno das réplicas',
  'replication slots': 'slots de replicação',
  history: 'histórico',
};

const findings: typeof checkFindings = {
  verbatim: ({ text }) => text,
  'at-least': (is) => `${is.version} (no mínimo ${is.least})`,
  level: (is) => `nível ${String(is.level)} de ${String(is.known)}`,
  commit: ({ ms }) => `um commit leva ${decimal(ms)} ms`,
  owned: 'um processo executa entregas deste banco',
  'not-owned': 'nenhum processo executa entregas deste banco',
  owners: ({ count }) =>
    `${pt.many(count, 'processo')} ${count === 1 ? 'executa' : 'executam'} entregas deste banco`,

  'not-local': ({ mode }) => `${mode}: ponha o arquivo em um sistema de arquivos local`,
  'sqlite-durable': 'full: um commit está no disco antes de ser confirmado',
  'sqlite-not-durable':
    'não é full: eventos confirmados podem se perder em uma queda de energia; reinicie o processo',
  'in-memory': 'em memória: tudo se perde quando o processo acaba',
  log: (is) =>
    `${String(is.mib)} MiB à espera de um checkpoint${is.ok ? '' : `: outro processo mantém uma leitura longa; ache-o com \`fuser ${is.file}\` e encerre-o`}`,
  disk: (is) => `${String(is.mib)} MiB livres${is.ok ? '' : ': abra espaço'}`,
  reserve: ({ state }) =>
    ({
      whole: 'há espaço guardado para o que libera espaço em um disco cheio',
      none: 'não há espaço guardado para um disco cheio: o disco é pequeno, ou o serve não rodou com espaço nele',
      'given-up':
        'o disco encheu, e os remetentes recebem 503 até a reserva de no máximo 4 MiB caber de novo: abra espaço',
    })[state],

  reached: (is) => `${is.location} responde em ${decimal(is.ms)} ms`,
  'old-server': ({ version }) => `${version}: instale PostgreSQL 14 ou mais novo`,
  encoding: ({ encoding }) => `${encoding}: crie um banco com a codificação UTF8 e copie os dados para ele`,
  'late-commits':
    'off: eventos confirmados no último segundo podem se perder quando o PostgreSQL para; defina synchronous_commit = on',
  'safe-commits': ({ value }) => `${value}: um commit está no disco antes de ser confirmado`,
  'fsync-off':
    'off: uma queda de energia pode perder eventos confirmados e danificar o banco; defina fsync = on',
  'full-pages-off':
    'off: uma queda de energia pode danificar páginas, se o disco não as grava inteiras; defina full_page_writes = on',
  'older-level': (is) =>
    `nível ${String(is.level)}, e esta versão tem o nível ${String(is.known)}: inicie o serve, que migra`,
  'newer-level': (is) =>
    `nível ${String(is.level)}, de uma versão mais nova; esta versão tem o nível ${String(is.known)}${is.ok ? ', e funciona com ele' : ': execute aquela versão ou uma posterior'}`,
  standby: 'esta é uma réplica: use o endereço do primário',
  clock: (is) =>
    `o relógio desta máquina está ${decimal((Math.abs(is.ahead) / 1000).toFixed(1))} s ${is.ahead < 0 ? 'atrás' : 'à frente'} do PostgreSQL` +
    {
      right: '',
      followed: '; este processo segue o relógio do PostgreSQL; sincronize as duas máquinas por NTP',
      wrong: ': sincronize as duas máquinas por NTP',
    }[is.state],
  pooler:
    'há um pooler antes do PostgreSQL, então os processos não recebem notificações e consultam de tempos em tempos: defina PORTARIA_DATABASE_DIRECT com o endereço do banco sem o pooler',

  connections: (is) =>
    `${String(is.used)} de ${String(is.most)} em uso${is.ok ? '' : ': aumente max_connections, ou use um pooler'}`,
  'transaction-ids': (is) =>
    `o número de transação mais antigo tem ${decimal(is.millions)} milhões de idade${is.ok ? '' : ': o PostgreSQL não aceita escritas aos 2.100 milhões: descubra por que o autovacuum não termina, e execute `vacuum freeze`'}`,
  'no-transaction': ({ hidden }) => `nenhuma além desta${hidden ? outrasOcultas : ''}`,
  transaction: (is) => `a mais antiga tem ${String(is.minutes)} minutos${is.hidden ? outrasOcultas : ''}`,
  'old-transaction': (is) =>
    `a mais antiga tem ${String(is.minutes)} minutos: ${is.name} impede o vacuum das linhas removidas; encerre-a`,
  vacuumed: 'o autovacuum dá conta',
  'removed-rows': (is) =>
    `${is.table} tem ${String(is.removed)} linhas removidas ao lado de ${String(is.rows)}: o autovacuum está desligado ou lento; execute \`vacuum ${is.table}\` e aumente autovacuum_vacuum_cost_limit`,
  indexes: 'nenhum é muito maior do que suas linhas',
  'large-index': (is) =>
    `${is.index} tem ${String(is.mib)} MiB para ${String(is.rows)} linhas: execute \`reindex index concurrently ${is.index}\``,
  'no-standbys': 'nenhuma: só um backup sobrevive à perda do disco',
  standbys: ({ count }) => `${String(count)}; conceda pg_monitor para ver a distância delas`,
  'standby-lacks': (is) =>
    `faltam a ${is.standby} (${is.mode}) ${String(is.mib)} MiB do log` +
    {
      safe: '',
      unsafe:
        '; nenhuma é síncrona, então um failover perde os últimos commits; synchronous_standby_names evita isso',
      far: ': ela os perderia em um failover; verifique sua rede e seu disco',
    }[is.state],
  'no-feedback': 'nenhum: não há réplicas',
  feedback: ({ millions }) =>
    `réplicas retêm as linhas removidas de ${decimal(millions)} milhões de transações`,
  'hidden-feedback': 'conceda pg_monitor para ver o que as réplicas impedem de ser limpo',
  'old-feedback': (is) =>
    `${is.standby} impede o vacuum das linhas removidas de ${decimal(is.millions)} milhões de transações: encerre a consulta antiga lá, ou desligue hot_standby_feedback`,
  slots: ({ count }) => (count === 0 ? 'nenhum' : `${String(count)}, todos em uso`),
  'idle-slot': (is) => `${is.slot} não está em uso e retém ${String(is.mib)} MiB do log: ${slotRemedy(is)}`,
  'lost-slot': (is) =>
    `${is.slot} retém mais do log do que max_slot_wal_keep_size, então a réplica pode ter de ser copiada de novo: ${slotRemedy(is)}`,
  'old-slot': (is) =>
    `${is.slot} impede o vacuum das linhas removidas de ${decimal(is.millions)} milhões de transações: ${slotRemedy(is)}`,
  'large-slot': (is) =>
    `${is.slot} retém ${String(is.mib)} MiB do log, até o disco encher: ${slotRemedy(is)}`,

  'unknown-server': 'nada está registrado ainda: o próximo início do serve registra este servidor',
  'other-server': 'este servidor não é aquele em que o banco é conhecido',
  'known-server': ({ untold }) => {
    const parts = untold.map(
      (part) => ({ identifier: 'seu identificador', timeline: 'sua linha do tempo' })[part],
    );
    return `este servidor é aquele em que o banco é conhecido${parts.length === 0 ? '' : `; ele não informa ${parts.join(' nem ')}`}`;
  },
};

const outrasOcultas = '; conceda pg_monitor para ver as de outros usuários';

function slotRemedy({ slot, active = false }: { readonly slot: string; readonly active?: boolean }): string {
  return active
    ? 'verifique a réplica ou o programa que o usa'
    : `inicie o que o usa, ou execute \`select pg_drop_replication_slot('${slot}')\``;
}

/** The words of checks. Without them, a page shows those of `doctor`. */
export const checkWords = { en: null, 'pt-BR': { names, findings } };
