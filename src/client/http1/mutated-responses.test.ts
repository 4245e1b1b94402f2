// Mutated responses: the result must not depend on the chunks, and is that of a strict reading by other means, of
// `node:http` and of undici, but for documented differences. FUZZ_RUNS is the number of mutations compared with the
// clients, a twentieth of all; FUZZ_SEED selects others.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type ParsedResponse, parseResponse } from '#test/parsed-response'
import { differenceOf, RESPONSE_DIFFERENCES } from '#test/response-differences'
import { mutatedResponse, type Random, randomFrom } from '#test/response-mutations'
import { parseByNode, parseByUndici } from '#test/response-peers'
import { readResponses } from '#test/strict-http'

const runs = Number(process.env['FUZZ_RUNS'] ?? 500)
const seed = Number(process.env['FUZZ_SEED'] ?? 20260101)

interface Mutation {
  readonly bytes: Buffer
  readonly method: string
  readonly random: Random
}

function mutation(number: number): Mutation {
  const random = randomFrom(seed, number)
  return { bytes: mutatedResponse(random), method: random(6) === 0 ? 'HEAD' : 'GET', random }
}

const inputOf = ({ bytes, method }: Mutation, number: number) =>
  `mutation ${number}, ${method}: ${JSON.stringify(bytes.toString('latin1'))}`

/** Chunks of random sizes; of one byte each with a random that is always 0. */
function chunksOf(bytes: Buffer, random: Random): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random(random(2) === 0 ? 4 : 40)
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

/** Rejected by the parser, and not by the strict reading, which does not examine these parts. */
const NOT_EXAMINED =
  /^(?:trailers|chunk size): |response head: expected (?:chunked|one|a number|either|no Transfer-Encoding)|a status that the request allows/

/** The error in a result, by a strict reading of the whole input with regular expressions. */
function problemOf({ bytes, method }: Mutation, ours: ParsedResponse): string | null {
  const { messages } = readResponses(bytes.toString('latin1'), method, true)
  const final = messages.findIndex(({ line }) => !/^\S+ 1/.test(line))
  const expected = messages[final]
  const isExpected = expected !== undefined && expected.body !== null
  if (ours.head?.upgrade) return null
  if (ours.error !== null) {
    return isExpected && !NOT_EXAMINED.test(ours.error.message) ? `rejected: ${ours.error.message}` : null
  }
  if (!isExpected) return 'accepted'
  const { status, reason, fields } = ours.head!
  if (ours.interims.length !== final) return 'another number of informational responses'
  if (!expected.line.startsWith(`HTTP/1.${ours.head!.minor} ${status}`)) return 'another status'
  if (expected.line.slice(13) !== reason) return 'another reason phrase'
  const names = fields.map((each, at) => (at % 2 === 0 ? each.toLowerCase() : each))
  if (JSON.stringify(names) !== JSON.stringify(expected.fields.flat())) return 'other fields'
  return ours.body === expected.body ? null : 'another body'
}

test('mutated responses are parsed strictly, with the same result in whatever chunks they are received', () => {
  let accepted = 0
  for (let number = 0; number < 20 * runs; number++) {
    const mutated = mutation(number)
    const { bytes, method, random } = mutated
    const options = { method, allowUpgrade: random(2) === 0 }
    const ours = parseResponse([bytes], options)
    const expected = JSON.stringify(ours)
    const chunks = chunksOf(bytes, number % 8 === 0 ? () => 0 : random)
    if (JSON.stringify(parseResponse(chunks, options)) !== expected) assert.fail(inputOf(mutated, number))
    const problem = problemOf(mutated, ours)
    if (problem !== null) assert.fail(`${problem}: ${inputOf(mutated, number)}`)
    if (ours.error === null) accepted++
  }
  assert.ok(accepted > 2 * runs, `only ${accepted} were accepted`)
})

test('mutated responses are those of node:http and undici, but for documented differences', async (t) => {
  const counts = new Map<string, number>()
  for (let number = 0; number < runs; number++) {
    const mutated = mutation(number)
    const { bytes, method } = mutated
    const ours = parseResponse([bytes], { method, allowUpgrade: true })
    for (const parse of [parseByNode, parseByUndici]) {
      const theirs = await parse(bytes, method)
      const difference = differenceOf(bytes, ours, theirs)
      if (difference === undefined)
        assert.fail(`${inputOf(mutated, number)}: ${JSON.stringify(ours)} ${parse.name}: ${JSON.stringify(theirs)}`)
      if (difference !== null) counts.set(difference, (counts.get(difference) ?? 0) + 1)
    }
  }
  t.diagnostic(JSON.stringify(Object.fromEntries(counts)))
})

test('every difference to other clients has a row with its reason in docs/http1-differences.md', () => {
  const page = readFileSync(new URL('../../../docs/http1-differences.md', import.meta.url), 'utf8')
  const rows = Array.from(page.matchAll(/^\| `([\w.-]+)` \|/gm), (match) => match[1])
  assert.deepEqual(rows.toSorted(), RESPONSE_DIFFERENCES.map(({ id }) => id).toSorted())
})
