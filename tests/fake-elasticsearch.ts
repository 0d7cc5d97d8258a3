import { type JsonServer, objectOf, openJsonServer } from './json-server.ts';

type Json = Record<string, unknown>;

interface Index {
  readonly properties: Record<string, Json>;
  readonly meta: unknown;
  readonly documents: Map<string, Json>;
}

/**
 * As much of the HTTP interface of Elasticsearch 9 or OpenSearch 3 as the store uses, in memory, for their real clients: paths, fields, scripts and
 * scores as documented at https://www.elastic.co/docs and https://docs.opensearch.org, every field that is not in them an error. Neither of the
 * two: it looks at every document, splits words at what is no letter or digit, and knows no limits.
 */
export function openFakeElasticsearch(flavor: 'elasticsearch' | 'opensearch'): Promise<JsonServer> {
  const indices = new Map<string, Index>();
  const elastic = flavor === 'elasticsearch';

  return openJsonServer(
    ({ method, path, query, body }) => {
      if (path === '/')
        return {
          body: elastic
            ? { version: { number: '9.1.0' }, tagline: 'You Know, for Search' }
            : { version: { distribution: flavor, number: '3.1.0' } },
        };
      const [, name, ...rest] = path.split('/').map(decodeURIComponent);
      if (path === '/_bulk') {
        if (query.refresh !== 'true') throw new Error('the next search would not see the write');
        return { body: bulk(indices, body as Json[]) };
      }
      const index = indices.get(name!);
      if (method === 'PUT' && rest.length === 0) {
        if (index !== undefined)
          return { status: 400, body: errorOf(`index [${name}] already exists`, 'resource_already_exists_exception') };
        indices.set(name!, makeIndex(body, elastic));
        return { body: { acknowledged: true, shards_acknowledged: true, index: name } };
      }
      if (index === undefined) return { status: 404, body: errorOf(`no such index [${name}]`, 'index_not_found_exception', 404) };
      const matching = (of: unknown): string[] =>
        [...index.documents].filter(([, document]) => scoreOf(index, document, of) !== null).map(([id]) => id);
      switch (`${method} ${rest.join('/')}`) {
        case 'GET _mapping':
          return { body: { [name!]: { mappings: { dynamic: 'false', _meta: index.meta, properties: index.properties } } } };
        case 'POST _mget': {
          const { ids } = objectOf(body, 'ids');
          const docs = (ids as string[]).map((_id) => {
            const document = index.documents.get(_id);
            return document === undefined
              ? { _index: name, _id, found: false }
              : { _index: name, _id, found: true, _source: chosen(document, query._source_includes!.split(',')) };
          });
          return { body: { docs } };
        }
        case 'POST _count':
          return { body: { count: matching(objectOf(body, 'query').query).length } };
        case 'POST _delete_by_query': {
          if (query.refresh !== 'true') throw new Error('the next search would not see the write');
          const ids = matching(objectOf(body, 'query').query);
          for (const id of ids) index.documents.delete(id);
          return { body: { deleted: ids.length, failures: [] } };
        }
        case 'POST _search':
          return { body: { hits: { hits: search(index, body, elastic) } } };
        default:
          return { status: 404, body: errorOf(`no handler for ${method} ${path}`, 'illegal_argument_exception') };
      }
    },
    (message) => errorOf(message, 'illegal_argument_exception'),
    elastic ? { 'x-elastic-product': 'Elasticsearch' } : {},
  );
}

const errorOf = (reason: string, type: string, status = 400): Json => ({ error: { root_cause: [{ type, reason }], type, reason }, status });

function makeIndex(body: unknown, elastic: boolean): Index {
  const { settings, mappings } = objectOf(body, 'settings', 'mappings');
  if (elastic !== (settings === undefined)) throw new Error('unknown setting [index.knn]');
  const { properties, _meta } = objectOf(mappings, 'dynamic', '_meta', 'properties');
  for (const property of Object.values(properties as Record<string, Json>)) {
    if (property.type === 'dense_vector' && elastic) {
      const { similarity, index_options } = objectOf(property, 'type', 'dims', 'index', 'similarity', 'index_options');
      if (!['cosine', 'max_inner_product'].includes(String(similarity))) throw new Error('unknown similarity');
      if (objectOf(index_options, 'type').type !== 'hnsw') throw new Error('unknown index');
    } else if (property.type === 'knn_vector' && !elastic) {
      const { method } = objectOf(property, 'type', 'dimension', 'method');
      const { name, engine, space_type } = objectOf(method, 'name', 'engine', 'space_type');
      if (name !== 'hnsw' || engine !== 'lucene' || !['cosinesimil', 'innerproduct'].includes(String(space_type)))
        throw new Error('unknown method');
    } else if (property.type === 'object') objectOf(property, 'type', 'enabled');
    else if (!['keyword', 'text'].includes(String(objectOf(property, 'type', 'analyzer').type)))
      throw new Error(`No handler for type [${String(property.type)}]`);
  }
  return { properties: properties as Index['properties'], meta: _meta, documents: new Map() };
}

