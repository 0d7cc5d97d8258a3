/** A list of vectors (or nulls) as the bytes of a one-dimensional `vector[]`, as PostgreSQL's and pgvector's `recv` functions read them. */
export function vectorArrayBytes(vectors: readonly (Float32Array | undefined)[], elementOid: number): Buffer {
  const bytes = Buffer.alloc(20 + vectors.reduce((sum, vector) => sum + (vector === undefined ? 4 : 8 + 4 * vector.length), 0));
  const header = [1, vectors.includes(undefined) ? 1 : 0, elementOid, vectors.length, 1];
  for (const [index, value] of header.entries()) bytes.writeUInt32BE(value, 4 * index);
  let place = 20;
  for (const vector of vectors) {
    if (vector === undefined) {
      place = bytes.writeInt32BE(-1, place);
      continue;
    }
    place = bytes.writeInt32BE(4 + 4 * vector.length, place);
    place = writeVector(bytes, vector, place);
  }
  return bytes;
}

/** One vector as the bytes of a `vector`: its length, a zero, and its numbers. */
export function vectorBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(4 + 4 * vector.length);
  writeVector(bytes, vector, 0);
  return bytes;
}

function writeVector(bytes: Buffer, vector: Float32Array, start: number): number {
  let place = bytes.writeUInt16BE(vector.length, start) + 2;
  for (let i = 0; i < vector.length; i++) place = bytes.writeFloatBE(vector[i]!, place);
  return place;
}

/** The vector that `vector_send` gave. */
export function readVectorBytes(bytes: Buffer): Float32Array {
  const vector = new Float32Array(bytes.readUInt16BE(0));
  for (let i = 0; i < vector.length; i++) vector[i] = bytes.readFloatBE(4 + 4 * i);
  return vector;
}
