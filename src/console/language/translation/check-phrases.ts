/** Portuguese translations of the checks of `doctor`. */
import type { Phrases } from './phrases.ts';

/** What `doctor` finds in the store: names of checks, and their details with the remedy. */
export const checkPhrases: Phrases = {
  file: 'arquivo',
  disk: 'disco',
  owner: 'processo',
  owners: 'processos',
  writing: 'escrita',
  schema: 'esquema',
  integrity: 'integridade',
  version: 'versão',
  encoding: 'codificação',
  clock: 'relógio',
  connections: 'conexões',
  pooler: 'pooler',
  'open transactions': 'transações abertas',
  'transaction ids': 'ids de transações',
  'removed rows': 'linhas removidas',
  lanes: 'filas',
  counts: 'contagens',
  standbys: 'réplicas',
  'standby feedback': 'retorno das réplicas',
  'replication slots': 'slots de replicação',
  history: 'histórico',

  // The values of settings are the same in every language.
  wal: 'wal',
  memory: 'memory',
  ok: 'ok',
  on: 'on',
  UTF8: 'UTF8',
  '{} (0600)': '{} (0600)',
  '{} (at least {})': '{} (no mínimo {})',
  '{}: put the file on a local file system': '{}: ponha o arquivo em um sistema de arquivos local',
  'full: a commit is on the disk before it is acknowledged':
    'full: um commit está no disco antes de ser confirmado',
  'not full: acknowledged events can be lost in a power failure; restart the process':
    'não é full: eventos confirmados podem se perder em uma queda de energia; reinicie o processo',
  'level {} of {}': 'nível {} de {}',
  '{}: restore a copy of the file': '{}: restaure uma cópia do arquivo',
  'a commit takes {} ms': 'um commit leva {,} ms',
  'in memory: everything is lost when the process ends': 'em memória: tudo se perde quando o processo acaba',
  '{} can be read by others: {}': 'outros podem ler {}: {}',
  '{} wait for a checkpoint': '{} à espera de um checkpoint',
  '{} wait for a checkpoint: another process holds a long read transaction; find it with {} and end it':
    '{} à espera de um checkpoint: outro processo mantém uma leitura longa; ache-o com {} e encerre-o',
  '{} free': '{} livres',
  '{} free: make room': '{} livres: abra espaço',
  'a process dispatches from this store': 'um processo executa entregas deste banco',
  'no process dispatches from this store': 'nenhum processo executa entregas deste banco',

  '{} responds in {} ms': '{} responde em {,} ms',
  '{}: install PostgreSQL 14 or later': '{}: instale PostgreSQL 14 ou mais novo',
  '{}: create a database with the encoding UTF8, and copy the store into it':
    '{}: crie um banco com a codificação UTF8 e copie os dados para ele',
  'off: events acknowledged in the last second can be lost when PostgreSQL stops; set synchronous_commit = on':
    'off: eventos confirmados no último segundo podem se perder quando o PostgreSQL para; defina synchronous_commit = on',
  '{}: a commit is on the disk before it is acknowledged':
    '{}: um commit está no disco antes de ser confirmado',
  'off: a power failure can lose acknowledged events and damage the database; set fsync = on':
    'off: uma queda de energia pode perder eventos confirmados e danificar o banco; defina fsync = on',
  'off: a power failure can damage pages, unless the disk writes them whole; set full_page_writes = on':
    'off: uma queda de energia pode danificar páginas, se o disco não as grava inteiras; defina full_page_writes = on',
  'this is a standby: use the address of the primary': 'esta é uma réplica: use o endereço do primário',
  "this machine's clock is {} s behind PostgreSQL's":
    'o relógio desta máquina está {,} s atrás do PostgreSQL',
  "this machine's clock is {} s ahead of PostgreSQL's":
    'o relógio desta máquina está {,} s à frente do PostgreSQL',
  "this machine's clock is {} s behind PostgreSQL's: synchronize both machines by NTP":
    'o relógio desta máquina está {,} s atrás do PostgreSQL: sincronize as duas máquinas por NTP',
  "this machine's clock is {} s ahead of PostgreSQL's: synchronize both machines by NTP":
    'o relógio desta máquina está {,} s à frente do PostgreSQL: sincronize as duas máquinas por NTP',
  '1 process dispatches from this store': '1 processo executa entregas deste banco',
  '{} processes dispatch from this store': '{} processos executam entregas deste banco',
  'a pooler stands before PostgreSQL, so processes get no notifications and poll: set PORTARIA_DATABASE_DIRECT to the address of the database without the pooler':
    'há um pooler antes do PostgreSQL, então os processos não recebem notificações e consultam de tempos em tempos: defina PORTARIA_DATABASE_DIRECT com o endereço do banco sem o pooler',
  '{} of {} are used': '{} de {} em uso',
  '{} of {} are used: set a larger max_connections, or use a pooler':
    '{} de {} em uso: aumente max_connections, ou use um pooler',
  'the oldest number of a transaction is {} million old':
    'o número de transação mais antigo tem {,} milhões de idade',
  'the oldest number of a transaction is {} million old: PostgreSQL takes no writes at 2,100 million: find out why autovacuum does not end, and run `vacuum freeze`':
    'o número de transação mais antigo tem {,} milhões de idade: o PostgreSQL não aceita escritas aos 2.100 milhões: descubra por que o autovacuum não termina, e execute `vacuum freeze`',
  'none besides this one': 'nenhuma além desta',
  'the oldest is {} minutes old': 'a mais antiga tem {} minutos',
  'the oldest is {} minutes old: {} keeps removed rows from being vacuumed; end it':
    'a mais antiga tem {} minutos: {} impede o vacuum das linhas removidas; encerre-a',
  'none besides this one; grant pg_monitor to see those of other users':
    'nenhuma além desta; conceda pg_monitor para ver as de outros usuários',
  'the oldest is {} minutes old; grant pg_monitor to see those of other users':
    'a mais antiga tem {} minutos; conceda pg_monitor para ver as de outros usuários',
  'prepared transaction {}': 'transação preparada {}',
  'autovacuum keeps up': 'o autovacuum dá conta',
  '{} has {} removed rows beside {}: autovacuum is off or too slow; run {}, and raise autovacuum_vacuum_cost_limit':
    '{} tem {} linhas removidas ao lado de {}: o autovacuum está desligado ou lento; execute {} e aumente autovacuum_vacuum_cost_limit',
  'none: only a backup survives the loss of the disk': 'nenhuma: só um backup sobrevive à perda do disco',
  '{}; grant pg_monitor to see how far they are': '{}; conceda pg_monitor para ver a distância delas',
  '{} lacks {} MiB of the log': 'faltam a {} {} MiB do log',
  '{} lacks {} MiB of the log: it would lose them in a failover; look at its network and disk':
    'faltam a {} {} MiB do log: ela os perderia em um failover; verifique sua rede e seu disco',

  'nothing is recorded yet: the next start of serve records this server':
    'nada está registrado ainda: o próximo início do serve registra este servidor',
  'this server is the one on which the store is known': 'este servidor é aquele em que o banco é conhecido',
  'this server is not the one on which the store is known':
    'este servidor não é aquele em que o banco é conhecido',
  'this server is the one on which the store is known; it does not tell its identifier':
    'este servidor é aquele em que o banco é conhecido; ele não informa seu identificador',
  'this server is the one on which the store is known; it does not tell its timeline':
    'este servidor é aquele em que o banco é conhecido; ele não informa sua linha do tempo',
  'this server is the one on which the store is known; it does not tell its identifier and its timeline':
    'este servidor é aquele em que o banco é conhecido; ele não informa seu identificador nem sua linha do tempo',

  none: 'nenhum',
  '{}, all in use': '{}, todos em uso',
  'none: there are no standbys': 'nenhum: não há réplicas',
  'grant pg_monitor to see what standbys keep from being vacuumed':
    'conceda pg_monitor para ver o que as réplicas impedem de ser limpo',
  'standbys keep the removed rows of {} million transactions':
    'réplicas retêm as linhas removidas de {,} milhões de transações',
  '{} keeps removed rows of {} million transactions from being vacuumed: {}':
    '{} impede o vacuum das linhas removidas de {,} milhões de transações: {}',
  '{} keeps {} MiB of the log, until the disk is full: {}': '{} retém {} MiB do log, até o disco encher: {}',
  '{} is not in use and keeps {} MiB of the log: {}': '{} não está em uso e retém {} MiB do log: {}',
  '{} keeps more of the log than max_slot_wal_keep_size, so its standby may have to be copied again: {}':
    '{} retém mais do log do que max_slot_wal_keep_size, então a réplica pode ter de ser copiada de novo: {}',
  'end the old query there, or switch off hot_standby_feedback':
    'encerre a consulta antiga lá, ou desligue hot_standby_feedback',
  'look at the standby or the program that uses it': 'verifique a réplica ou o programa que o usa',
  'start what uses it, or run {}': 'inicie o que o usa, ou execute {}',
};
