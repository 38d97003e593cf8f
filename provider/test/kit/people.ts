/** CNPJs with valid check digits, with and without letters. */
export const cnpjs = ['11222333000181', '12ABC34501DE35', '6A3EDMWP000168', 'D7YDDI5H000162'] as const;
/** CPFs with valid check digits. */
export const cpfs = ['52998224725', '11144477735', '12345678909'] as const;

export const company = { name: 'Transportes Serra Azul Ltda', tax_id: cnpjs[0] };
export const user = { name: 'Beatriz Nogueira', tax_id: cpfs[0] };

/** The driver licence of a user. */
export const license = {
  license: '01234567890',
  name: user.name,
  points: { value: 7, limit: 40, synced_at: '2026-03-10T12:00:00.000Z' },
  status: 'Válida',
  class: 'AE',
  current: true,
  renach: 'PR123456789',
  commercial_driver: true,
  probationary_license: false,
  current_license_state: 'PR',
  domain_license_state: 'PR',
  issuer_license_state: 'PR',
  issue_date: '2022-05-02',
  expiration_date: '2032-05-02',
  first_license_date: '2004-08-19',
  files: { photo: null, front: null, back: null, qr_code: null },
} as const;
