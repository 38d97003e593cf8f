/** An envelope of a charge. Charges have no version, so every change of content is a new event. */
export function charge(id: number, amount: number): object {
  return { type: 'charge.updated', data: { id, type: 'fee', status: 'pending', amount } };
}
