export interface Place {
  readonly state: string;
  readonly city: string;
  /** Postal codes of the city begin with it. */
  readonly postalPrefix: string;
  readonly latitude: number;
  readonly longitude: number;
  /** Where violations are recorded. */
  readonly roads: readonly [string, ...string[]];
}

/** A few cities with what belongs to their state, so that an address fits itself. */
export const places: readonly [Place, ...Place[]] = [
  place('SP', 'São Paulo', '010', -23.55, -46.63, 'Marginal Tietê, km 12', 'Av. dos Bandeirantes, 3200'),
  place('SP', 'Campinas', '130', -22.91, -47.06, 'Rod. Dom Pedro I, km 134', 'Av. John Boyd Dunlop, 800'),
  place('RJ', 'Rio de Janeiro', '200', -22.91, -43.17, 'Av. Brasil, altura 7500', 'Linha Amarela, km 4'),
  place(
    'MG',
    'Belo Horizonte',
    '301',
    -19.92,
    -43.94,
    'Anel Rodoviário, km 540',
    'Av. Cristiano Machado, 4000',
  ),
  place('PR', 'Curitiba', '800', -25.43, -49.27, 'BR-277, km 84', 'Rua João Negrão, 1200'),
  place('SC', 'Joinville', '892', -26.3, -48.85, 'BR-101, km 41', 'Rua Dona Francisca, 8300'),
  place('RS', 'Porto Alegre', '900', -30.03, -51.23, 'BR-290, km 95', 'Av. Castelo Branco, 100'),
  place('BA', 'Salvador', '400', -12.97, -38.5, 'BR-324, km 620', 'Av. Paralela, 2500'),
  place('PE', 'Recife', '500', -8.05, -34.9, 'BR-101, km 66', 'Av. Caxangá, 3900'),
  place('CE', 'Fortaleza', '600', -3.73, -38.52, 'BR-116, km 8', 'Av. Bezerra de Menezes, 1800'),
  place('GO', 'Goiânia', '740', -16.69, -49.26, 'BR-153, km 503', 'Av. Anhanguera, 5000'),
  place('DF', 'Brasília', '700', -15.79, -47.88, 'Eixo Rodoviário Sul, km 3', 'EPTG, km 7'),
  place('PA', 'Belém', '660', -1.46, -48.49, 'BR-316, km 9', 'Av. Almirante Barroso, 2100'),
  place('MT', 'Cuiabá', '780', -15.6, -56.1, 'BR-364, km 401', 'Av. Fernando Corrêa, 3000'),
];

function place(
  state: string,
  city: string,
  postalPrefix: string,
  latitude: number,
  longitude: number,
  ...roads: readonly [string, ...string[]]
): Place {
  return { state, city, postalPrefix, latitude, longitude, roads };
}
