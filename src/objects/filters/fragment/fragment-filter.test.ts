import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { markLoginRedirect } from '#contracts'
import { type Filter, parseSetCookie, type Response, respond } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { FragmentFilter } from './fragment-filter.ts'

const LOGIN = 'https://am.example/login?goto=x'

async function withFilter(config: Record<string, JsonValue> = {}) {
  const built = await build<Filter>(FragmentFilter, { fragmentCaptureEndpoint: '/app/fragment', ...config })
  return {
    built,
    async send(
      url: string,
      {
        cookie,
        body,
        headers = {},
      }: { cookie?: string | undefined; body?: string; headers?: Record<string, string> } = {},
      isLoggedIn = false,
    ) {
      const all = { ...headers, ...(cookie !== undefined && { Cookie: `a=1; ig-fragment=${cookie}` }) }
      const exchange = exchangeFor(body === undefined ? 'GET' : 'POST', url, {
        headers: all,
        ...(body !== undefined && { body }),
      })
      let received: string | null = null
      const response = await built.object(exchange, async ({ request }) => {
        received = request.headers.get('cookie')
        const login = respond(302, { Location: LOGIN, 'Set-Cookie': 'state=s' })
        return isLoggedIn ? respond(200, {}, 'page') : markLoginRedirect(login)
      })
      return { response, received, written: writtenIn(response) }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

function writtenIn(response: Response): string | undefined {
  const set = response.headers.all('set-cookie').map((field) => parseSetCookie(field))
  return set.find((cookie) => cookie?.name === 'ig-fragment')?.value
}

const textOf = async (response: Response) => Buffer.from(await response.body.read(10_000)).toString()

test('the fragment is captured before the login, and restored after it', async () => {
  await using filter = await withFilter()
  const url = 'http://app.example/app/page?x=1'
  const asked = await filter.send(url)
  const html = await textOf(asked.response)
  assert.equal(asked.response.status, 200)
  assert.match(html, /<form method="post" action="\/app\/fragment"><input type="hidden" name="fragment"/)
  assert.ok(asked.response.headers.all('set-cookie').includes('state=s'))
  const captured = await filter.send('http://app.example/app/fragment', {
    cookie: asked.written,
    body: 'fragment=%23section-2',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' },
  })
  assert.deepEqual([captured.response.status, captured.response.headers.get('location')], [302, LOGIN])
  const back = await filter.send(`${url}&_ig=t1`, { cookie: captured.written }, true)
  assert.deepEqual([back.response.status, back.response.headers.get('location')], [302, `${url}#section-2`])
  assert.equal(back.written, '')
  const again = await filter.send(url, {}, true)
  assert.deepEqual([again.response.status, again.written], [200, undefined])
})

test('B116: over TLS a cookie that another host of the domain can set has no effect', async () => {
  await using filter = await withFilter()
  const asked = await filter.send('https://app.example/app/page')
  const field = asked.response.headers.all('set-cookie').find((each) => each.includes('ig-fragment=')) ?? ''
  assert.match(field, /^__Host-ig-fragment=[^;]+; Path=\/; .*Secure/)
  const planted = Buffer.from(JSON.stringify({ page: '/', location: 'https://evil.example/' })).toString('base64url')
  const capture = (cookie: string) =>
    filter.send('https://app.example/app/fragment', {
      body: 'fragment=%23section-2',
      headers: { 'Sec-Fetch-Site': 'same-origin', Cookie: cookie },
    })
  assert.equal((await capture(`ig-fragment=${planted}`)).response.status, 400)
  const captured = await capture(`ig-fragment=${planted}; ${field.split(';')[0]}`)
  assert.deepEqual([captured.response.status, captured.response.headers.get('location')], [302, LOGIN])
})

for (const cookie of [{ domain: 'app.example' }, { path: '/app' }, { secure: false }, { name: '__Secure-f' }])
  test(`a cookie with ${JSON.stringify(cookie)} keeps its name over TLS`, async () => {
    await using filter = await withFilter({ cookie })
    const { response } = await filter.send('https://app.example/app/page')
    const names = response.headers.all('set-cookie').map((field) => parseSetCookie(field).name)
    assert.deepEqual(names, ['state', cookie.name ?? 'ig-fragment'])
  })

test('the script of the page is the only one that its policy allows', async () => {
  await using filter = await withFilter({ noJavaScriptMessage: '<b>"No" scripts</b>' })
  const { response } = await filter.send('http://app.example/app/page')
  const html = await textOf(response)
  const [, script = ''] = /<script>(.*)<\/script>/s.exec(html) ?? []
  const hash = createHash('sha256').update(script).digest('base64')
  assert.match(
    response.headers.get('content-security-policy') ?? '',
    new RegExp(`'sha256-${hash.replace(/[+/]/g, '\\$&')}'`),
  )
  assert.ok(html.includes('&#60;b&#62;') || html.includes('&lt;b&gt;'), html)
})

test('a page without fragment, or with an invalid one, continues with the login alone', async () => {
  await using filter = await withFilter()
  const { written } = await filter.send('http://app.example/app/page')
  for (const body of [
    'fragment=',
    '',
    'fragment=x',
    'fragment=%23a%0d%0aSet-Cookie:b',
    `fragment=%23${'x'.repeat(3_000)}`,
  ]) {
    const { response, written: left } = await filter.send('http://app.example/app/fragment', { cookie: written, body })
    assert.deepEqual([response.status, response.headers.get('location'), left], [302, LOGIN, ''], body.slice(0, 30))
  }
})

test('B64: the capture endpoint redirects no browser without a login in progress, and none that another site sends', async () => {
  await using filter = await withFilter()
  const { written } = await filter.send('http://app.example/app/page')
  const endpoint = 'http://app.example/app/fragment'
  const cross = { cookie: written, body: 'fragment=%23a', headers: { 'Sec-Fetch-Site': 'cross-site' } }
  assert.equal((await filter.send(endpoint, cross)).response.status, 400)
  for (const cookie of [undefined, 'nonsense', btoa('[]'), btoa('{"page":1}')])
    assert.equal((await filter.send(endpoint, { cookie, body: 'fragment=%23a' })).response.status, 400)
  assert.equal((await filter.send(endpoint, { cookie: written })).response.status, 405)
})

test('requests that are no navigation, a second login and long URLs are passed on', async () => {
  await using filter = await withFilter()
  const { written } = await filter.send('http://app.example/app/page')
  const script = await filter.send('http://app.example/app/data', { headers: { 'Sec-Fetch-Mode': 'cors' } })
  const second = await filter.send('http://app.example/app/other', { cookie: written })
  const long = await filter.send(`http://app.example/app/${'x'.repeat(3_500)}`)
  for (const { response } of [script, second, long]) assert.equal(response.status, 302)
  assert.equal(second.received, 'a=1')
})

for (const [name, config, message] of [
  ['no endpoint', { fragmentCaptureEndpoint: null }, /fragmentCaptureEndpoint/],
  [
    'an endpoint of another site',
    { fragmentCaptureEndpoint: '//evil.example/x' },
    /fragmentCaptureEndpoint.*expected a path/,
  ],
  ['a cookie that browsers refuse', { cookie: { name: '__Host-a', path: '/x' } }, /cookie\/path/],
] as const) {
  test(`refused: ${name}`, async () => {
    const attempt = withFilter(config as unknown as Record<string, JsonValue>)
    await assert.rejects(attempt, (error: Error & { problems?: object[] }) => {
      assert.match(JSON.stringify(error.problems), message)
      return true
    })
  })
}

test('a page of another origin, or a cookie with a location that is no web page, can not use the endpoint', async () => {
  await using filter = await withFilter()
  const endpoint = 'http://app.example/app/fragment'
  const cookieWith = (location: string) =>
    Buffer.from(JSON.stringify({ page: 'http://app.example/app', location, fragment: null })).toString('base64url')
  const post = (cookie: string, headers: Record<string, string>) =>
    filter.send(endpoint, { cookie, body: 'fragment=', headers })
  const own = { Origin: 'http://app.example' }
  assert.equal((await post(cookieWith(LOGIN), own)).response.status, 302)
  assert.equal((await post(cookieWith(LOGIN), { Origin: 'https://evil.example' })).response.status, 400)
  assert.equal((await post(cookieWith('javascript:alert(1)'), own)).response.status, 400)
})
