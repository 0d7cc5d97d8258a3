import { type JsonServer, objectOf, openJsonServer } from './json-server.ts';

type Json = Record<string, unknown>;

interface Point {
  readonly id: string;
  readonly vectors: Map<string, Float32Array>;
  readonly words: Map<number, number>;
  payload: Json;
}

interface Collection {
  readonly vectors: Record<string, { size: number; distance: string }>;
  readonly sparse: Record<string, { modifier: string }>;
  readonly indexed: Set<string>;
  readonly points: Map<string, Point>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * As much of Qdrant's HTTP interface as the store uses, in memory, for its real client: paths, fields and answers as documented at
 * https://api.qdrant.tech (v1.18), every field that is not in them an error. Not Qdrant: it looks at every point and knows no limits.
 */
export function openFakeQdrant(): Promise<JsonServer> {
  const collections = new Map<string, Collection>();

  return openJsonServer(
    ({ method, path, query, body }) => {
      if (path === '/') return { body: { title: 'qdrant - vector search engine', version: '1.18.0' } };
      const [, , name, ...rest] = path.split('/').map(decodeURIComponent);
      const route = `${method} ${rest.join('/')}`;
      const done = (result: unknown) => ({ body: { result, status: 'ok', time: 0 } });
      if (route === 'GET exists') return done({ exists: collections.has(name!) });
      if (route === 'PUT ') {
        const made = objectOf(body, 'vectors', 'sparse_vectors');
        if (collections.has(name!)) return { status: 409, body: { status: { error: `Collection ${name} already exists` } } };
        const vectors = made.vectors as Collection['vectors'];
        for (const vector of Object.values(vectors)) {
          const { size, distance } = objectOf(vector, 'size', 'distance');
          if (!Number.isInteger(size) || !['Cosine', 'Dot'].includes(String(distance))) throw new Error('not a vector');
        }
        const sparse = made.sparse_vectors as Collection['sparse'];
        for (const vector of Object.values(sparse))
          if (objectOf(vector, 'modifier').modifier !== 'idf') throw new Error('not a sparse vector');
        collections.set(name!, { vectors, sparse, indexed: new Set(), points: new Map() });
        return done(true);
      }
      const collection = collections.get(name!);
      if (collection === undefined) return { status: 404, body: { status: { error: `Not found: Collection \`${name}\` doesn't exist!` } } };
      const { points } = collection;
      const waited = (): void => {
        if (query.wait !== 'true') throw new Error('the write was not waited for');
      };
      const taken = (selector: unknown): Point[] => {
        const { points: ids, filter } = objectOf(selector, 'points', 'filter');
        return ids === undefined
          ? [...points.values()].filter((point) => matches(collection, point, filter))
          : (ids as string[]).flatMap((id) => points.get(id) ?? []);
      };
      switch (route) {
        case 'PUT index': {
          waited();
          const { field_name, field_schema } = objectOf(body, 'field_name', 'field_schema');
          if (field_schema !== 'keyword') throw new Error('unknown schema');
          collection.indexed.add(String(field_name));
          return done({ operation_id: 0, status: 'completed' });
        }
        case 'PUT points': {
          waited();
          const made = (objectOf(body, 'points').points as unknown[]).map((point) => toPoint(collection, point));
          for (const point of made) points.set(point.id, point);
          return done({ operation_id: 0, status: 'completed' });
        }
        case 'POST points': {
          const { ids, with_payload } = objectOf(body, 'ids', 'with_payload', 'with_vector');
          const found = taken({ points: ids });
          // In an order of its own, as the server may answer.
          return done(found.reverse().map(({ id, payload }) => ({ id, payload: chosen(payload, with_payload) })));
        }
        case 'POST points/scroll': {
          const { filter, limit, offset, with_payload } = objectOf(body, 'filter', 'limit', 'offset', 'with_payload', 'with_vector');
          const found = taken({ filter })
            .sort((a, b) => (a.id < b.id ? -1 : 1))
            .filter(({ id }) => offset === undefined || id >= String(offset));
          const page = found.slice(0, Number(limit)).map(({ id, payload }) => ({ id, payload: chosen(payload, with_payload) }));
          return done({ points: page, next_page_offset: found[Number(limit)]?.id ?? null });
        }
        case 'POST points/count': {
          const { filter, exact } = objectOf(body, 'filter', 'exact');
          if (exact !== true) throw new Error('the count is not exact');
          return done({ count: taken({ filter }).length });
        }
        case 'POST points/payload': {
          waited();
          const { payload, points: ids } = objectOf(body, 'payload', 'points');
          for (const point of taken({ points: ids })) point.payload = { ...point.payload, ...(payload as Json) };
          return done({ operation_id: 0, status: 'completed' });
        }
        case 'POST points/delete':
          waited();
          for (const { id } of taken(body)) points.delete(id);
          return done({ operation_id: 0, status: 'completed' });
        case 'POST points/query': {
          const asked = objectOf(body, 'query', 'using', 'filter', 'params', 'limit', 'with_payload', 'with_vector');
          if (asked.params !== undefined) objectOf(asked.params, 'exact');
          const score = scorer(collection, String(asked.using), asked.query);
          const found = taken({ filter: asked.filter })
            .flatMap((point) => {
              const value = score(point);
              return value === null ? [] : [{ id: point.id, version: 0, score: value, payload: chosen(point.payload, asked.with_payload) }];
            })
            .sort((a, b) => b.score - a.score);
          return done({ points: found.slice(0, Number(asked.limit)) });
        }
        default:
          return { status: 404, body: { status: { error: `no such route: ${method} ${path}` } } };
      }
    },
    (message) => ({ status: { error: `Wrong input: ${message}` } }),
  );
}

function toPoint(collection: Collection, value: unknown): Point {
  const { id, vector, payload } = objectOf(value, 'id', 'vector', 'payload');
  if (!UUID.test(String(id))) throw new Error(`${String(id)} is not a valid point ID`);
  const vectors = new Map<string, Float32Array>();
  let words = new Map<number, number>();
  for (const [name, numbers] of Object.entries(vector as Json)) {
    if (Object.hasOwn(collection.sparse, name)) words = sparseOf(numbers);
    else {
      const { size, distance } = collection.vectors[name] ?? { size: -1, distance: '' };
      const list = numbers as number[];
      if (list.length !== size) throw new Error(`Vector dimension error: expected dim: ${size}, got ${list.length}`);
      const length = distance === 'Cosine' ? Math.hypot(...list) : 1;
      vectors.set(
        name,
        Float32Array.from(list, (number) => number / length),
      );
    }
  }
  return { id: String(id), vectors, words, payload: payload as Json };
}

function sparseOf(value: unknown): Map<number, number> {
  const { indices, values } = objectOf(value, 'indices', 'values') as { indices: number[]; values: number[] };
  if (indices.length !== values.length || new Set(indices).size !== indices.length) throw new Error('indices must be unique');
  if (indices.some((index) => !Number.isInteger(index) || index < 0 || index > 0xffffffff)) throw new Error('an index is no u32');
  return new Map(indices.map((index, place) => [index, values[place]!]));
}

function scorer(collection: Collection, using: string, query: unknown): (point: Point) => number | null {
  if (Object.hasOwn(collection.sparse, using)) {
    const words = sparseOf(query);
    const all = [...collection.points.values()].filter((point) => point.words.size > 0);
    const rarity = (word: number): number => {
      const frequency = all.filter((point) => point.words.has(word)).length;
      return Math.log(1 + (all.length - frequency + 0.5) / (frequency + 0.5));
    };
    return (point) => {
      const shared = [...words].filter(([word]) => point.words.has(word));
      return shared.length === 0 ? null : shared.reduce((sum, [word, weight]) => sum + weight * point.words.get(word)! * rarity(word), 0);
    };
  }
  const { size, distance } = collection.vectors[using] ?? { size: -1, distance: '' };
  const list = query as number[];
  if (list.length !== size) throw new Error(`Vector dimension error: expected dim: ${size}, got ${list.length}`);
  const length = distance === 'Cosine' ? Math.hypot(...list) : 1;
  return (point) => {
    const vector = point.vectors.get(using);
    return vector === undefined ? null : Math.fround(vector.reduce((sum, number, i) => sum + (number * list[i]!) / length, 0));
  };
}

function matches(collection: Collection, point: Point, filter: unknown): boolean {
  const { must } = objectOf(filter, 'must') as { must: unknown[] };
  return must.every((condition) => holds(collection, point, condition));
}

function holds(collection: Collection, point: Point, value: unknown): boolean {
  const condition = objectOf(value, 'key', 'match', 'has_vector', 'should');
  if (condition.should !== undefined) return (condition.should as unknown[]).some((inner) => holds(collection, point, inner));
  if (condition.has_vector !== undefined) return point.vectors.has(String(condition.has_vector));
  const { value: one, any } = objectOf(condition.match, 'value', 'any');
  if (!collection.indexed.has(String(condition.key))) throw new Error(`no index for ${String(condition.key)}`);
  const held = [point.payload[String(condition.key)]].flat();
  return any === undefined ? held.includes(one) : (any as unknown[]).some((each) => held.includes(each));
}

/** The payload's fields that were asked for, also by path. */
function chosen(payload: Json, fields: unknown): Json | null {
  if (fields === false) return null;
  const result: Json = {};
  for (const field of fields as string[]) {
    const [outer, inner] = field.split('.') as [string, string?];
    if (!Object.hasOwn(payload, outer)) continue;
    if (inner === undefined) result[outer] = payload[outer];
    else {
      const value = (payload[outer] as Json)[inner];
      if (value !== undefined) result[outer] = { ...(result[outer] as Json | undefined), [inner]: value };
    }
  }
  return result;
}
