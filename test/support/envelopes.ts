/** A charge has no version, so any change of its content is news. */
export function charge(id: number, amount: number): object {
  return { type: 'charge.updated', data: { id, type: 'fee', status: 'pending', amount } };
}
