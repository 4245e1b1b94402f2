import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AuditBatchBuilder, recordsOf } from '#contracts'
import { jsonText } from '../event.ts'
import { PointerTree } from '../policies/pointer-tree.ts'
import { ACCESS_SAFELIST } from '../topics/access-topic.ts'
import { AccessFields } from './access-fields.ts'
import { headerMembers } from './header-members.ts'

const fields = new AccessFields(PointerTree.of(ACCESS_SAFELIST, ['/http/request/headers']))

const write = headerMembers(fields, '{')

/** Members as text; null where they can not be written. */
function textOf(headers: readonly string[]): string | null {
  const builder = new AuditBatchBuilder()
  builder.add({
    topic: 'access',
    id: '',
    time: 0,
    texts: [],
    write: (_, target) => {
      const end = write(target, headers)
      return end !== null && target.ascii(`${end}}`)
    },
  })
  const [record] = recordsOf(builder.build(), 1, { format: 0, topics: ['access'] })
  return record?.text ?? null
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