function bulk(indices: Map<string, Index>, lines: readonly Json[]): Json {
  const items: Json[] = [];
  for (let line = 0; line < lines.length; line++) {
    const [[action, target]] = Object.entries(lines[line]!) as [[string, unknown]];
    const { _index, _id } = objectOf(target, '_index', '_id') as Record<string, string>;
    const index = indices.get(_index!)!;
    const there = index.documents.get(_id!);
    if (action === 'index') {
      const document = lines[++line]!;
      const refused = refusal(index, document);
      if (refused === null) index.documents.set(_id!, document);
      items.push({
        index: refused === null ? { _id, status: there === undefined ? 201 : 200 } : { _id, status: 400, error: { reason: refused } },
      });
    } else if (action === 'update') {
      const { doc } = objectOf(lines[++line], 'doc');
      if (there !== undefined) index.documents.set(_id!, { ...there, ...(doc as Json) });
      items.push({ update: { _id, status: there === undefined ? 404 : 200 } });
    } else if (action === 'delete') items.push({ delete: { _id, status: index.documents.delete(_id!) ? 200 : 404 } });
    else throw new Error(`Malformed action [${action}]`);
  }
  return { errors: items.some((item) => Number((Object.values(item)[0] as Json).status) >= 400), items };
}

function refusal(index: Index, document: Json): string | null {
  for (const [field, value] of Object.entries(document)) {
    const { type, dims, dimension, similarity, method } = index.properties[field]!;
    if (type !== 'dense_vector' && type !== 'knn_vector') continue;
    if ((value as number[]).length !== (dims ?? dimension)) return 'the vector has another number of dimensions';
    const cosine = similarity === 'cosine' || (method as Json | undefined)?.space_type === 'cosinesimil';
    if (cosine && Math.hypot(...(value as number[])) === 0) return 'the cosine similarity does not support vectors with zero magnitude';
  }
  return null;
}

function search(index: Index, body: unknown, elastic: boolean): Json[] {
  const asked = objectOf(body, '_source', 'track_total_hits', 'size', 'query', 'knn', 'sort', 'search_after');
  if (Number(asked.size) > 10_000) throw new Error('Result window is too large');
  let score = (document: Json): number | null => scoreOf(index, document, asked.query);
  if (asked.knn !== undefined) {
    if (!elastic) throw new Error('unknown key [knn]');
    const { field, query_vector, k, num_candidates, filter } = objectOf(
      asked.knn,
      'field',
      'query_vector',
      'k',
      'num_candidates',
      'filter',
    );
    if (Number(num_candidates) < Number(k)) throw new Error('[num_candidates] cannot be less than [k]');
    score = (document) => approximate(index, document, String(field), query_vector, filter);
  }
  let hits = [...index.documents].flatMap(([_id, document]) => {
    const value = score(document);
    return value === null ? [] : [{ _id, _score: Math.fround(value), _source: chosen(document, asked._source as string[]), sort: [_id] }];
  });
  if (asked.sort === undefined) hits.sort((a, b) => b._score - a._score);
  else {
    const after = (asked.search_after as string[] | undefined)?.[0] ?? '';
    hits = hits.filter(({ _id }) => _id > after).sort((a, b) => (a._id < b._id ? -1 : 1));
  }
  return hits.slice(0, Number(asked.size));
}

const cosine = (a: readonly number[], b: readonly number[]): number => dot(a, b) / Math.hypot(...a) / Math.hypot(...b);
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
/** How both servers make a number that is never negative of a dot product. */
const positive = (product: number): number => (product < 0 ? 1 / (1 - product) : product + 1);

function approximate(index: Index, document: Json, field: string, vector: unknown, filter: unknown): number | null {
  const { similarity, method, dims, dimension } = index.properties[field]!;
  const [asked, held] = [vector as number[], document[field] as number[] | undefined];
  if (asked.length !== (dims ?? dimension)) throw new Error('the query vector has a different number of dimensions');
  if (held === undefined || [filter].flat().some((each) => scoreOf(index, document, each) === null)) return null;
  const isCosine = similarity === 'cosine' || (method as Json | undefined)?.space_type === 'cosinesimil';
  return isCosine ? (1 + cosine(asked, held)) / 2 : positive(dot(asked, held));
}

