import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonText } from '../event.ts'
import { PointerTree } from '../policies/pointer-tree.ts'
import { ACCESS_SAFELIST } from '../topics/access-topic.ts'
import { AccessFields } from './access-fields.ts'
import { headerText } from './header-text.ts'

const fields = new AccessFields(PointerTree.of(ACCESS_SAFELIST, ['/http/request/headers']))

test('the text of headers does not depend on those of the requests before', () => {
  // Few names and values: lists repeat as a whole, in part, and with several values of a name.
  const header = fc.tuple(fc.constantFrom('Host', 'host', 'X-Forwarded-For', 'Cookie'), fc.constantFrom('a', 'b'))
  const headers = fc.array(header, { maxLength: 3 }).map((list) => list.flat())
  const toText = headerText(fields)
  fc.assert(
    fc.property(headers, (list) => assert.equal(`{${toText(list)}}`, jsonText(fields.requestHeaders(list)))),
    { numRuns: 1000 },
  )
})
