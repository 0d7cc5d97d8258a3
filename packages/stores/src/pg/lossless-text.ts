/** What PostgreSQL's text cannot hold, zero and unpaired surrogates, and the mark itself, so that nothing else reads as an escape. */
const UNSTORABLE = /[\u0000\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const ESCAPED = /\uffff([0-9a-f]{4})/g;
/** An escape in JSON's text: one of those characters, or anything else after a backslash, which is passed over. */
const UNSTORABLE_IN_JSON = /\\(?:u(0000|d[89a-f][0-9a-f]{2})|u[0-9a-f]{4}|.)|\uffff/g;

const hex = (unit: string): string => `\uffff${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A text as PostgreSQL can keep it: zeros and unpaired surrogates become U+FFFF (which stands for no character) and four hexadecimal digits.
 * No two texts become the same one, so equality and uniqueness hold, and `fromStorable` gives back every text exactly.
 */
export const toStorable = (text: string): string => text.replace(UNSTORABLE, hex);

export const fromStorable = (text: string): string =>
  text.replace(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

/** The same for a JSON value, keys included, as the text of a `jsonb`. */
export const toStorableJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNSTORABLE_IN_JSON, (found, digits: string | undefined) =>
    found === '\uffff' ? '\uffffffff' : digits === undefined ? found : `\uffff${digits}`,
  );

export const fromStorableJson = (json: string): unknown => JSON.parse(json.replace(ESCAPED, '\\u$1'));
