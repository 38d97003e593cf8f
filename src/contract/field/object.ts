import { z } from 'zod';
import { expected } from './expected.ts';

/** An object with these fields; others are kept, whatever they hold. */
export function object<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$loose> {
  return z.looseObject(shape, { error: expected('an object') });
}
