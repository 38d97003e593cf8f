/** Words of the pages of machines, and of the picture of their moves. */
export interface MachineWords {
  readonly title: string;
  readonly lead: string;
  readonly none: string;
  readonly machine: string;
  readonly follows: string;
  readonly subjects: string;
  readonly withAnomalies: string;
  readonly phases: string;
  readonly foreign: string;
  readonly foreignWhy: string;
  readonly noTable: string;
  readonly tooLarge: string;
  readonly noPhases: string;
  /** `counted`: a number, or "10,000+". */
  leadOf(counted: string, kinds: string): string;
  readonly diagram: string;
  readonly moves: string;
  readonly from: string;
  readonly on: string;
  readonly to: string;
  readonly start: string;
  readonly inPhase: string;
  arrow(from: string, to: string, signals: string): string;
  unexpected(from: string, to: string): string;
  box(phase: string, counted: string | null): string;
  readonly notInTable: string;
  readonly listTitle: string;
  inState(phase: string): string;
  readonly anomalousTitle: string;
  readonly all: string;
  readonly anomalousOnly: string;
  readonly subject: string;
  readonly source: string;
  readonly updated: string;
  readonly revision: string;
  readonly anomalies: string;
  readonly latestAnomalies: string;
  readonly noAnomalies: string;
  readonly anomalyMeans: string;
  readonly anomaliesOf: (count: string, one: boolean) => string;
  readonly order: string;
  readonly nextSubjects: string;
  readonly firstSubjects: string;
  readonly event: string;
  readonly noSubjects: string;
  readonly path: string;
  readonly present: string;
  readonly passed: string;
  readonly moved: string;
  readonly jumped: string;
  pathLead(phases: string): string;
  readonly pathMissing: { readonly pruned: string; readonly long: string };
  readonly pathShown: string;
  readonly stays: string;
  readonly came: string;
  readonly state: string;
  readonly content: string;
  readonly noPath: string;
  readonly sources: string;
  readonly version: string;
}

const en: MachineWords = {
  title: 'Machines',
  lead: 'What each machine knows of its subjects, drawn from its table of moves.',
  none: 'This process has no machine, and none has stored a state. Define one with defineMachine.',
  machine: 'Machine',
  follows: 'Follows',
  subjects: 'Subjects',
  withAnomalies: 'With anomalies',
  phases: 'States',
  foreign: 'not of this process',
  foreignWhy:
    'This process does not define the machine, so its moves are not known here. Its stored states are listed below.',
  noTable: 'The machine has no table of moves. Give defineMachine a table to see it drawn.',
  tooLarge: 'The table of moves is too large to draw. The list below has all of it.',
  noPhases:
    'No state has a member phase, status or session, so subjects cannot be counted by state. The list below has all of them.',
  leadOf: (counted, kinds) => `${counted} ${counted === '1' ? 'subject' : 'subjects'}, followed by ${kinds}.`,
  diagram: 'Moves of the machine, drawn',
  moves: 'Moves',
  from: 'From',
  on: 'On',
  to: 'To',
  start: 'start',
  inPhase: 'Subjects in it',
  arrow: (from, to, signals) => `${from} to ${to} on ${signals}`,
  unexpected: (from, to) => `${from} to ${to}: not in the table of moves`,
  box: (phase, counted) =>
    counted === null ? phase : `${phase}: ${counted} ${counted === '1' ? 'subject' : 'subjects'}`,
  notInTable: 'not in the table',
  listTitle: 'Its subjects',
  inState: (phase) => `Subjects in ${phase}`,
  anomalousTitle: 'Subjects with anomalies',
  all: 'all subjects',
  anomalousOnly: 'with anomalies',
  subject: 'Subject',
  source: 'Source',
  updated: 'Stored',
  revision: 'Revision',
  anomalies: 'Anomalies',
  latestAnomalies: 'Latest anomalies',
  noAnomalies: 'The machine has seen no impossible move.',
  anomalyMeans:
    'An anomaly is a move that the machine holds to be impossible: the sender skipped or mixed up something.',
  anomaliesOf: (count, one) => `${count} ${one ? 'anomaly' : 'anomalies'}`,
  order: 'In the order in which the subjects were first seen.',
  nextSubjects: 'Further',
  firstSubjects: 'First',
  event: 'Event',
  noSubjects: 'No subject matches.',
  path: 'Its way, in the order of versions',
  present: 'is here',
  passed: 'was here',
  moved: 'Moved to',
  jumped: 'not in the table of moves',
  pathLead: (phases) => `It is ${phases} now.`,
  pathMissing: {
    pruned: 'Events whose content was pruned are not shown.',
    long: 'Only the last 2,000 events are folded for this page, so that the first states shown may differ.',
  },
  pathShown: 'Only the last 100 moves are shown.',
  stays: 'stays',
  came: 'Arrived',
  state: 'State',
  content: 'What is stored',
  noPath: 'This process does not define the machine, so the way cannot be folded here.',
  sources: 'Several sources have this subject. Choose one:',
  version: 'Version',
};

