import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Handler, Response } from '#http'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { WelcomeHandler } from './welcome-handler.ts'
import { welcomePage } from './welcome-page.ts'

async function page(): Promise<{ response: Response; html: string }> {
  await using built = await build<Handler>(WelcomeHandler, {})
  const response = await built.object(exchangeFor('GET', 'http://gateway.example.com/'))
  return { response, html: response.body.text() }
}

test('responds 200 with nosniff and no-store', async () => {
  const { response, html } = await page()
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
  assert.match(html, /<h1>The gateway is running<\/h1>/)
})

test('the content security policy allows the style of the page by its hash, and nothing else', async () => {
  const { response, html } = await page()
  const [, style] = /<style>([\s\S]*)<\/style>/.exec(html) ?? []
  const hash = createHash('sha256')
    .update(style ?? '')
    .digest('base64')
  assert.equal(
    response.headers.get('content-security-policy'),
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
})

test('the page loads no resources and has no scripts', async () => {
  const { html } = await page()
  assert.doesNotMatch(html, /\b(?:src|href|srcset|action|style|on\w+)\s*=/i)
  assert.doesNotMatch(html, /<(?:script|link|iframe|img|form|object)\b|@import|url\(/i)
  assert.doesNotMatch(html, /https?:\/\//)
})

test('the page is accessible: language, title, landmark, headings in order, zoom', async () => {
  const { html } = await page()
  assert.match(html, /<html lang="en">/)
  assert.match(html, /<title>[^<]+<\/title>/)
  assert.equal(html.match(/<main>/g)?.length, 1)
  assert.deepEqual(html.match(/<h\d/g), ['<h1', '<h2'])
  assert.match(html, /content="width=device-width, initial-scale=1"/)
})

test('every element is closed, in the right order', async () => {
  const { html } = await page()
  const open: string[] = []
  for (const [, slash, name] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/g)) {
    if (name === 'meta') continue
    if (slash === '') open.push(name!)
    else assert.equal(open.pop(), name)
  }
  assert.deepEqual(open, [])
})

test('shows the folder of routes and how to validate them', async () => {
  const { html } = await page()
  for (const hint of ['config/routes', 'gateway validate', 'gateway explain', "${request.uri.path == '/'}"])
    assert.ok(html.includes(hint), hint)
})

test('links to the designer only if it is available', async () => {
  assert.doesNotMatch((await page()).html, /studio|designer/i)
  assert.match(welcomePage({ studio: true }), /<code>\/studio\/<\/code>/)
})

test('discloses neither version nor paths of the host', async () => {
  const { html } = await page()
  const text = html.replace(/<style>[\s\S]*<\/style>|<[^>]*>/g, ' ')
  assert.doesNotMatch(text, /\d+\.\d+/)
  assert.equal(text.match(/(?<![\w.-])[\\/][\w.-]+/g), null)
})

test('refuses any configuration', async () => {
  await assert.rejects(build(WelcomeHandler, { title: 'Hello' }), {
    code: 'GW_CONFIG_INVALID',
    message: '/heap/0/config/title: unknown field',
  })
})

test('rootOnly: other methods on / get 405, other paths 404', async () => {
  await using built = await build<Handler>(WelcomeHandler, { rootOnly: true })
  const statusOf = async (method: string, path: string) =>
    (await built.object(exchangeFor(method, `http://gateway.example.com${path}`))).status
  assert.deepEqual(
    [await statusOf('GET', '/'), await statusOf('POST', '/'), await statusOf('GET', '/x')],
    [200, 405, 404],
  )
})
