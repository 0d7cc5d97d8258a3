import { definePolicy } from '../core/define-policy.ts';
import { deduplicate } from '../defenses/deduplicate.ts';
import { grada } from '../defenses/grada.ts';
import { injectionFilter } from '../defenses/injection-filter.ts';
import { questionEcho } from '../defenses/question-echo.ts';
import { sanitize } from '../defenses/sanitize.ts';

/**
 * What runs when nobody says otherwise. It needs no model: hidden text is taken out first, so that the later stages see what a reader
 * sees; copies go next, because two copies of a poisoned passage vouch for each other in GRADA's graph; then instructions to the model and
 * passages that carry the question, which is how several planted ones would come to agree with each other; then GRADA ranks what is left.
 */
export const standard = definePolicy({
  name: 'standard',
  description:
    'Hidden text, copies, instructions to the model and passages that repeat the question out, then GRADA keeps five. Needs no model.',
  stages: [sanitize(), deduplicate(), injectionFilter(), questionEcho(), grada()],
});
