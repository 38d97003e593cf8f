/** Every operator of the filter language, in the specification's order (Conventions 6). */
export const operators = [
  '$eq',
  '$ne',
  '$lt',
  '$lte',
  '$gt',
  '$gte',
  '$contains',
  '$startsWith',
  '$endsWith',
] as const;

export type Operator = (typeof operators)[number];

/** The six that dates and instants take. */
export const ordering = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte'] as const;

/** The two that most fields take. */
export const equality = ['$eq', '$ne'] as const;
