/** Whether the four check digits of a bank slip line (47 digits) are correct, by the rules of FEBRABAN. */
export function barcodeFits(line: string): boolean {
  if (!/^\d{47}$/.test(line)) return false;
  const blocks = [line.slice(0, 10), line.slice(10, 21), line.slice(21, 32)];
  if (blocks.some((block) => mod10(block.slice(0, -1)) !== Number(block.at(-1)))) return false;
  const free = `${line.slice(4, 9)}${line.slice(10, 20)}${line.slice(21, 31)}`;
  return mod11(`${line.slice(0, 4)}${line.slice(33)}${free}`) === Number(line[32]);
}

/** Whether a PIX code (EMV) is complete: its lengths add up and its CRC-16 is correct. */
export function pixFits(code: string): boolean {
  let position = 0;
  let lastTag = '';
  while (position < code.length) {
    lastTag = code.slice(position, position + 2);
    position += 4 + Number(code.slice(position + 2, position + 4));
  }
  const checked = code.slice(0, -4);
  return position === code.length && lastTag === '63' && crc16(checked) === code.slice(-4);
}

function mod10(digits: string): number {
  const sum = weighted(
    digits,
    (index) => (index % 2 === 0 ? 2 : 1),
    (product) => Math.floor(product / 10) + (product % 10),
  );
  return (10 - (sum % 10)) % 10;
}

function mod11(digits: string): number {
  const digit =
    11 -
    (weighted(
      digits,
      (index) => 2 + (index % 8),
      (product) => product,
    ) %
      11);
  return digit > 9 ? 1 : digit;
}

/** The weighted sum of the digits, counted from the right. */
function weighted(
  digits: string,
  weight: (index: number) => number,
  reduce: (product: number) => number,
): number {
  return digits
    .split('')
    .reverse()
    .reduce((sum, digit, index) => sum + reduce(Number(digit) * weight(index)), 0);
}

/** CRC-16/CCITT-FALSE in four hexadecimal digits. */
function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
