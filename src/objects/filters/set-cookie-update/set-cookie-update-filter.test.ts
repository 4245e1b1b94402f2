import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Filter, respond } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { SetCookieUpdateFilter } from './set-cookie-update-filter.ts'

async function sent(cookies: JsonValue, ...fields: string[]): Promise<readonly string[]> {
  await using built = await build<Filter>(SetCookieUpdateFilter, { cookies })
  const exchange = exchangeFor('GET', 'http://app.example/', { headers: { age: '60' } })
  const response = await built.object(exchange, async () => {
    const response = respond(200)
    for (const field of fields) response.headers.add('Set-Cookie', field)
    return response
  })
  return response.headers.all('set-cookie')
}

const cases: readonly [string, JsonValue, string, string[]][] = [
  ['attributes are added', { a: { secure: true, SameSite: 'Lax' } }, 'a=1', ['a=1; SameSite=Lax; Secure']],
  [
    'attributes are replaced',
    { a: { 'max-age': 5, path: '/x' } },
    'a=1; Path=/; MAX-AGE=9',
    ['a=1; Path=/x; Max-Age=5'],
  ],
  [
    'names of attributes are read in any spelling',
    { a: { max_age: 5, httpOnly: true } },
    'a=1',
    ['a=1; Max-Age=5; HttpOnly'],
  ],
  ['false removes a flag', { a: { secure: '${false}' } }, 'a=1; Secure; HttpOnly', ['a=1; HttpOnly']],
  ['null removes an attribute', { a: { domain: '${null}' } }, 'a=1; Domain=b.example', ['a=1']],
  ['expressions see the request', { a: { 'max-age': "${request.headers['age'][0]}" } }, 'a=1', ['a=1; Max-Age=60']],
  ['previous is the value before', { a: { value: '${previous}@gw' } }, 'a=1; Path=/', ['a=1@gw; Path=/']],
  [
    'previous is that of the patterns before, and null for an absent attribute',
    { a: { path: '/x' }, '.*': { path: '${previous}/y', domain: '${previous}', 'max-age': '${previous + 1}' } },
    'a=1; Max-Age=4',
    ['a=1; Path=/x/y; Max-Age=5'],
  ],
  ['previous of a flag is true or null', { a: { secure: '${not previous}' } }, 'a=1; Secure', ['a=1']],
  ['the value is replaced', { a: { value: 'new' } }, 'a=1; Path=/', ['a=new; Path=/']],
  [
    'all patterns that match apply, in their order',
    { a: { SameSite: 'None' }, '.*': { SameSite: 'Lax' } },
    'a=1',
    ['a=1; SameSite=Lax'],
  ],
  ['a pattern matches whole names', { 'a|b': { secure: true } }, 'ab=1', ['ab=1']],
  ['upper and lower case differ', { A: { secure: true } }, 'a=1', ['a=1']],
  [
    'unknown attributes and quotes stay',
    { a: { secure: true } },
    'a="1"; Partitioned; Priority=High',
    ['a="1"; Partitioned; Priority=High; Secure'],
  ],
  ['B29: a value that adds an attribute removes the cookie', { a: { path: '/; Domain=evil' } }, 'a=1', []],
  ['a max-age that is no number removes the cookie', { a: { 'max-age': 'soon' } }, 'a=1', []],
]

for (const [what, cookies, field, expected] of cases) {
  test(what, async () => assert.deepEqual(await sent(cookies, field), expected))
}

test('other cookies and their order stay', async () => {
  assert.deepEqual(await sent({ b: { secure: true } }, 'a=1', 'b=2', 'c=3; X'), ['a=1', 'b=2; Secure', 'c=3; X'])
})

test('an unknown attribute and an invalid pattern are rejected', async () => {
  await assert.rejects(
    build(SetCookieUpdateFilter, { cookies: { a: { colour: 'x' } } }),
    /expected one of value, domain/,
  )
  await assert.rejects(build(SetCookieUpdateFilter, { cookies: { '(': {} } }), /expected a regular expression/)
})
