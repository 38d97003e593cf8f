import { describeSentOn } from './kit/sent-on.ts';

describeSentOn(() => Promise.resolve(':memory:'));
