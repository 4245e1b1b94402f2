// Mutated requests: the result must not depend on the chunks, and is that of the server of `node:http` with the same checks, but for
// documented differences. FUZZ_RUNS is the number of mutations compared with `node:http`, a twentieth of all; FUZZ_SEED selects others.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseRequests } from '#test/parsed-requests'
import { REQUEST_DIFFERENCES, requestDifference } from '#test/request-differences'
import { mutatedRequest, REQUEST_SAMPLES } from '#test/request-mutations'
import { parseByNodeServer } from '#test/request-peers'
import { type Random, randomFrom } from '#test/response-mutations'

const runs = Number(process.env['FUZZ_RUNS'] ?? 500)
const seed = Number(process.env['FUZZ_SEED'] ?? 20260101)

const inputOf = (bytes: Buffer, number: number) => `mutation ${number}: ${JSON.stringify(bytes.toString('latin1'))}`

/** Without the body of a message that is not complete: how much of it is delivered depends on the chunks. */
function settled(chunks: readonly Buffer[]): string {
  const { requests, error, isWithinHead } = parseRequests(chunks)
  return JSON.stringify([
    requests.map((each) => (each.trailers === null ? { ...each, body: '' } : each)),
    error,
    isWithinHead,
  ])
}

function chunksOf(bytes: Buffer, random: Random): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random(random(2) === 0 ? 4 : 40)
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

test('samples have the same requests wherever they are cut, and byte by byte', () => {
  for (const bytes of REQUEST_SAMPLES) {
    const whole = settled([bytes])
    for (let at = 1; at < bytes.length; at++)
      assert.equal(settled([bytes.subarray(0, at), bytes.subarray(at)]), whole, `${inputOf(bytes, -1)} cut at ${at}`)
    assert.equal(settled(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))), whole, inputOf(bytes, -1))
  }
})

test('mutated requests have the same result in whatever chunks they are received', () => {
  let complete = 0
  for (let number = 0; number < 20 * runs; number++) {
    const random = randomFrom(seed, number)
    const bytes = mutatedRequest(random)
    const chunks = chunksOf(bytes, number % 8 === 0 ? () => 0 : random)
    if (settled(chunks) !== settled([bytes])) assert.fail(inputOf(bytes, number))
    complete += parseRequests([bytes]).requests.filter(({ trailers }) => trailers !== null).length
  }
  assert.ok(complete > runs, `only ${complete} were complete`)
})

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...REQUEST_SAMPLES) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)) },
)
const streams = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => Buffer.concat(pieces))

test('any stream has the same requests wherever it is cut (B22)', () => {
  fc.assert(
    fc.property(streams, fc.array(fc.nat(3_000), { maxLength: 12 }), (stream, cuts) => {
      const ends = [...cuts.map((cut) => cut % (stream.length + 1)).toSorted((a, b) => a - b), stream.length]
      const chunks = ends.map((end, at) => stream.subarray(at === 0 ? 0 : ends[at - 1], end))
      assert.equal(settled(chunks), settled([stream]))
    }),
  )
})

test('mutated requests are those of the server of node:http, but for documented differences', async (t) => {
  const counts = new Map<string, number>()
  for (let number = 0; number < runs; number++) {
    const bytes = mutatedRequest(randomFrom(seed, number))
    const [ours, theirs] = [parseRequests([bytes]), await parseByNodeServer(bytes)]
    const difference = requestDifference(bytes, ours, theirs)
    if (difference === undefined)
      assert.fail(`${inputOf(bytes, number)}: ${JSON.stringify(ours)} node:http: ${JSON.stringify(theirs)}`)
    if (difference !== null) counts.set(difference, (counts.get(difference) ?? 0) + 1)
  }
  t.diagnostic(JSON.stringify(Object.fromEntries(counts)))
})

test('every difference to node:http has a row with its reason in docs/http1-differences.md', () => {
  const page = readFileSync(new URL('../../../docs/http1-differences.md', import.meta.url), 'utf8')
  const rows = Array.from(page.matchAll(/^\| `(request-[\w.-]+)` \|/gm), (match) => match[1])
  assert.deepEqual(rows.toSorted(), REQUEST_DIFFERENCES.map(({ id }) => id).toSorted())
})
