import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedFormat, setErrorContent } from './error-content.ts'
import { respond } from './response.ts'

const CASES: readonly (readonly [string | null, 'html' | 'json' | null])[] = [
  [null, null],
  ['*/*', null],
  ['text/*', null],
  ['text/plain', null],
  ['text/html', 'html'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'html'],
  ['application/json', 'json'],
  ['application/json, text/plain, */*', 'json'],
  ['application/problem+json', 'json'],
  ['text/html;q=0.5, application/json', 'json'],
  ['application/json;q=0.1, TEXT/HTML', 'html'],
  ['text/html;q=0', null],
  ['text/html;q=7', null],
  ['', null],
  [`${'x/y,'.repeat(10_000)}text/html`, null],
]
for (const [accept, format] of CASES) {
  test(`Accept ${JSON.stringify(accept)?.slice(0, 60)} prefers ${format}`, () => {
    assert.equal(acceptedFormat(accept), format)
  })
}

test('texts of the gateway are escaped in pages and are the detail of problems', () => {
  const page = respond(403, {}, 'No <b>access</b>')
  setErrorContent(page, 'html', 'id')
  assert.match(page.body.text(), /<p>No &#60;b&#62;access&#60;\/b&#62;<\/p>/)
  const problem = respond(403, {}, 'No "access"')
  setErrorContent(problem, 'json', 'id')
  assert.deepEqual(JSON.parse(problem.body.text()), {
    type: 'about:blank',
    title: 'Forbidden',
    status: 403,
    detail: 'No "access"',
    transactionId: 'id',
  })
})

test('only error responses of the gateway with plain text are generated, until a filter replaces their content', () => {
  assert.equal(respond(404).isGenerated, true)
  assert.equal(respond(200).isGenerated, false)
  assert.equal(respond(400, { 'Content-Type': 'application/json' }, '{}').isGenerated, false)
  const replaced = respond(404)
  replaced.body = respond(200, {}, 'x').body
  assert.equal(replaced.isGenerated, false)
})
