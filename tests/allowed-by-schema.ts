import type { JsonObject, JsonValue } from '../packages/core/src/types.ts';

const isObject = (value: JsonValue): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

const KNOWN = [
  ...['$schema', 'title', 'description', 'default', 'anyOf', 'enum', 'const', 'type', 'minLength', 'maxLength', 'minimum', 'maximum'],
  ...['items', 'properties', 'required', 'additionalProperties'],
];

/** Whether a JSON schema allows a value; of JSON schema it knows what the policy file's uses, and throws at anything else. */
export function allowedBySchema(schema: JsonObject, value: JsonValue): boolean {
  for (const key of Object.keys(schema)) if (!KNOWN.includes(key)) throw new Error(`unknown keyword ${key}`);
  const { minLength = 0, maxLength = Infinity, minimum = -Infinity, maximum = Infinity } = schema as Record<string, number>;
  if ('const' in schema) return value === schema.const;
  if (schema.enum) return (schema.enum as readonly JsonValue[]).includes(value);
  if (schema.anyOf) return (schema.anyOf as readonly JsonObject[]).some((one) => allowedBySchema(one, value));
  switch (schema.type) {
    case 'null':
      return value === null;
    case 'string':
      return typeof value === 'string' && value.length >= minLength && value.length <= maxLength;
    case 'integer':
    case 'number':
      return typeof value === 'number' && (schema.type === 'number' || Number.isInteger(value)) && value >= minimum && value <= maximum;
    case 'array':
      return Array.isArray(value) && value.every((entry: JsonValue) => allowedBySchema(schema.items as JsonObject, entry));
    case 'object': {
      if (!isObject(value)) return false;
      const properties = schema.properties as Record<string, JsonObject>;
      if (((schema.required ?? []) as readonly string[]).some((name) => !Object.hasOwn(value, name))) return false;
      return Object.entries(value).every(([name, entry]) =>
        Object.hasOwn(properties, name) ? allowedBySchema(properties[name]!, entry) : schema.additionalProperties !== false,
      );
    }
    default:
      throw new Error(`unknown type in ${JSON.stringify(schema).slice(0, 200)}`);
  }
}
