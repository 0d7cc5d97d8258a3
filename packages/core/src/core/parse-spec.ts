import { BezoarError } from '../errors.ts';
import { shown } from './options.ts';

export interface Spec {
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
}

/** Reads `name` or `name?option=value&option=value`; values may be percent-encoded. Only the form is checked here. */
export function parseSpec(spec: string): Spec {
  const mark = spec.indexOf('?');
  const name = (mark < 0 ? spec : spec.slice(0, mark)).trim();
  const malformed = (what: string): BezoarError =>
    new BezoarError('INVALID_OPTION', `${shown(spec)}: ${what}; write name?option=value&option=value`, { details: { field: 'spec' } });
  if (name === '') throw malformed('there is no name');
  // A map, since an object would swallow an option called __proto__.
  const options = new Map<string, string>();
  for (const part of mark < 0 ? [] : spec.slice(mark + 1).split('&')) {
    const equals = part.indexOf('=');
    if (equals <= 0) throw malformed(`${shown(part)} is not option=value`);
    const key = part.slice(0, equals);
    if (options.has(key)) throw malformed(`${shown(key)} is given twice`);
    options.set(key, decode(part.slice(equals + 1)));
  }
  return { name, options: Object.fromEntries(options) };
}

/** A value that is not valid percent-encoding is taken as it is written: folders may carry a percent sign. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
