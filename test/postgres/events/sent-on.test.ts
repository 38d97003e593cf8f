import { describeSentOn } from '../../opentelemetry/kit/sent-on.ts';
import { emptyDatabase } from '../kit/empty-database.ts';

describeSentOn(emptyDatabase);
