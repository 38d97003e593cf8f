/** A city with the data of generated addresses, phones and violations. */
export interface Place {
  readonly state: string;
  readonly city: string;
  /** Area code of its phone numbers. */
  readonly areaCode: string;
  /** Prefix of its postal codes, within the range of its state. */
  readonly postalPrefix: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly neighborhoods: readonly [string, ...string[]];
  /** Locations of violations. */
  readonly roads: readonly [string, ...string[]];
}

/** Cities of generated addresses. */
export const places: readonly [Place, ...Place[]] = [
  {
    ...at('SP', 'São Paulo', '11', '010', -23.55, -46.63),
    neighborhoods: ['Vila Maria', 'Barra Funda', 'Jaguaré', 'Vila Leopoldina'],
    roads: ['Marginal Tietê, km 12', 'Av. dos Bandeirantes, 3200', 'Rod. Anhanguera, km 16'],
  },
  {
    ...at('SP', 'Campinas', '19', '130', -22.91, -47.06),
    neighborhoods: ['Jardim do Trevo', 'Techno Park', 'Vila Industrial'],
    roads: ['Rod. Dom Pedro I, km 134', 'Av. John Boyd Dunlop, 800'],
  },
  {
    ...at('RJ', 'Rio de Janeiro', '21', '210', -22.91, -43.17),
    neighborhoods: ['Penha', 'Irajá', 'Pavuna', 'Campo Grande'],
    roads: ['Av. Brasil, altura 7500', 'Linha Amarela, km 4', 'BR-040, km 112'],
  },
  {
    ...at('MG', 'Belo Horizonte', '31', '301', -19.92, -43.94),
    neighborhoods: ['Camargos', 'São Francisco', 'Olhos d’Água'],
    roads: ['Anel Rodoviário, km 540', 'Av. Cristiano Machado, 4000'],
  },
  {
    ...at('PR', 'Curitiba', '41', '810', -25.43, -49.27),
    neighborhoods: ['Cidade Industrial', 'Pinheirinho', 'Boqueirão'],
    roads: ['BR-277, km 84', 'Rua João Negrão, 1200', 'Linha Verde, km 120'],
  },
  {
    ...at('SC', 'Joinville', '47', '8921', -26.3, -48.85),
    neighborhoods: ['Distrito Industrial', 'Pirabeiraba', 'Bom Retiro'],
    roads: ['BR-101, km 41', 'Rua Dona Francisca, 8300'],
  },
  {
    ...at('RS', 'Porto Alegre', '51', '902', -30.03, -51.23),
    neighborhoods: ['Anchieta', 'Humaitá', 'Navegantes'],
    roads: ['BR-290, km 95', 'Av. Castelo Branco, 100'],
  },
  {
    ...at('BA', 'Salvador', '71', '412', -12.97, -38.5),
    neighborhoods: ['Pirajá', 'Valéria', 'Porto Seco'],
    roads: ['BR-324, km 620', 'Av. Paralela, 2500'],
  },
  {
    ...at('PE', 'Recife', '81', '507', -8.05, -34.9),
    neighborhoods: ['Curado', 'Imbiribeira', 'Várzea'],
    roads: ['BR-101, km 66', 'Av. Caxangá, 3900'],
  },
  {
    ...at('CE', 'Fortaleza', '85', '608', -3.73, -38.52),
    neighborhoods: ['Messejana', 'Barra do Ceará', 'Parangaba'],
    roads: ['BR-116, km 8', 'Av. Bezerra de Menezes, 1800'],
  },
  {
    ...at('GO', 'Goiânia', '62', '740', -16.69, -49.26),
    neighborhoods: ['Setor Perim', 'Vila Canaã', 'Jardim Guanabara'],
    roads: ['BR-153, km 503', 'Av. Anhanguera, 5000'],
  },
  {
    ...at('DF', 'Brasília', '61', '712', -15.79, -47.88),
    neighborhoods: ['Zona Industrial', 'Guará', 'Setor de Transporte Rodoviário de Cargas'],
    roads: ['Eixo Rodoviário Sul, km 3', 'EPTG, km 7'],
  },
  {
    ...at('PA', 'Belém', '91', '666', -1.46, -48.49),
    neighborhoods: ['Coqueiro', 'Tapanã', 'Val-de-Cans'],
    roads: ['BR-316, km 9', 'Av. Almirante Barroso, 2100'],
  },
  {
    ...at('MT', 'Cuiabá', '65', '780', -15.6, -56.1),
    neighborhoods: ['Distrito Industrial', 'Coophamil', 'Jardim Industriário'],
    roads: ['BR-364, km 401', 'Av. Fernando Corrêa, 3000'],
  },
];

function at(
  state: string,
  city: string,
  areaCode: string,
  postalPrefix: string,
  latitude: number,
  longitude: number,
): Omit<Place, 'neighborhoods' | 'roads'> {
  return { state, city, areaCode, postalPrefix, latitude, longitude };
}
