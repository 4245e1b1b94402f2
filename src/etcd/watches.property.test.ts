// Streams of watches, cut and damaged anywhere. `npm run fuzz -- watches` runs more of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '#json'
import { MalformedResponse } from './malformed-response.ts'
import { WatchFrames } from './watch-frames.ts'
import { eventsOf, objectOf, revisionOf } from './wire.ts'

const MAX = 4_096

const base64 = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64'))
const revision = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String)
const event = fc.record(
  {
    type: fc.constantFrom('PUT', 'DELETE'),
    kv: fc.record({ key: base64.filter((key) => key !== ''), value: base64, mod_revision: revision }),
  },
  { requiredKeys: ['kv'] },
)
const frame: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ result: fc.record({ header: fc.record({ revision }), events: fc.array(event, { maxLength: 4 }) }) }),
  // Braces, quotes and escapes in texts.
  fc.dictionary(fc.string(), fc.string({ unit: fc.constantFrom('{', '}', '"', '\\', '[', ']', 'ä', '\n') }), {
    maxKeys: 4,
  }),
) as fc.Arbitrary<JsonObject>
const space = fc.constantFrom('', '\n', '\r\n', ' \t')

/** Pieces of the bytes, cut at the given places. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
}

/** All frames of a stream, up to the first error. */
function framesIn(chunks: readonly Uint8Array[]): { frames: JsonObject[]; error: unknown; isComplete: boolean } {
  const parser = new WatchFrames(MAX)
  const frames: JsonObject[] = []
  try {
    // A chunk is memory of the socket, which is reused.
    for (const chunk of chunks) {
      const shared = Uint8Array.from(chunk)
      parser.push(shared, (each) => frames.push(each) > 0)
      shared.fill(0x21)
    }
    return { frames, error: null, isComplete: parser.isComplete }
  } catch (error) {
    return { frames, error, isComplete: false }
  }
}

const cutPlaces = fc.array(fc.nat(), { maxLength: 30 })

test('the objects of a stream do not depend on where it is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(frame, space), { maxLength: 8 }), cutPlaces, (parts, cuts) => {
      const bytes = Buffer.from(parts.map(([value, after]) => JSON.stringify(value) + after).join(''))
      const { frames, error, isComplete } = framesIn(pieces(bytes, cuts))
      assert.equal(error, null)
      assert.ok(isComplete)
      assert.deepEqual(
        frames.map((each) => JSON.stringify(each)),
        parts.map(([value]) => JSON.stringify(value)),
      )
      const bytewise = framesIn(pieces(bytes, Array.from(bytes.keys())))
      assert.deepEqual(bytewise, { frames, error, isComplete })
    }),
  )
})

test('a damaged stream gives the objects before the damage, then one error of its kind, wherever it is cut', () => {
  const damage = fc.record({ at: fc.nat(), bytes: fc.uint8Array({ maxLength: 6 }), removed: fc.nat(6) })
  fc.assert(
    fc.property(
      fc.array(frame, { minLength: 1, maxLength: 5 }),
      damage,
      cutPlaces,
      (values, { at, ...change }, cuts) => {
        const whole = Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'))
        const place = at % whole.length
        const bytes = Buffer.concat([whole.subarray(0, place), change.bytes, whole.subarray(place + change.removed)])
        const whole1 = framesIn([bytes])
        const cut = framesIn(pieces(bytes, cuts))
        assert.deepEqual(cut.frames, whole1.frames)
        assert.equal(String(cut.error), String(whole1.error))
        assert.ok(cut.error === null || cut.error instanceof MalformedResponse, String(cut.error))
      },
    ),
  )
})

test('an object beyond the limit is refused at the limit, in chunks of any size', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 3_000 }), (length, size) => {
      const bytes = Buffer.from(JSON.stringify({ a: 'x'.repeat(length) }))
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      )
      const { frames, error } = framesIn(chunks)
      if (bytes.length <= MAX) assert.equal(frames.length, 1)
      else assert.match(String(error), /at most 4096 bytes/)
    }),
    { numRuns: 50 },
  )
})

test('decoding any JSON object gives events and a revision, or a MalformedResponse', () => {
  const key = fc.constantFrom('header', 'revision', 'events', 'kv', 'key', 'value', 'type', 'mod_revision', 'lease')
  const leaf = fc.oneof(base64, revision, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.string())
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  }))
  const result = fc.oneof(value, fc.record({ header: value, events: fc.array(fc.record({ kv: value, type: value })) }))
  fc.assert(
    fc.property(result, (received) => {
      try {
        const { frames, error } = framesIn([Buffer.from(JSON.stringify({ result: received }))])
        if (error !== null) throw error
        const decoded = objectOf(frames[0]!['result'], 'result')
        for (const { item } of eventsOf(decoded['events'])) assert.ok(item.modRevision >= 0n && item.key !== '')
        assert.ok(revisionOf(decoded) >= 0n)
      } catch (error) {
        assert.ok(error instanceof MalformedResponse, String(error))
      }
    }),
  )
})
