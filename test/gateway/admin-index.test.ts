// The index at / of the management connector.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Chromium, chromiumMissing } from '#test/chromium'
import { RunningGateway, textRoute } from '#test/gateway'
import { accessibilityFindings } from '#test/studio'

const PASSWORD = 'correct horse'
const Authorization = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`

interface Index {
  readonly version: string
  readonly endpoints: readonly { readonly path: string; readonly title: string }[]
}

describe('index of the management connector', () => {
  let gateway: RunningGateway

  before(async () => {
    gateway = await RunningGateway.start({
      files: { 'secrets/gateway.admin.password': PASSWORD },
      routes: { all: textRoute('a route') },
    })
  })

  after(() => gateway[Symbol.asyncDispose]())

  for (const root of ['/', '/gateway', '/gateway/']) {
    test(`${root} lists the version and endpoints that exist`, async () => {
      const { status, text, headers } = await gateway.askAdmin(root, { headers: { Authorization } })
      assert.deepEqual([status, headers['content-type']], [200, 'application/json; charset=UTF-8'])
      const { version, endpoints } = JSON.parse(text) as Index
      assert.equal(version, '1.2.3')
      assert.ok(endpoints.length >= 8)
      for (const { path } of endpoints) {
        assert.ok(path.startsWith(root === '/' ? '/' : '/gateway/'), path)
        const { status } = await gateway.askAdmin(path, { headers: { Authorization } })
        // The pages of the Studio are not built here.
        assert.equal(status, path.endsWith('/studio/') ? 503 : 200, path)
      }
    })
  }

  test('a browser gets a page with the same links, by Accept', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const { status, text, headers } = await gateway.askAdmin('/', { headers: { Authorization, Accept: accept } })
    assert.deepEqual([status, headers['content-type'], headers['vary']], [200, 'text/html; charset=utf-8', 'Accept'])
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    assert.match(text, /<a href="\/health\/ready\?verbose">Readiness<\/a>/)
    const { endpoints } = JSON.parse((await gateway.askAdmin('/', { headers: { Authorization } })).text) as Index
    for (const { title } of endpoints) assert.ok(text.includes(`>${title}</a>`), title)
  })

  test('without credentials a browser goes to the Studio, wrong ones are 401, and neither shows the version', async () => {
    const anonymous = await gateway.askAdmin('/')
    assert.deepEqual([anonymous.status, anonymous.headers.location], [302, '/studio/'])
    const wrong = await gateway.askAdmin('/', { headers: { Authorization: 'Basic eDp5' } })
    assert.equal(wrong.status, 401)
    for (const { text } of [anonymous, wrong]) assert.ok(!text.includes('1.2.3'))
  })

  test('other methods are 405, a foreign Host 403, and traffic connectors do not serve it', async () => {
    const posted = await gateway.askAdmin('/', { method: 'POST', headers: { Authorization } })
    assert.deepEqual([posted.status, posted.headers['allow']], [405, 'GET, HEAD'])
    assert.equal((await gateway.askAdmin('/', { headers: { Authorization, Host: 'evil.test' } })).status, 403)
    assert.equal((await gateway.ask('/')).text, 'a route')
  })
})

test('with studio: false the index needs credentials and does not list the Studio', async () => {
  await using gateway = await RunningGateway.start({
    admin: { studio: false },
    files: { 'secrets/gateway.admin.password': PASSWORD },
  })
  assert.equal((await gateway.askAdmin('/')).status, 401)
  const { text } = await gateway.askAdmin('/', { headers: { Authorization } })
  assert.ok(!text.includes('studio'), text)
})

test('the filter of adminProtection protects the index', async () => {
  const config = { type: 'application/javascript', source: 'return new Response(Status.FORBIDDEN)' }
  await using gateway = await RunningGateway.start({ admin: { adminProtection: { type: 'ScriptableFilter', config } } })
  assert.equal((await gateway.askAdmin('/')).status, 403)
})

test('the page has no findings of axe-core', { skip: chromiumMissing, timeout: 60_000 }, async () => {
  await using gateway = await RunningGateway.start({ admin: { mode: 'DEVELOPMENT' } })
  await using chromium = await Chromium.start()
  await chromium.withPage(async (page) => {
    await page.goto(`${gateway.adminUrl}/`)
    assert.ok((await page.locator('main').innerText()).includes('Identity Gateway'))
    assert.deepEqual(await accessibilityFindings(page), [])
  })
})
