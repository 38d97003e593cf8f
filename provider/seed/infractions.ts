/** An infraction of the traffic code (CTB) in the national table. */
export interface Infraction {
  readonly code: string;
  readonly breakdown: string;
  readonly description: string;
  readonly legalBasis: string;
  readonly severity: 'minor' | 'medium' | 'serious' | 'very_serious';
  /** Factor of the amount. */
  readonly multiplier: number;
}

/** Amount in reais and points of each severity (CTB, articles 258 and 259). */
export const severities = {
  minor: { amount: 88.38, points: 3 },
  medium: { amount: 130.16, points: 4 },
  serious: { amount: 195.23, points: 5 },
  very_serious: { amount: 293.47, points: 7 },
} as const;

/** The infractions of generated violations. */
export const infractions: readonly [Infraction, ...Infraction[]] = [
  infraction(
    '7455',
    '0',
    'Transitar em velocidade superior à máxima permitida em até 20%',
    'Art. 218, I',
    'medium',
  ),
  infraction(
    '7463',
    '0',
    'Transitar em velocidade superior à máxima em mais de 20% até 50%',
    'Art. 218, II',
    'serious',
  ),
  infraction(
    '7471',
    '0',
    'Transitar em velocidade superior à máxima em mais de 50%',
    'Art. 218, III',
    'very_serious',
    3,
  ),
  infraction('6050', '1', 'Avançar o sinal vermelho do semáforo', 'Art. 208', 'very_serious'),
  infraction('5541', '1', 'Estacionar em desacordo com a regulamentação', 'Art. 181, XVII', 'serious'),
  infraction(
    '5568',
    '0',
    'Estacionar em local e horário proibidos pela sinalização',
    'Art. 181, XVIII',
    'medium',
  ),
  infraction('5185', '1', 'Deixar o condutor de usar o cinto de segurança', 'Art. 167', 'serious'),
  infraction(
    '7366',
    '2',
    'Dirigir veículo segurando telefone celular',
    'Art. 252, parágrafo único',
    'very_serious',
  ),
  infraction('5746', '1', 'Transitar em local e horário não permitidos (rodízio)', 'Art. 187, I', 'medium'),
  infraction('6831', '1', 'Transitar com o veículo com excesso de peso', 'Art. 231, V', 'medium'),
  infraction('5673', '2', 'Parar sobre a faixa de pedestres na mudança de sinal', 'Art. 183', 'medium'),
  infraction('5452', '1', 'Estacionar no passeio', 'Art. 181, VIII', 'serious'),
  infraction(
    '5967',
    '0',
    'Ultrapassar pela contramão em linha contínua amarela',
    'Art. 203, V',
    'very_serious',
    5,
  ),
  infraction(
    '7242',
    '0',
    'Transitar com luzes desligadas de dia em rodovia de pista simples',
    'Art. 250, I',
    'medium',
  ),
  infraction('5380', '0', 'Estacionar a menos de 5 metros da esquina', 'Art. 181, I', 'medium'),
  infraction('5010', '0', 'Dirigir veículo sem registro atualizado do endereço', 'Art. 241', 'minor'),
];

function infraction(
  code: string,
  breakdown: string,
  description: string,
  legalBasis: string,
  severity: Infraction['severity'],
  multiplier = 1,
): Infraction {
  return { code, breakdown, description, legalBasis, severity, multiplier };
}