const pt: MachineWords = {
  title: 'Máquinas',
  lead: 'O que cada máquina sabe de seus sujeitos, desenhado da tabela de movimentos.',
  none: 'Este processo não tem máquina, e nenhuma guardou um estado. Defina uma com defineMachine.',
  machine: 'Máquina',
  follows: 'Acompanha',
  subjects: 'Sujeitos',
  withAnomalies: 'Com anomalias',
  phases: 'Estados',
  foreign: 'não é deste processo',
  foreignWhy:
    'Este processo não define a máquina; seus movimentos não são conhecidos aqui. Os estados guardados estão abaixo.',
  noTable: 'A máquina não tem tabela de movimentos. Dê uma a defineMachine para vê-la desenhada.',
  tooLarge: 'A tabela de movimentos é grande demais para um desenho. A lista abaixo tem todos.',
  noPhases:
    'Nenhum estado tem um membro phase, status ou session; não se pode contar por estado. A lista abaixo tem todos.',
  leadOf: (counted, kinds) => `${counted} ${counted === '1' ? 'sujeito' : 'sujeitos'}, por ${kinds}.`,
  diagram: 'Movimentos da máquina, em desenho',
  moves: 'Movimentos',
  from: 'De',
  on: 'Com',
  to: 'Para',
  start: 'início',
  inPhase: 'Sujeitos nele',
  arrow: (from, to, signals) => `de ${from} para ${to} com ${signals}`,
  unexpected: (from, to) => `de ${from} para ${to}: fora da tabela de movimentos`,
  box: (phase, counted) =>
    counted === null ? phase : `${phase}: ${counted} ${counted === '1' ? 'sujeito' : 'sujeitos'}`,
  notInTable: 'fora da tabela',
  listTitle: 'Seus sujeitos',
  inState: (phase) => `Sujeitos em ${phase}`,
  anomalousTitle: 'Sujeitos com anomalias',
  all: 'todos os sujeitos',
  anomalousOnly: 'com anomalias',
  subject: 'Sujeito',
  source: 'Origem',
  updated: 'Guardado',
  revision: 'Revisão',
  anomalies: 'Anomalias',
  latestAnomalies: 'Últimas anomalias',
  noAnomalies: 'A máquina não viu movimento impossível.',
  anomalyMeans:
    'Uma anomalia é um movimento que a máquina considera impossível: o remetente pulou ou trocou algo.',
  anomaliesOf: (count, one) => `${count} ${one ? 'anomalia' : 'anomalias'}`,
  order: 'Na ordem em que os sujeitos foram vistos pela primeira vez.',
  nextSubjects: 'Mais adiante',
  firstSubjects: 'Primeiras',
  event: 'Evento',
  noSubjects: 'Nenhum sujeito corresponde.',
  path: 'Seu caminho, na ordem das versões',
  present: 'está aqui',
  passed: 'esteve aqui',
  moved: 'Foi para',
  jumped: 'fora da tabela de movimentos',
  pathLead: (phases) => `Está em ${phases} agora.`,
  pathMissing: {
    pruned: 'Eventos cujo conteúdo foi apagado não aparecem.',
    long: 'Só os últimos 2.000 eventos entram nesta página; os primeiros estados mostrados podem diferir.',
  },
  pathShown: 'Só os últimos 100 movimentos aparecem.',
  stays: 'fica',
  came: 'Chegou',
  state: 'Estado',
  content: 'O que está guardado',
  noPath: 'Este processo não define a máquina; o caminho não pode ser calculado aqui.',
  sources: 'Várias origens têm este sujeito. Escolha uma:',
  version: 'Versão',
};

export const machineWords = { en, 'pt-BR': pt };
