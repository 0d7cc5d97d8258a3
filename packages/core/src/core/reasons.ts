/** Why a passage was kept, dropped or rewritten: a code for machines, an explanation for `bezoar list reasons`. */
export const REASONS = {
  kept: 'nothing spoke against the passage',
  duplicate: 'the same text as an earlier passage of this retrieval',
  'near-duplicate': 'almost the same text as an earlier passage of this retrieval',
  'empty-text': 'there is no text to judge',
  unscorable: 'its embedding is missing, not finite or zero, so the mechanism cannot place it',
  'beyond-keep': 'the passages ranked above it filled the places that go on',
  'isolated-in-graph': 'no other passage is closer to it than the question explains',
  'low-in-graph': 'other passages agree with each other more than with it',
  'dense-cluster': 'it stands in a group of passages more alike than independent sources are',
  'alike-texts': 'it shares its wording with other passages in order, as copies made to vote together do',
  'outside-majority': 'the combination of passages nearest to the majority does not include it',
  'injected-instruction': 'it speaks to the language model instead of to the reader',
  'hidden-text': 'it carries characters that people do not see and programs read',
  'unlikely-text': 'its words follow each other as they do not in clean text',
  refused: 'a stage failed and the policy lets nothing through',
} as const;

export type ReasonCode = keyof typeof REASONS;
