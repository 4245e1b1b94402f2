import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonText } from '#logging'
import { PointerTree } from '../policies/pointer-tree.ts'
import { ACCESS_SAFELIST } from '../topics/access-topic.ts'
import { AccessFields } from './access-fields.ts'
import { HeaderMembers } from './header-members.ts'

const fields = new AccessFields(PointerTree.of(ACCESS_SAFELIST, ['/http/request/headers']))

const members = new HeaderMembers(fields, '{')
const memory = Buffer.alloc(members.maxBytes)

/** Members as text; null where they can not be written. */
function textOf(headers: readonly string[]): string | null {
  if (!members.read(headers)) return null
  const end = members.write(memory, 0)
  return end < 0 ? null : `${memory.toString('latin1', 0, end)}}`
}

test('members of headers are the JSON of the headers', () => {
  const header = fc.tuple(
    fc.constantFrom('Host', 'host', 'HOST', 'X-Forwarded-For', 'Cookie', 'Authorization'),
    fc.constantFrom('a', 'b;c=d', ''),
  )
  const headers = fc.array(header, { maxLength: 3 }).map((list) => list.flat())
  fc.assert(
    fc.property(headers, (list) => {
      const expected = fields.requestHeaders(list)
      const hasSeveral = Object.values(expected).some(({ length }) => length > 1)
      assert.equal(textOf(list), hasSeveral ? null : jsonText(expected))
    }),
    { numRuns: 1000 },
  )
})

for (const value of ['"', '\\', 'é', '\u007f', '\t', 'x'.repeat(5_000)]) {
  test(`a value that is not copied: ${JSON.stringify(value.slice(0, 5))}`, () => {
    assert.equal(textOf(['Host', value]), null)
  })
}

test('members of all allowed values fit into their memory; longer ones are not written', () => {
  const names = [...(fields.requestHeaderNames as ReadonlySet<string>)]
  const listOf = (length: number) => names.flatMap((name, at) => [name, 'x'.repeat(at < 4 ? length : 0)])
  for (let time = 0; time < 3; time++) {
    assert.equal(textOf(listOf(2_048)), jsonText(fields.requestHeaders(listOf(2_048))))
  }
  assert.equal(textOf(['Accept', 'x', ...listOf(2_049)]), null)
  assert.equal(textOf([...listOf(2_048), 'X-Scheme', 'https']), null)
})

test('a request with a header traceparent is known, which is no member', () => {
  for (const name of ['traceparent', 'Traceparent', 'TRACEPARENT']) {
    assert.equal(textOf(['Host', 'a', name, '00-1']), '{"host":["a"]}')
    assert.equal(members.hasTrace, true)
  }
  textOf(['Host', 'a'])
  assert.equal(members.hasTrace, false)
})