/** A document's score for a query; null where it does not match. */
function scoreOf(index: Index, document: Json, query: unknown): number | null {
  const [[kind, value]] = Object.entries(objectOf(query, 'bool', 'term', 'terms', 'exists', 'match', 'script_score', 'knn')) as [
    [string, unknown],
  ];
  const held = (field: string): unknown[] => {
    if (!Object.hasOwn(index.properties, field)) throw new Error(`no field [${field}]`);
    return [document[field] ?? []].flat();
  };
  switch (kind) {
    case 'bool': {
      const { filter = [], must = [], should } = objectOf(value, 'filter', 'must', 'should') as Record<string, unknown[] | undefined>;
      if (filter.some((each) => scoreOf(index, document, each) === null)) return null;
      if (should?.every((each) => scoreOf(index, document, each) === null)) return null;
      const scores = must.map((each) => scoreOf(index, document, each));
      return scores.includes(null) ? null : scores.reduce<number>((sum, score) => sum + score!, 0);
    }
    case 'term': {
      const [[field, wanted]] = Object.entries(value as Json) as [[string, unknown]];
      return held(field).includes(wanted) ? 1 : null;
    }
    case 'terms': {
      const [[field, wanted]] = Object.entries(value as Json) as [[string, unknown]];
      return held(field).some((each) => (wanted as unknown[]).includes(each)) ? 1 : null;
    }
    case 'exists':
      return held(String(objectOf(value, 'field').field)).length > 0 ? 1 : null;
    case 'match':
      return bm25(index, document, String(objectOf(objectOf(value, 'text').text, 'query').query));
    case 'knn': {
      const [[field, asked]] = Object.entries(value as Json) as [[string, unknown]];
      const { vector, filter } = objectOf(asked, 'vector', 'k', 'filter');
      return approximate(index, document, field, vector, filter);
    }
    default: {
      const { query: inner, script } = objectOf(value, 'query', 'script');
      return scoreOf(index, document, inner) === null ? null : runScript(document, script);
    }
  }
}

/** The scripts that the store sends, as their documentation reads. */
function runScript(document: Json, script: unknown): number {
  const { source, lang, params } = objectOf(script, 'source', 'lang', 'params') as { source: string; lang?: string; params: Json };
  const held = (field: string): number[] => document[field] as number[];
  const elastic =
    /^(?:cosineSimilarity\(params\.vector, '(v\d)'\) \+ 1\.0|double d = dotProduct\(params\.vector, '(v\d)'\); return d < 0 \? 1 \/ \(1 - d\) : d \+ 1;)$/.exec(
      source,
    );
  if (elastic?.[1] !== undefined) return cosine(params.vector as number[], held(elastic[1])) + 1;
  if (elastic?.[2] !== undefined) return positive(dot(params.vector as number[], held(elastic[2])));
  const { query_value, field, space_type } = objectOf(params, 'query_value', 'field', 'space_type') as {
    query_value: number[];
    field: string;
    space_type?: string;
  };
  if (source === 'cosineSimilarity(params.query_value, doc[params.field]) + 1.0') return cosine(query_value, held(field)) + 1;
  if (source === 'knn_score' && lang === 'knn' && space_type === 'innerproduct') return positive(dot(query_value, held(field)));
  throw new Error('compile error');
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Lucene's BM25 with its defaults, 1.2 and 0.75. */
function bm25(index: Index, document: Json, query: string): number | null {
  const texts = Array.from(index.documents.values(), ({ text }) => wordsOf(String(text)));
  const average = texts.reduce((sum, words) => sum + words.length, 0) / texts.length;
  const own = wordsOf(String(document.text));
  let score: number | null = null;
  for (const word of wordsOf(query)) {
    const count = own.filter((each) => each === word).length;
    if (count === 0) continue;
    const frequency = texts.filter((words) => words.includes(word)).length;
    const rarity = Math.log(1 + (texts.length - frequency + 0.5) / (frequency + 0.5));
    score = (score ?? 0) + (rarity * count) / (count + 1.2 * (1 - 0.75 + (0.75 * own.length) / average));
  }
  return score;
}

/** The source's fields that were asked for, also by path. */
function chosen(source: Json, paths: readonly string[]): Json {
  const result: Json = {};
  for (const path of paths) {
    let [from, to]: [unknown, Json] = [source, result];
    const steps = path.split('.');
    for (const [place, step] of steps.entries()) {
      from = (from as Json | undefined)?.[step];
      if (from === undefined) break;
      if (place === steps.length - 1) to[step] = from;
      else {
        to[step] ??= {};
        to = to[step] as Json;
      }
    }
  }
  return result;
}
