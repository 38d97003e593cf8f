import { driverLicense } from './driver-license.ts';
import { object } from '../field/object.ts';

/** A driver: less of the licence (specification, Resources, Driver). */
export const driver = object(driverLicense.omit({ points: true, status: true }).shape).meta({
  title: 'Driver',
});
