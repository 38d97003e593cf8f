/** Words of the pages of machines, and of the picture of their moves. */
import type { Pairs } from '../../pages/language/pairs.ts';

/** What the shipped machine of payment slips finds, in Portuguese. Other texts stay as their author wrote them. */
const anomalyTexts: readonly (readonly [english: RegExp, portuguese: string])[] = [
  [/^created as (\S+), instead of pending$/u, 'Criado como $1, em vez de pending'],
  [/^created again$/u, 'Criado outra vez'],
  [/^(\S+) became (\S+)$/u, '$1 virou $2'],
  [/^status (\S+) is not known$/u, 'O status $1 não é conhecido'],
  [/^issued for PIX without its code$/u, 'Emitido para Pix sem o código'],
  [/^issued without barcode or PIX code$/u, 'Emitido sem código de barras nem código Pix'],
  [/^a PIX code with another payment method$/u, 'Veio um código Pix, mas a forma de pagamento é outra'],
];

export const machineWords = {
  lead: [
    'What each machine knows of its subjects, drawn from its table of moves.',
    'O que cada máquina sabe de seus objetos, desenhado a partir da tabela de movimentos.',
  ],
  none: [
    'This process has no machine, and none has stored a state. Define one with defineMachine.',
    'Este processo não tem máquina, e nenhuma guardou um estado. Defina uma com defineMachine.',
  ],
  machine: ['Machine', 'Máquina'],
  follows: ['Follows', 'Acompanha'],
  withAnomalies: ['With anomalies', 'Com anomalias'],
  phases: ['States', 'Estados'],
  foreign: ['not of this process', 'não é deste processo'],
  foreignWhy: [
    'This process does not define the machine, so its moves are not known here. Its stored states are listed below.',
    'Este processo não define a máquina; seus movimentos não são conhecidos aqui. Os estados guardados estão abaixo.',
  ],
  noTable: [
    'The machine has no table of moves. Give defineMachine a table to see it drawn.',
    'A máquina não tem tabela de movimentos. Dê uma a defineMachine para vê-la desenhada.',
  ],
  tooLarge: [
    'The table of moves is too large to draw. The list below has all of it.',
    'A tabela de movimentos é grande demais para um desenho. A lista abaixo tem todos.',
  ],
  noPhases: [
    'No state has a member phase, status or session, so subjects cannot be counted by state. The list below has all of them.',
    'Nenhum estado tem um membro phase, status ou session; não se pode contar por estado. A lista abaixo tem todos.',
  ],
  /** @param counted a number, or "10,000+" */
  leadOf: (counted: string, kinds: string) => [
    `${counted} ${counted === '1' ? 'subject' : 'subjects'}, followed by ${kinds}.`,
    `${counted} ${counted === '1' ? 'objeto' : 'objetos'}, por ${kinds}.`,
  ],
  diagram: ['Moves of the machine, drawn', 'Movimentos da máquina, em desenho'],
  moves: ['Moves', 'Movimentos'],
  on: ['On', 'Com'],
  to: ['To', 'Para'],
  start: ['start', 'início'],
  arrow: (from: string, to: string, signals: string) => [
    `${from} to ${to} on ${signals}`,
    `de ${from} para ${to} com ${signals}`,
  ],
  unexpected: (from: string, to: string) => [
    `${from} to ${to}: not in the table of moves`,
    `de ${from} para ${to}: fora da tabela de movimentos`,
  ],
  box: (phase: string, counted: string | null) => [
    counted === null ? phase : `${phase}: ${counted} ${counted === '1' ? 'subject' : 'subjects'}`,
    counted === null ? phase : `${phase}: ${counted} ${counted === '1' ? 'objeto' : 'objetos'}`,
  ],
  notInTable: ['not in the table', 'fora da tabela'],
  listTitle: ['Its subjects', 'Seus objetos'],
  all: ['all subjects', 'todos os objetos'],
  anomalousOnly: ['with anomalies', 'com anomalias'],
  updated: ['Stored', 'Guardado'],
  revision: ['Changes', 'Mudanças'],
  anomalies: ['Anomalies', 'Anomalias'],
  latestAnomalies: ['Latest anomalies', 'Últimas anomalias'],
  noAnomalies: ['The machine has seen no impossible move.', 'A máquina não viu movimento impossível.'],
  anomaly: (message: string) => [
    message,
    anomalyTexts.reduce((text, [english, portuguese]) => text.replace(english, portuguese), message),
  ],
  anomalyMeans: [
    'An anomaly is an impossible move: the sender left out or mixed up something.',
    'Uma anomalia é um movimento impossível: o remetente omitiu ou trocou algo.',
  ],
  anomaliesOf: (count: string, one: boolean) => [
    `${count} ${one ? 'anomaly' : 'anomalies'}`,
    `${count} ${one ? 'anomalia' : 'anomalias'}`,
  ],
  order: [
    'In the order in which the subjects were first seen.',
    'Na ordem em que os objetos foram vistos pela primeira vez.',
  ],
  nextSubjects: ['Further', 'Mais adiante'],
  firstSubjects: ['First', 'Primeiros'],
  noSubjects: ['No subject matches.', 'Nenhum objeto corresponde.'],
  path: ['Its way, in the order of versions', 'Seu caminho, na ordem das versões'],
  present: ['is here', 'está aqui'],
  jumped: ['not in the table of moves', 'fora da tabela de movimentos'],
  pathLead: (phases: string) => [`It is ${phases} now.`, `Está em ${phases} agora.`],
  pathMissing: {
    pruned: [
      'Events whose content was deleted are not shown.',
      'Eventos cujo conteúdo foi apagado não aparecem.',
    ],
    long: [
      'Only the last 2,000 events count here, so the first states shown may differ.',
      'Só os últimos 2.000 eventos contam aqui; os primeiros estados mostrados podem diferir.',
    ],
  },
  pathShown: ['Only the last 100 moves are shown.', 'Só os últimos 100 movimentos aparecem.'],
  stays: ['stays', 'fica'],
  noPath: [
    'This process does not define the machine, so its way is not known here.',
    'Este processo não define a máquina; o caminho não é conhecido aqui.',
  ],
  sources: ['Several sources have this subject. Choose one:', 'Várias origens têm este objeto. Escolha uma:'],
} satisfies Pairs;
